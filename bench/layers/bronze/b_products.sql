SELECT id, trim(name) AS name, lower(category) AS category, CAST(price AS DECIMAL(10, 2)) AS price, loaded
FROM {raw_products}
