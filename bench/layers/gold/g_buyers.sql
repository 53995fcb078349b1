SELECT category, count(DISTINCT customer) AS buyers, count(DISTINCT product) AS products
FROM {s_order_lines}
GROUP BY category
