SELECT id, trim(name) AS name, initcap(city) AS city, upper(tier) AS tier, valid_from, valid_to
FROM {raw_customers}
WHERE id IS NOT NULL
