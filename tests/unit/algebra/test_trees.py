"""Every construct becomes the tree that its file shows, and ids in a tree are unique."""

from __future__ import annotations

import pytest
from tests.algebra_trees import read_cases, tree_of

from headwater.algebra.expressions import references
from headwater.algebra.nodes import Node, Project, columns_of, inputs_of
from headwater.algebra.outline import outline
from headwater.algebra.walk import nodes_of, scalars_of

CASES = read_cases()


@pytest.mark.parametrize("name", CASES)
def test_a_query_becomes_its_tree(name: str) -> None:
    _, query = tree_of(CASES[name].text)
    assert outline(query.tree) == CASES[name].tree


@pytest.mark.parametrize("name", CASES)
def test_a_node_reads_only_columns_of_its_inputs(name: str) -> None:
    _, query = tree_of(CASES[name].text)
    for node in nodes_of(query.tree):
        given = [id for inner in inputs_of(node) for id in columns_of(inner)]
        assert len(set(given)) == len(given), f"{outline(node)}\nmixes up {given}"
        for scalar in scalars_of(node):
            assert references(scalar) <= set(given), outline(node)


@pytest.mark.parametrize("name", CASES)
def test_no_two_nodes_make_a_column_of_one_id(name: str) -> None:
    _, query = tree_of(CASES[name].text)
    made = [id for node in nodes_of(query.tree) for id in _made(node)]
    assert len(set(made)) == len(made)


def _made(node: Node) -> list[str]:
    """Columns that are not simply handed on."""
    below = {id for inner in inputs_of(node) for id in columns_of(inner)}
    if isinstance(node, Project):
        return [o.id for o in node.outputs if o.id not in below]
    return [id for id in columns_of(node) if id not in below]
