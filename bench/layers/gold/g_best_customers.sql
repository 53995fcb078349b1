SELECT c.city, c.id, c.name, t.revenue
FROM (SELECT customer, sum(revenue) AS revenue FROM {s_order_lines} GROUP BY customer) t
JOIN {s_customers} c ON c.id = t.customer
QUALIFY rank() OVER (PARTITION BY c.city ORDER BY t.revenue DESC) <= 3
