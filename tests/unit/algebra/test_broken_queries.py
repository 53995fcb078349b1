"""Whatever stands in a query, it becomes a tree or is refused: nothing else is raised."""

from __future__ import annotations

import random

import pytest
from tests.algebra_trees import NoTable, read_cases, tree_of

from headwater.algebra.binding import NotIncremental
from headwater.algebra.dialect import QueryDialect

CASES = read_cases()
TRIES = 3


@pytest.mark.parametrize("name", CASES)
def test_a_query_with_words_moved_about_is_refused_or_read(name: str) -> None:
    for seed in range(TRIES):
        text = _broken(CASES[name].text, random.Random(f"{name} {seed}"))
        try:
            tree_of(text)
        except (NotIncremental, NoTable):
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {text}") from error


def _broken(text: str, choose: random.Random) -> str:
    """The text with some of its words taken out, doubled or exchanged."""
    tokens = QueryDialect().tokenize(text)
    words = [text[token.start : token.end + 1] for token in tokens]
    for _ in range(choose.randint(1, 3)):
        at = choose.randrange(len(words))
        match choose.randrange(3):
            case 0 if len(words) > 1:
                del words[at]
            case 1:
                words.insert(at, choose.choice(words))
            case _:
                words[at] = choose.choice(words)
    return " ".join(words)
