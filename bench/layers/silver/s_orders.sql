SELECT id, customer, product, quantity, day, status, loaded
FROM (
  SELECT *, row_number() OVER (PARTITION BY id ORDER BY loaded DESC) AS place FROM {b_orders}
)
WHERE place = 1
