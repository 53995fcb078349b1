SELECT id, name, category, price, loaded
FROM {b_products}
QUALIFY row_number() OVER (PARTITION BY id ORDER BY loaded DESC) = 1
