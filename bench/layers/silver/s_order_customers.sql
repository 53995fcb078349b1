SELECT o.id, o.customer, o.product, o.quantity, o.day, o.status, c.city, c.tier
FROM {s_orders} o
JOIN {b_customers} c ON o.customer = c.id AND o.day BETWEEN c.valid_from AND c.valid_to
