SELECT category, tier, count(*) AS orders, sum(revenue) AS revenue
FROM {s_order_lines}
GROUP BY ROLLUP (category, tier)
