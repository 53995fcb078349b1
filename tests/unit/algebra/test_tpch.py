"""TPC-H's 22 queries become trees in which every join has something to join on."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.algebra.binding import bind
from headwater.algebra.nodes import Join, JoinKind
from headwater.algebra.outline import outline
from headwater.algebra.qualified import qualify
from headwater.algebra.rewrites import simplify
from headwater.algebra.rewrites.order_joins import is_one_row
from headwater.algebra.sources import SourceTable
from headwater.algebra.walk import nodes_of

QUERIES = sorted((Path(__file__).parents[3] / "bench" / "tpch" / "queries").glob("*.sql"))
TABLES = {
    "lineitem": "l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount "
    "l_tax l_returnflag l_linestatus l_shipdate l_commitdate l_receiptdate l_shipinstruct "
    "l_shipmode l_comment",
    "orders": "o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk "
    "o_shippriority o_comment",
    "customer": "c_custkey c_name c_address c_nationkey c_phone c_acctbal c_mktsegment c_comment",
    "part": "p_partkey p_name p_mfgr p_brand p_type p_size p_container p_retailprice p_comment",
    "supplier": "s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment",
    "partsupp": "ps_partkey ps_suppkey ps_availqty ps_supplycost ps_comment",
    "nation": "n_nationkey n_name n_regionkey n_comment",
    "region": "r_regionkey r_name r_comment",
}


def resolve(parts: tuple[str, ...]) -> SourceTable:
    name = parts[-1]
    return SourceTable(name, name, name, tuple((c, "string") for c in TABLES[name].split()))


def test_there_are_22_queries() -> None:
    assert len(QUERIES) == 22


@pytest.mark.parametrize("file", QUERIES, ids=lambda file: file.stem)
def test_a_query_has_no_cross_product(file: Path) -> None:
    qualified = qualify(file.read_text(encoding="utf-8"), resolve)
    names = tuple(f"c{at}" for at in range(qualified.width))
    tree = simplify(bind(qualified, names)).tree
    for node in nodes_of(tree):
        if isinstance(node, Join) and node.kind is JoinKind.INNER and node.condition is None:
            assert is_one_row(node.left) or is_one_row(node.right), outline(node)
