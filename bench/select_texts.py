"""The tables and texts of `select_overhead`: small, so that Headwater's own share shows."""

from __future__ import annotations

TABLES = (
    """
    CREATE TABLE customer AS
    SELECT CAST(id AS INT) AS c_custkey,
           'Customer#' || id AS c_name,
           element_at(array('BUILDING', 'MACHINERY', 'FURNITURE'), CAST(id % 3 + 1 AS INT))
               AS c_mktsegment
    FROM range(150)
    """,
    """
    CREATE TABLE orders AS
    SELECT CAST(id AS INT) AS o_orderkey,
           CAST(id % 150 AS INT) AS o_custkey,
           CAST(id % 1000 + 0.25 AS DECIMAL(12,2)) AS o_totalprice,
           date_add(DATE'1995-01-01', CAST(id % 365 AS INT)) AS o_orderdate,
           CAST(id % 2 AS INT) AS o_shippriority
    FROM range(1500)
    """,
    """
    CREATE TABLE lineitem AS
    SELECT CAST(id % 1500 AS INT) AS l_orderkey,
           CAST(id AS INT) AS l_linenumber,
           CAST(id % 50 + 1 AS INT) AS l_quantity,
           CAST(id % 900 + 100 AS DECIMAL(12,2)) AS l_extendedprice,
           CAST((id % 10) / 100 AS DECIMAL(4,2)) AS l_discount,
           date_add(DATE'1995-01-15', CAST(id % 365 AS INT)) AS l_shipdate
    FROM range(6000)
    """,
)

_JOIN = """
-- Revenue of unshipped orders by order, after TPC-H query 3.
WITH chosen_customers AS (
    SELECT
        c_custkey,
        c_name
    FROM customer
    WHERE c_mktsegment = 'BUILDING'
),
open_orders AS (
    SELECT
        o_orderkey,
        o_custkey,
        o_orderdate,
        o_shippriority
    FROM orders
    WHERE o_orderdate < DATE'1995-09-15'
),
late_items AS (
    SELECT
        l_orderkey,
        l_extendedprice * (1 - l_discount) AS revenue
    FROM lineitem
    WHERE l_shipdate > DATE'1995-03-15'
)
SELECT
    late_items.l_orderkey,
    max(chosen_customers.c_name) AS customer,
    sum(late_items.revenue) AS revenue,
    open_orders.o_orderdate,
    open_orders.o_shippriority
FROM chosen_customers
JOIN open_orders
    ON open_orders.o_custkey = chosen_customers.c_custkey
JOIN late_items
    ON late_items.l_orderkey = open_orders.o_orderkey
GROUP BY
    late_items.l_orderkey,
    open_orders.o_orderdate,
    open_orders.o_shippriority
ORDER BY revenue DESC, open_orders.o_orderdate, late_items.l_orderkey
LIMIT 10
"""

TEXTS = {
    "SELECT 1": "SELECT 1",
    "aggregate": (
        "SELECT o_shippriority, count(*), sum(o_totalprice), max(o_orderdate) "
        "FROM orders GROUP BY o_shippriority"
    ),
    "join of three tables": _JOIN,
    "1,000 rows": "SELECT * FROM orders WHERE o_orderkey < 1000",
}
