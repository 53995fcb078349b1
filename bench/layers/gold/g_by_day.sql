SELECT day, count(*) AS orders, count(revenue) AS priced, sum(revenue) AS revenue
FROM {s_order_lines}
GROUP BY day
