"""Parameters of queries: found in the text, put in as texts, refused where they cannot be meant."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.session_configs import (
    find_parameters,
    given_parameters,
    parameter_keys,
    with_parameters,
)
from headwater.sql.tokens import tokenize

TEXT = "SELECT session_configs()['dt.args.x'] AS x, CAST(SESSION_CONFIGS( ) ['dt.args.y'] AS INT)"


def test_every_mention_is_found_with_its_place() -> None:
    found = find_parameters(tokenize(TEXT))
    assert [one.key for one in found] == ["dt.args.x", "dt.args.y"]
    pieces = [TEXT[one.span.start : one.span.end] for one in found]
    assert pieces == ["session_configs()['dt.args.x']", "SESSION_CONFIGS( ) ['dt.args.y']"]


def test_keys_are_named_once_however_many_texts_read_them() -> None:
    assert parameter_keys(TEXT, TEXT, "SELECT 1") == ("dt.args.x", "dt.args.y")


def test_values_are_texts_whatever_they_hold_and_what_is_not_set_is_null() -> None:
    filled = with_parameters(TEXT, {"dt.args.x": "it's \\ 1"})
    assert filled.text == ("SELECT 'it\\'s \\\\ 1' AS x, CAST(CAST(NULL AS STRING) AS INT)")


def test_a_value_cannot_become_part_of_the_query() -> None:
    attack = "x' OR '1' = '1"
    filled = with_parameters("SELECT SESSION_CONFIGS()['dt.args.x']", {"dt.args.x": attack})
    assert [token.value for token in tokenize(filled.text)][1:] == [attack, ""]


@pytest.mark.parametrize(
    "text",
    ["SELECT 'SESSION_CONFIGS()[1]' AS a", "SELECT t.session_configs(1)", "SELECT session_configs"],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find_parameters(tokenize(text)) == ()


@pytest.mark.parametrize(
    ("text", "condition", "at"),
    [
        ("SELECT SESSION_CONFIGS()", "SESSION_CONFIGS_KEY", "SESSION_CONFIGS()"),
        ("SELECT SESSION_CONFIGS('dt.args.x', 1)", "SESSION_CONFIGS_KEY", "SESSION_CONFIGS('"),
        ("SELECT SESSION_CONFIGS()[x]", "SESSION_CONFIGS_KEY", "SESSION_CONFIGS()"),
        ("SELECT SESSION_CONFIGS()['dt.args.']", "PARAMETER_NAME", "'dt.args.'"),
        ("SELECT SESSION_CONFIGS()['fs.s3a.secret.key']", "PARAMETER_NAME", "'fs.s3a"),
    ],
)
def test_other_settings_and_other_forms_are_refused(text: str, condition: str, at: str) -> None:
    with pytest.raises(UserError) as caught:
        find_parameters(tokenize(text))
    assert caught.value.condition == condition
    assert caught.value.span is not None
    assert text[caught.value.span.start :].startswith(at)


def test_only_parameters_are_taken_from_the_settings_of_a_session() -> None:
    assert given_parameters({"dt.args.x": "1", "cz.x": "2"}) == {"dt.args.x": "1"}
