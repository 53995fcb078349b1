SELECT id, customer, product, CAST(quantity AS INT) AS quantity, day, upper(status) AS status, loaded
FROM {raw_orders}
WHERE quantity > 0
