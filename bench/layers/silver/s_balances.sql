SELECT l.id, l.customer, l.day, l.status, l.revenue, p.paid, coalesce(p.payments, 0) AS payments
FROM {s_order_lines} l
LEFT JOIN {s_paid} p ON l.id = p.order_id
