SELECT tier, count(*) AS orders, count(since_last) AS again, max(since_last) AS longest_gap
FROM {s_gaps}
GROUP BY tier
