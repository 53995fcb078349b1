"""GRANT and REVOKE from the fields of a form. Pure.

Law: whatever stands in a field is one name or one word of the statement, never more.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.errors import UserError
from headwater.names import show_identifier
from headwater.sql.privileges import Privilege
from headwater.sql.roles import Role
from headwater.sql.tokens import tokenize

KINDS = (
    "TABLE",
    "VIEW",
    "DYNAMIC TABLE",
    "MATERIALIZED VIEW",
    "TABLE STREAM",
    "SCHEMA",
    "VOLUME",
    "PIPE",
    "FUNCTION",
    "CONNECTION",
    "VCLUSTER",
)
_MOST_PARTS = 3


def grant_text(values: Mapping[str, str]) -> str:
    """The GRANT that a form stands for.

    >>> grant_text({"privilege": "SELECT", "kind": "TABLE", "object": "public.orders",
    ...     "grantee_kind": "USER", "grantee": "ann", "option": "yes"})
    'GRANT SELECT ON TABLE public.orders TO USER ann WITH GRANT OPTION'
    """
    option = " WITH GRANT OPTION" if values.get("option") == "yes" else ""
    return f"GRANT {_what(values)} TO {_whom(values)}{option}"


def revoke_text(values: Mapping[str, str]) -> str:
    """The REVOKE that a form stands for."""
    return f"REVOKE {_what(values)} FROM {_whom(values)}"


def object_text(typed: str) -> str:
    """A name of up to three parts, each quoted where it must be; other text is one quoted name.

    >>> object_text("public.orders"), object_text("a; DROP TABLE b"), object_text("`x y`.z")
    ('public.orders', '`a; DROP TABLE b`', '`x y`.z')
    """
    try:
        tokens = [token for token in tokenize(typed) if token.text]
    except UserError:
        return show_identifier(typed)
    names, dots = tokens[::2], tokens[1::2]
    plain = all(token.is_name for token in names) and all(token.text == "." for token in dots)
    if not names or not plain or len(tokens) % 2 == 0 or len(names) > _MOST_PARTS:
        return show_identifier(typed)
    return typed.strip()


def _what(values: Mapping[str, str]) -> str:
    privilege = Privilege(values["privilege"]).value
    kind = values["kind"] if values["kind"] in KINDS else KINDS[0]
    return f"{privilege} ON {kind} {object_text(values['object'])}"


def _whom(values: Mapping[str, str]) -> str:
    if values["grantee_kind"] == "ROLE":
        known = [role.value for role in Role]
        name = values["grantee"]
        return f"ROLE {name if name in known else show_identifier(name)}"
    return f"USER {show_identifier(values['grantee'])}"
