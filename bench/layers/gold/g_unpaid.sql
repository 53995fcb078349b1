SELECT status, count(*) AS orders, count(revenue) AS priced, sum(revenue) AS revenue
FROM {s_balances}
WHERE payments = 0
GROUP BY status
