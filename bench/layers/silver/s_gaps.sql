SELECT id, customer, tier, day,
  datediff(day, lag(day) OVER (PARTITION BY customer ORDER BY day, id)) AS since_last,
  lead(id) OVER (PARTITION BY customer ORDER BY day, id) AS next_order
FROM {s_order_customers}
