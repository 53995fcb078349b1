"""Queries for every construct that the tree knows, over the tables of `test_algebra.py`."""

from __future__ import annotations

TABLES = {
    "t": (
        "k int, a int, b string, d decimal(10,2), x double, arr array<int>, m map<string,int>, "
        "s struct<f:int,G:string>, day date",
        """
        (1, 10, 'x', 1.50, 1.5D, array(1, 2), map('p', 1), named_struct('f', 1, 'G', 'g'), date'2026-01-01'),
        (1, 10, 'x', 1.50, 1.5D, array(1, 2), map('p', 1), named_struct('f', 1, 'G', 'g'), date'2026-01-01'),
        (1, NULL, 'y', 2.25, 2.5D, array(), map(), NULL, date'2026-01-02'),
        (2, 20, NULL, NULL, NULL, NULL, NULL, named_struct('f', NULL, 'G', 'h'), NULL),
        (2, 5, 'z', 7.00, 0.5D, array(3, NULL), map('q', 2, 'r', NULL), named_struct('f', 3, 'G', NULL), date'2026-02-01'),
        (NULL, 7, 'x', 3.00, 9.0D, array(4), map('s', 4), named_struct('f', 4, 'G', 'i'), date'2026-03-01'),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (4, 40, 'w', 0.01, 0.25D, array(5, 6, 7), map('t', 5), named_struct('f', 5, 'G', 'j'), date'2026-04-01')
        """,
    ),
    "u": (
        "k int, c int, e string",
        """
        (1, 10, 'x'), (1, 11, 'y'), (1, 11, 'y'), (2, NULL, 'z'), (3, 30, NULL), (NULL, 7, 'x'),
        (NULL, NULL, 'w'), (5, 50, 'v')
        """,
    ),
    "v": (
        "k int, g string, n bigint",
        "(1, 'one', 100), (2, 'two', 200), (2, 'zwei', NULL), (NULL, 'none', 0), (3, NULL, 300)",
    ),
    "nothing": ("k int, c int", ""),
}

