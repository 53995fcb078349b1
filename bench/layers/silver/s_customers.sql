SELECT id, name, city, tier, valid_from
FROM (
  SELECT *, row_number() OVER (PARTITION BY id ORDER BY valid_from DESC) AS place FROM {b_customers}
)
WHERE place = 1
