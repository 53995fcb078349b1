SELECT order_id, count(*) AS payments, count(amount) AS amounts, sum(amount) AS paid
FROM {b_payments}
GROUP BY order_id
