"""What in a text reaches further than the objects it names: code, paths, settings.

Only who is trusted with code may write it. When in doubt it is for a higher role.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from headwater.sql.roles import Role
from headwater.sql.settings import TIME_ZONE_KEY
from headwater.sql.tokens import Token, tokenize

# Spark calls any static method of Java by these.
_CODE = frozenset(("reflect", "java_method", "try_reflect"))
# IDENTIFIER('..') makes a name out of a text, so that nobody can tell what is read.
_HIDDEN_NAMES = frozenset(("identifier",))
_FREE_SETTINGS = frozenset(("query_tag", "priority", TIME_ZONE_KEY, "spark.sql.shuffle.partitions"))
_FREE_PREFIXES = ("cz.", "dt.args.")


def role_of_setting(key: str) -> Role:
    """Spark's settings can change how a text is read, and what is loaded into the process."""
    free = key.lower() in _FREE_SETTINGS or key in _FREE_SETTINGS or key.startswith(_FREE_PREFIXES)
    return Role.VIEWER if free else Role.DEVELOPER


def role_of_text(tokens: Sequence[Token]) -> Role:
    """The role that may write a query, by the code and paths in it."""
    role = Role.VIEWER
    for token, after in pairwise(tokens):
        called = after.kind == "symbol" and after.text == "(" and token.is_name
        if called and token.value.lower() in _CODE | _HIDDEN_NAMES:
            role = max(role, Role.DEVELOPER, key=lambda r: r.rank)
        elif token.upper == "USING" and after.kind == "string":
            # TRANSFORM, MAP and REDUCE run a program.
            role = max(role, Role.DEVELOPER, key=lambda r: r.rank)
        elif token.upper == "DIRECTORY" and after.kind == "string":
            role = Role.ADMIN
    return role


def role_of_command(text: str) -> Role:
    """The role for a command of Spark's that concerns a session."""
    words = [token.upper for token in tokenize(text)]
    if words[0] in ("CACHE", "UNCACHE", "CLEAR"):
        return Role.OPERATOR  # the memory is everybody's
    if words[0] != "CREATE":
        return Role.VIEWER
    before = words[: words.index("AS")] if "AS" in words else words
    if "USING" in before and "VIEW" in before:
        return Role.ADMIN  # CREATE TEMPORARY VIEW v USING csv OPTIONS (path '..')
    if "GLOBAL" in before or "FUNCTION" in before:
        return Role.DEVELOPER
    return Role.VIEWER
