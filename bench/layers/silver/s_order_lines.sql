SELECT o.id, o.customer, o.day, o.status, o.city, o.tier, o.product,
  coalesce(p.category, 'none') AS category, o.quantity, o.quantity * p.price AS revenue
FROM {s_order_customers} o
LEFT JOIN {s_products} p ON o.product = p.id
