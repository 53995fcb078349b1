SELECT order_id, CAST(amount AS DECIMAL(10, 2)) AS amount, coalesce(method, 'unknown') AS method, day
FROM {raw_payments}
WHERE amount IS NOT NULL
