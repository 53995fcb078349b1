"""Statements about users, tokens and alerts from forms."""

from __future__ import annotations

import pytest

from headwater.sql.alerts import CreateAlert
from headwater.sql.masking import mask
from headwater.sql.parse import parse
from headwater.sql.users import AlterUser, CreateUser, DropUser
from headwater.studio import user_texts as texts

_HOSTILE = ("x' ROLE admin --", "it's; DROP USER ann", "\\", "<script>", "a\nb")


@pytest.mark.parametrize("typed", _HOSTILE)
def test_a_password_is_a_literal_and_is_covered(typed: str) -> None:
    text = texts.create_user_text(
        {"name": "ann", "password": f"{typed} long enough", "role": "viewer"}
    )
    made = parse(text)
    assert isinstance(made, CreateUser)
    assert (made.name, made.password, made.role) == ("ann", f"{typed} long enough", "viewer")
    assert f"{typed} long enough" not in mask(text)
    changed = parse(texts.set_password_text({"name": "ann", "password": f"{typed} long enough"}))
    assert isinstance(changed, AlterUser)
    assert changed.password == f"{typed} long enough"


def test_users_with_signs_in_their_names() -> None:
    name = {"name": "ann@example.com"}
    dropped = parse(texts.drop_user_text(name))
    assert isinstance(dropped, DropUser)
    assert dropped.name == "ann@example.com"
    disabled = parse(texts.set_disabled_text(name | {"disabled": "disabled"}))
    assert isinstance(disabled, AlterUser)
    assert disabled.disabled is True
    role = parse(texts.set_role_text(name | {"role": "operator"}))
    assert isinstance(role, AlterUser)
    assert role.role == "operator"


def test_a_role_that_is_none_is_no_part_of_a_statement() -> None:
    with pytest.raises(ValueError, match="admin; DROP"):
        texts.set_role_text({"name": "ann", "role": "admin; DROP USER bob"})


def test_tokens() -> None:
    values = {"name": "ci", "user": "ann", "role": texts.NO_ROLE, "days": ""}
    assert texts.create_token_text(values) == "CREATE TOKEN ci FOR USER ann"
    capped = texts.create_token_text(values | {"role": "viewer", "days": "30"})
    assert capped == "CREATE TOKEN ci FOR USER ann ROLE viewer EXPIRES IN 30 DAYS"
    parse(capped)
    assert texts.drop_token_text("studio-1", "ann") == "DROP TOKEN `studio-1` FOR USER ann"


@pytest.mark.parametrize("watched", texts.WATCHED)
def test_every_kind_of_alert_gives_a_statement_whose_address_is_covered(watched: str) -> None:
    values = {
        "name": "late",
        "watched": watched,
        "object": "public.d",
        "minutes": "5",
        "address": "jsons://user:hidden@host/path",
    }
    text = texts.create_alert_text(values)
    assert isinstance(parse(text), CreateAlert)
    assert "hidden" not in mask(text)
