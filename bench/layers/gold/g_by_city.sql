SELECT city, tier, count(*) AS orders, sum(quantity) AS pieces, avg(quantity) AS pieces_of_an_order
FROM {s_order_lines}
GROUP BY city, tier