QUERIES = {
    "project": "SELECT k + 1 AS k1, upper(b), a * 2 - k, k1 + 1 FROM t",
    "star": "SELECT *, t.k AS again, u.* EXCEPT (c) FROM t JOIN u ON t.k = u.k",
    "filter": "SELECT a FROM t WHERE k = 1 AND (b = 'x' OR a IS NULL) AND NOT b <=> 'q'",
    "constant filter": "SELECT a FROM t WHERE 1 = 0 OR k > 1",
    "fields": "SELECT s.f, t.s.G, arr[0], m['p'], s FROM t WHERE s.f > 1",
    "literals": "SELECT 1L, 1.5BD, 1e2, X'1F', date'2026-01-01', interval 3 days, 'it''s', \"q\", "
    "timestamp'2026-01-01 10:00:00', NULL, TRUE FROM t LIMIT 1",
    "operators": "SELECT a DIV 3, a % 3, -a, ~a, a | 1, a & 3, a ^ 2, b || '!', a BETWEEN 5 AND 10, "
    "a IN (5, 10), b LIKE 'x%', b RLIKE '[xy]', a <=> NULL, a <> 5, NOT a > 3, a::string, "
    "try_cast(b AS int), cast(d AS int), CASE k WHEN 1 THEN 'a' ELSE 'b' END, "
    "CASE WHEN a > 5 THEN 1 END, a IS DISTINCT FROM 5 FROM t",
    "functions": "SELECT date_add(day, 1), date_diff(day, date'2026-01-01'), year(day), trim(b), "
    "substring(b, 1, 1), substr(b, 1), coalesce(a, 0), nvl(a, 0), nullif(a, 10), if(a > 5, 1, 2), "
    "concat_ws('-', b, a), transform(arr, v -> v + k), filter(arr, v -> v > 1), size(arr), "
    "to_date('2026-01-01'), date_format(day, 'yyyy'), round(x, 1), named_struct('Aa', a, 'b', b), "
    "struct(a, b AS Bb), map('A', a), extract(month FROM day), date_trunc('month', day), "
    "element_at(arr, 1), array_contains(arr, 1), split(b, ','), greatest(a, k), ceil(x), floor(x), "
    "trunc(day, 'MM'), add_months(day, 1), last_day(day), unix_date(day), instr(b, 'x'), "
    "position('x' IN b), lpad(b, 3, '*'), regexp_replace(b, 'x', 'y'), md5(b), hash(a, b), "
    "to_json(s), aggregate(arr, 0, (acc, v) -> acc + coalesce(v, 0)), exists(arr, v -> v > 1) FROM t WHERE size(arr) > 0",
    "inner join": "SELECT t.a, u.c FROM t JOIN u ON t.k = u.k AND t.a <= u.c",
    "comma join": "SELECT a, c, g FROM t, u, v WHERE t.k = u.k AND v.k = u.k AND a > 1 AND n > 0",
    "reordered join": "SELECT a, c, g FROM t, v, u WHERE t.k = u.k AND v.k = u.k",
    "comma and full join": "SELECT v.k, a, c FROM v, t FULL JOIN u ON t.k = u.k",
    "join without condition": "SELECT a, g FROM t JOIN v",
    "cross join": "SELECT a, g FROM t CROSS JOIN v WHERE a > 7",
    "left join": "SELECT t.k, a, c FROM t LEFT JOIN u ON t.k = u.k AND c > 10 WHERE t.k IS NOT NULL",
    "left join filtered": "SELECT t.k, a, c FROM t LEFT JOIN u ON t.k = u.k WHERE c > 10 OR c IS NULL",
    "left join that needs a match": "SELECT t.k, a, c FROM t LEFT JOIN u ON t.k = u.k WHERE c + 1 > 10",
    "right join": "SELECT t.k, a, c FROM t RIGHT JOIN u ON t.k = u.k AND a > 5",
    "full join": "SELECT t.k, u.k, a, c FROM t FULL OUTER JOIN u ON t.k = u.k AND a = c",
    "full join filtered": "SELECT t.k, c FROM t FULL JOIN u ON t.k = u.k WHERE coalesce(a, c) > 6",
    "semi and anti": "SELECT a FROM t LEFT SEMI JOIN u ON t.k = u.k LEFT ANTI JOIN v ON t.k = v.k AND n > 100",
    "using": "SELECT *, k FROM t JOIN u USING (k)",
    "left using": "SELECT k, t.k, u.k, c FROM t LEFT JOIN u USING (k)",
    "right using": "SELECT k, t.k, u.k, c FROM t RIGHT JOIN u USING (k)",
    "full using": "SELECT k, a, c FROM t FULL JOIN u USING (k) FULL JOIN v USING (k)",
    "natural": "SELECT * FROM u NATURAL JOIN v",
    "join in parentheses": "SELECT a, c, g FROM t LEFT JOIN (u JOIN v ON u.k = v.k) ON t.k = u.k",
    "self join": "SELECT x.a, y.a FROM t x JOIN t y ON x.k = y.k AND x.a < y.a",
    "sub-query": "SELECT q.z FROM (SELECT k AS z, a FROM t WHERE a > 5) q WHERE z = 1",
    "renamed sub-query": "SELECT p, count(*) FROM (SELECT k, sum(a) FROM t GROUP BY k) AS q (p, r) GROUP BY p",
    "with": "WITH c AS (SELECT k, a FROM t), e (q) AS (SELECT k FROM c WHERE a > 5) "
    "SELECT c.a, e.q FROM c JOIN e ON c.k = e.q JOIN c d ON d.k = e.q",
    "view": "SELECT total, a FROM totals JOIN t ON t.k = totals.id",
    "group by": "SELECT k, b, count(*), count(a), sum(a), min(d), max(b), avg(a) FROM t GROUP BY k, b",
    "group by expression": "SELECT k % 2 AS odd, sum(a) + count(*) * 2, k % 2 + 1 FROM t GROUP BY k % 2",
    "group by alias and position": "SELECT upper(b) AS ub, k, sum(a) FROM t GROUP BY ub, 2",
    "group by all": "SELECT k, b, sum(a) FROM t GROUP BY ALL",
    "group by nothing": "SELECT sum(c), count(*), max(k), collect_list(c) FROM nothing",
    "count distinct": "SELECT k, count(DISTINCT a), count(DISTINCT a, b), sum(DISTINCT a) FROM t GROUP BY k",
    "aggregate filter": "SELECT k, sum(a) FILTER (WHERE b = 'x'), count(*) FILTER (WHERE a > 5) FROM t GROUP BY k",
    "many aggregates": "SELECT k, stddev(a), var_pop(x), max_by(b, a), min_by(b, a), bool_or(a > 5), "
    "every(a > 5), percentile(a, 0.5), approx_count_distinct(b), collect_set(b), bit_xor(a), count_if(a > 5), "
    "median(a), mode(b), covar_pop(a, x), any_value(k), skewness(x), "
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY a), listagg(b, ',') WITHIN GROUP (ORDER BY b) FROM t GROUP BY k",
    "having": "SELECT k, sum(a) AS total FROM t GROUP BY k HAVING total > 10 AND count(*) > 1",
    "having without group": "SELECT count(*) FROM t HAVING max(a) > 1",
    "distinct": "SELECT DISTINCT k, b FROM t",
    "aggregate of aggregate": "SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM t GROUP BY k) GROUP BY n",
    "rollup": "SELECT k, b, sum(a), grouping(k), grouping_id() FROM t GROUP BY ROLLUP (k, b)",
    "cube": "SELECT k, b, sum(a), count(k) FROM t GROUP BY CUBE (k, b) HAVING count(*) > 1",
    "with rollup": "SELECT k, b, sum(a) FROM t GROUP BY k, b WITH ROLLUP",
    "grouping sets": "SELECT k, b, sum(k), grouping_id(k, b) FROM t GROUP BY GROUPING SETS ((k, b), (k), ())",
    "repeated grouping sets": "SELECT k, count(*) FROM t GROUP BY GROUPING SETS ((k), (k), ())",
    "key and rollup": "SELECT k, b, a, count(*) FROM t GROUP BY k, ROLLUP (b, a)",
    "grouping sets of nothing": "SELECT k, count(*) FROM nothing GROUP BY ROLLUP (k)",
    "window": "SELECT k, a, row_number() OVER (PARTITION BY k ORDER BY a, b, x), sum(a) OVER (PARTITION BY k), "
    "rank() OVER (PARTITION BY k % 2 ORDER BY a DESC NULLS LAST), lag(a, 1, 0) OVER (PARTITION BY k ORDER BY a) FROM t",
    "window frame": "SELECT k, sum(a) OVER (PARTITION BY k ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "named window": "SELECT k, sum(a) OVER w, max(a) OVER w FROM t WINDOW w AS (PARTITION BY k)",
    "window over aggregate": "SELECT k, sum(sum(a)) OVER (PARTITION BY k % 2), rank() OVER (ORDER BY sum(a)) FROM t GROUP BY k",
    "window without partition": "SELECT k, count(*) OVER () FROM t",
    "latest row": "SELECT k, a FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY a DESC, b, x) AS r FROM t) WHERE r = 1 AND k > 0",
    "qualify": "SELECT k, a FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY a DESC, b, x) = 1",
    "union all": "SELECT k, a FROM t UNION ALL SELECT k, c FROM u UNION ALL SELECT k, n FROM v",
    "union": "SELECT k FROM t UNION SELECT k FROM u",
    "union filtered": "SELECT * FROM (SELECT k, a FROM t UNION ALL SELECT k, c FROM u) WHERE k = 1",
    "intersect": "SELECT k, a FROM t INTERSECT SELECT k, c FROM u",
    "except": "SELECT k FROM t EXCEPT SELECT k FROM u WHERE k = 2",
    "intersect all": "SELECT k FROM t INTERSECT ALL SELECT k FROM u",
    "except all": "SELECT k FROM t EXCEPT ALL SELECT k FROM u",
    "order and limit": "SELECT k, a AS q FROM t ORDER BY q DESC, k, b LIMIT 3",
    "order by position and offset": "SELECT b, a FROM t ORDER BY 2 DESC, 1 LIMIT 2 OFFSET 1",
    "order by hidden column": "SELECT b FROM t ORDER BY a DESC, x LIMIT 2",
    "order by aggregate": "SELECT k FROM t GROUP BY k ORDER BY sum(a) DESC LIMIT 1",
    "order by all": "SELECT k, a FROM t ORDER BY ALL LIMIT 4",
    "order distinct": "SELECT DISTINCT k, b FROM t ORDER BY b DESC, k LIMIT 3",
    "order of union": "SELECT k FROM t UNION ALL SELECT k FROM u ORDER BY k DESC LIMIT 4",
    "order without limit": "SELECT k FROM t ORDER BY a",
    "limit in sub-query": "SELECT count(*) FROM (SELECT a FROM t ORDER BY a LIMIT 3) WHERE a > 5",
    "values": "SELECT p, q FROM VALUES (1, 'a'), (2, NULL) AS w (p, q) WHERE p > 1",
    "no from": "SELECT 1 AS one, 'x' AS two",
    "literal branch": "SELECT k, a FROM t UNION ALL SELECT 0, 0",
    "lateral view": "SELECT k, v FROM t LATERAL VIEW explode(arr) e AS v WHERE v > 1",
    "lateral view outer": "SELECT k, i, v FROM t LATERAL VIEW OUTER posexplode(arr) e AS i, v",
    "lateral views": "SELECT k, v, q, w FROM t LATERAL VIEW explode(arr) e AS v LATERAL VIEW explode(m) f AS q, w",
    "explode in the list": "SELECT k, explode(arr) AS v, a FROM t",
    "explode a map": "SELECT k, explode(m) FROM t",
    "explode outer": "SELECT k, explode_outer(arr) FROM t",
    "posexplode": "SELECT k, posexplode(arr) AS (p, v) FROM t",
    "stack": "SELECT k, p, q FROM t LATERAL VIEW stack(2, k, a, a, k) w AS p, q",
    "inline": "SELECT inline(array(struct(1 AS p, 'a' AS q), struct(2 AS p, 'b' AS q))) AS (p, q)",
    "grouped explode": "SELECT v, count(*) FROM (SELECT explode(arr) AS v FROM t) GROUP BY v",
    "pivot": "SELECT * FROM (SELECT k, b, a FROM t) PIVOT (sum(a) AS total, count(*) AS n FOR b IN ('x' AS ex, 'y'))",
    "pivot one": "SELECT k, ex FROM (SELECT k, b, a FROM t) PIVOT (max(a) FOR b IN ('x' AS ex, 'z'))",
    "unpivot": "SELECT * FROM (SELECT k, c, k + 1 AS l FROM u) UNPIVOT (val FOR name IN (c, l AS ell))",
    "unpivot with nulls": "SELECT k, name, val FROM u UNPIVOT INCLUDE NULLS (val FOR name IN (c))",
    "exists": "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.c > t.a)",
    "not exists": "SELECT a FROM t WHERE NOT EXISTS (SELECT * FROM u WHERE u.k = t.k)",
    "exists without a tie": "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE c > 40) AND NOT EXISTS (SELECT 1 FROM nothing)",
    "exists with groups": "SELECT a FROM t WHERE EXISTS (SELECT c FROM u WHERE u.k = t.k GROUP BY c HAVING count(*) > 1)",
    "in": "SELECT a FROM t WHERE k IN (SELECT k FROM u WHERE c > 10)",
    "in tied": "SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE u.k = t.k)",
    "in pairs": "SELECT a FROM t WHERE (k, a) IN (SELECT k, c FROM u)",
    "not in": "SELECT k, a FROM t WHERE a NOT IN (SELECT c FROM u WHERE c IS NOT NULL)",
    "not in nulls": "SELECT k, a FROM t WHERE a NOT IN (SELECT c FROM u)",
    "not in nothing": "SELECT k, a FROM t WHERE a NOT IN (SELECT c FROM nothing)",
    "not in tied": "SELECT k, a FROM t WHERE a NOT IN (SELECT c FROM u WHERE u.k = t.k)",
    "not in pairs": "SELECT k, a FROM t WHERE (k, a) NOT IN (SELECT k, c FROM u WHERE k > 1)",
    "exists under or": "SELECT k, a FROM t WHERE a > 15 OR EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND c = 10)",
    "in under or": "SELECT k, a FROM t WHERE k = 4 OR a IN (SELECT c FROM u)",
    "not in under or": "SELECT k, a FROM t WHERE k = 4 OR a NOT IN (SELECT c FROM u WHERE c > 5)",
    "exists as a value": "SELECT k, EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AS there FROM t",
    "in as a value": "SELECT k, a IN (SELECT c FROM u) AS there, a IN (SELECT c FROM nothing) FROM t",
    "not in as a value": "SELECT k, a NOT IN (SELECT c FROM u) AS away, NOT (a IN (SELECT c FROM u WHERE u.k = t.k)), a NOT IN (SELECT c FROM nothing) FROM t",
    "in as a tied value": "SELECT k, CASE WHEN a IN (SELECT c FROM u WHERE u.k = t.k) THEN 'y' ELSE 'n' END FROM t",
    "scalar sub-query": "SELECT a - (SELECT avg(a) FROM t) FROM t WHERE a < (SELECT max(c) FROM u)",
    "scalar sub-query of one row": "SELECT k, (SELECT c FROM u WHERE k = 5) FROM t",
    "scalar sub-query of no row": "SELECT k, (SELECT c FROM nothing) FROM t",
    "tied scalar": "SELECT k, a, (SELECT max(c) FROM u WHERE u.k = t.k) AS top FROM t",
    "tied count": "SELECT k, (SELECT count(*) + 1 FROM u WHERE u.k = t.k) AS n, "
    "(SELECT coalesce(sum(c), -1) FROM u WHERE u.k = t.k) FROM t",
    "tied scalar in where": "SELECT k, a FROM t WHERE a < (SELECT avg(c) FROM u WHERE u.k = t.k)",
    "tied count in where": "SELECT k, a FROM t WHERE (SELECT count(*) FROM u WHERE u.k = t.k) = 0",
    "sub-query in having": "SELECT k, sum(a) FROM t GROUP BY k HAVING sum(a) > (SELECT avg(c) FROM u)",
    "sub-query behind groups": "SELECT k, sum(a), (SELECT max(c) FROM u WHERE u.k = t.k) FROM t GROUP BY 1, 3",
    "sub-query in a sub-query": "SELECT a FROM t WHERE k IN (SELECT k FROM u WHERE c > (SELECT min(c) FROM u) "
    "AND EXISTS (SELECT 1 FROM v WHERE v.k = u.k))",
    "common condition": "SELECT a, c FROM t, u WHERE (t.k = u.k AND a > 5) OR (t.k = u.k AND c > 10)",
    "current date": "SELECT k FROM t WHERE day < current_date() - interval 1 day",
    "case of names": "SELECT T.K, U.C FROM T JOIN u ON t.K = U.k",
    "nested names": "SELECT `count(1)`, `sum(a)` FROM (SELECT count(*), sum(a) FROM t)",
    "duplicate names": "SELECT count(*) FROM (SELECT * FROM t JOIN u ON t.k = u.k)",
}
