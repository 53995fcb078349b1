SELECT product, sum(revenue) AS revenue
FROM {s_order_lines}
GROUP BY product
ORDER BY revenue DESC NULLS LAST, product
LIMIT 10
