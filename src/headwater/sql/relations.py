"""Finding the relations a text reads or writes, with their places, from its tokens alone.

Only what stands where a relation can stand counts: after FROM, JOIN, INTO, USING, UPDATE and so on,
never a column that happens to have a table's name. Names of common table expressions are left out.
The rest of the text stays unread, so this works for everything Spark's grammar allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import Span, UserError
from headwater.names import ObjectName
from headwater.sql.file_formats import FileFormat
from headwater.sql.own_relations import OwnRelation, take_own_relation
from headwater.sql.tokens import Token
from headwater.sql.volume_refs import VolumeKind, volume_kind_at

_STARTS_QUERY = ("SELECT", "WITH", "VALUES", "FROM", "TABLE", "MAP", "REDUCE")
# FROM inside these functions separates arguments: extract(year FROM d), trim(both FROM s).
_FROM_FUNCTIONS = ("EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "OVERLAY", "POSITION")
# Words that end a FROM clause, so that a later comma separates something else.
_ENDS_FROM = frozenset(
    "WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET WINDOW QUALIFY UNION INTERSECT"
    " EXCEPT MINUS SELECT SET WHEN ON LATERAL PIVOT UNPIVOT".split()
)
_ENDS_EXPRESSION = _ENDS_FROM | frozenset(
    "JOIN INNER LEFT RIGHT FULL CROSS NATURAL AS TABLESAMPLE USING ANTI SEMI".split()
)
_STATEMENTS = ("SHOW", "DESC", "DESCRIBE")
_NEVER_NAMES = frozenset(("SELECT", "VALUES", "LATERAL", "WITH", "SHOW", "WHERE", "SET"))


@dataclass(frozen=True, slots=True)
class TimeTravel:
    """`TIMESTAMP AS OF <expression>` or `VERSION AS OF <expression>` behind a relation's name."""

    unit: str
    expression: str
    span: Span
    """From the first word (TIMESTAMP, VERSION or FOR) to the end of the expression."""
    expression_span: Span


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation by name; `role` is 'read', or 'write' for the target of a DML statement."""

    name: ObjectName
    span: Span
    role: str = "read"
    time_travel: TimeTravel | None = None
    aliased: bool = False
    """Whether the text gives it another name, so that a replacement needs none."""


@dataclass(frozen=True, slots=True)
class StatementRelation:
    """`(SHOW ..)`, `(DESC ..)` or `(LIST ..)` as a relation; `span` includes the parentheses."""

    text: str
    span: Span
    text_start: int = 0
    """Where `text` stands in the whole statement."""


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation of our own language; an alias behind it is not a part of `span`."""

    relation: OwnRelation
    span: Span
    aliased: bool = False
    """Whether the text gives it a name, so that a replacement needs none."""


@dataclass(frozen=True, slots=True)
class Relations:
    """What was found, in the order of the text."""

    named: tuple[Relation, ...] = ()
    statements: tuple[StatementRelation, ...] = ()
    own: tuple[FoundRelation, ...] = ()


@dataclass(slots=True)
class _Level:
    """One level of parentheses."""

    in_from: bool = False
    from_is_relation: bool = True


@dataclass(slots=True)
class _Scan:
    text: str
    tokens: list[Token]
    place: int = 0
    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    named: list[Relation] = field(default_factory=list)
    statements: list[StatementRelation] = field(default_factory=list)
    own: list[FoundRelation] = field(default_factory=list)

    def at(self, ahead: int) -> Token:
        return self.tokens[max(0, min(self.place + ahead, len(self.tokens) - 1))]

    def symbol(self, text: str, ahead: int = 0) -> bool:
        token = self.at(ahead)
        return token.kind == "symbol" and token.text == text


def find_relations(text: str, tokens: list[Token]) -> Relations:
    """The relations of `text`."""
    scan = _Scan(text, tokens)
    ctes = _cte_names(tokens)
    while scan.at(0).kind != "end":
        _step(scan)
    named = tuple(r for r in scan.named if not _is_cte(r, ctes))
    return Relations(named, tuple(scan.statements), tuple(scan.own))


def _is_cte(relation: Relation, ctes: frozenset[str]) -> bool:
    return relation.role == "read" and relation.name.schema is None and relation.name.name in ctes


def _cte_names(tokens: list[Token]) -> frozenset[str]:
    """Every `name [(columns)] AS (` of a text that has a WITH."""
    if not any(token.upper == "WITH" for token in tokens):
        return frozenset()
    names = set()
    for place, token in enumerate(tokens[:-2]):
        if not token.is_name:
            continue
        after = place + 1
        if tokens[after].text == "(":
            after = _after_parentheses(tokens, after)
        if (
            after + 1 < len(tokens)
            and tokens[after].upper == "AS"
            and tokens[after + 1].text == "("
        ):
            names.add(token.value.lower())
    return frozenset(names)


def _after_parentheses(tokens: list[Token], place: int) -> int:
    depth = 0
    while place < len(tokens) - 1:
        depth += (tokens[place].text == "(") - (tokens[place].text == ")")
        place += 1
        if depth == 0:
            break
    return place


def _step(scan: _Scan) -> None:
    token, level = scan.at(0), scan.levels[-1]
    if scan.symbol("("):
        before = scan.at(-1).upper if scan.place else ""
        scan.levels.append(_Level(from_is_relation=before not in _FROM_FUNCTIONS))
        scan.place += 1
    elif scan.symbol(")"):
        if len(scan.levels) > 1:
            scan.levels.pop()
        scan.place += 1
    elif scan.symbol(",") and level.in_from:
        scan.place += 1
        _relation(scan)
    elif token.kind == "word":
        _word(scan, token.upper, level)
    else:
        scan.place += 1


def _word(scan: _Scan, word: str, level: _Level) -> None:
    # `a.from` or `x.table` is a column, not a clause.
    if scan.place and scan.symbol(".", -1):
        scan.place += 1
        return
    before = scan.at(-1).upper if scan.place else ""
    scan.place += 1
    if word == "FROM" and level.from_is_relation and before != "DISTINCT":
        level.in_from = True
        _relation(scan, role="write" if before == "DELETE" else "read")
    elif word == "JOIN":
        level.in_from = True
        _relation(scan)
    elif word == "USING" and not scan.symbol("("):
        _relation(scan)
    elif word == "USING" and scan.at(1).upper in _STARTS_QUERY:
        _relation(scan)
    elif word in ("INTO", "OVERWRITE") and before in ("INSERT", "MERGE", "OVERWRITE", "EVOLUTION"):
        _target(scan)
    elif word == "UPDATE" and scan.place == 1:
        _target(scan)
    elif word == "TABLE" and _at_table_volume(scan):
        scan.place += 1
    elif word == "TABLE" and before in ("", "(", "AS", "ALL", "CACHE", "UNCACHE"):
        _relation(scan)
    elif word in _ENDS_FROM:
        # `ON a = b, c`: a comma after a join condition still belongs to the FROM clause.
        level.in_from = level.in_from and word == "ON"


def _at_table_volume(scan: _Scan) -> bool:
    """`GET_PRESIGNED_URL(TABLE VOLUME t, ..)`: neither `volume` nor `t` is read as a table."""
    return volume_kind_at(scan.tokens, scan.place - 1) is VolumeKind.TABLE


def _target(scan: _Scan) -> None:
    if scan.at(0).upper == "INTO":
        scan.place += 1
    if scan.at(0).upper == "TABLE" and scan.at(1).is_name:
        scan.place += 1
    _relation(scan, role="write")


def _relation(scan: _Scan, role: str = "read") -> None:
    """Take the relation that starts here, if one does."""
    if scan.symbol("("):
        _parenthesised(scan)
        return
    if role == "read" and _own_relation(scan):
        return
    token = scan.at(0)
    if not token.is_name or (token.kind == "word" and token.upper in _NEVER_NAMES):
        return
    start = token.start
    parts = [token.value]
    scan.place += 1
    while scan.symbol(".") and scan.at(1).is_name:
        parts.append(scan.at(1).value)
        scan.place += 2
    span = Span(start, scan.at(-1).end)
    if scan.symbol("(") and role == "read":
        return  # a table function; its arguments are scanned like any other parentheses
    if len(parts) > 3:
        problem = "a name has at most three parts: workspace.schema.name"
        raise UserError("SYNTAX_ERROR", problem=problem, span=span)
    travel = _time_travel(scan)
    aliased = _at_alias(scan.at(0))
    if role == "read":
        _require_no_format(scan, parts)
    scan.named.append(Relation(ObjectName.of(*parts), span, role, travel, aliased))


def _require_no_format(scan: _Scan, parts: list[str]) -> None:
    """`FROM v USING CSV` and `FROM VOLUME v a USING CSV`: what reads files, in a wrong order."""
    is_volume = parts[0].upper() == "VOLUME" and scan.at(0).is_name
    for ahead in range(7 if is_volume else 2):
        word, behind = scan.at(ahead), scan.at(ahead + 1)
        if word.upper != "USING":
            if not (word.is_name or word.text == "."):
                return
            continue
        if behind.upper in [*FileFormat]:
            name = ".".join(parts)
            hint = f"write FROM VOLUME {name} USING {behind.upper}"
            if is_volume:
                hint = f"a name for it comes last: FROM VOLUME <v> USING {behind.upper} .. AS <a>"
            problem = f"USING {behind.upper} belongs right behind a volume"
            raise UserError("SYNTAX_ERROR", problem=problem, span=word.span, hint=hint)
        return


def _own_relation(scan: _Scan) -> bool:
    """Take the relation of our own language that starts here, if one does."""
    taken = take_own_relation(scan.text, scan.tokens, scan.place)
    if taken is None:
        return False
    relation, behind = taken
    span = Span(scan.at(0).start, scan.tokens[behind - 1].end)
    scan.place = behind
    scan.own.append(FoundRelation(relation, span, _at_alias(scan.at(0))))
    return True


def _at_alias(token: Token) -> bool:
    return token.upper == "AS" or (token.is_name and token.upper not in _ENDS_EXPRESSION)


def _parenthesised(scan: _Scan) -> None:
    inner = scan.at(1).upper
    if inner in _STATEMENTS or _at_list(scan):
        start = scan.place
        end = _after_parentheses(scan.tokens, start)
        inner_start = scan.tokens[start + 1].start
        if scan.tokens[end - 1].text != ")":
            raise UserError(
                "SYNTAX_ERROR",
                problem="this parenthesis is never closed",
                span=scan.tokens[start].span,
            )
        text = scan.text[inner_start : scan.tokens[end - 2].end]
        span = Span(scan.tokens[start].start, scan.tokens[end - 1].end)
        scan.statements.append(StatementRelation(text, span, inner_start))
        scan.place = end
        return
    is_query = inner in _STARTS_QUERY and not _at_table_relation(scan)
    scan.levels.append(_Level(in_from=not is_query))
    scan.place += 1
    if not is_query:
        _relation(scan)


def _at_table_relation(scan: _Scan) -> bool:
    """`(TABLE(f()) ..` and `(TABLE VOLUME t ..` start with a relation, `(TABLE t)` is a query."""
    if scan.at(1).upper != "TABLE":
        return False
    return scan.symbol("(", 2) or volume_kind_at(scan.tokens, scan.place + 1) is VolumeKind.TABLE


def _at_list(scan: _Scan) -> bool:
    """`(LIST VOLUME v ..)`; a table called `list` stands in parentheses without a volume."""
    if scan.at(1).upper != "LIST":
        return False
    return volume_kind_at(scan.tokens, scan.place + 2) is not None


def _time_travel(scan: _Scan) -> TimeTravel | None:
    start = scan.at(0).start
    skip = 1 if scan.at(0).upper == "FOR" else 0
    unit = {"SYSTEM_TIME": "TIMESTAMP", "SYSTEM_VERSION": "VERSION"}.get(
        scan.at(skip).upper, scan.at(skip).upper
    )
    words = (scan.at(skip + 1).upper, scan.at(skip + 2).upper)
    if unit not in ("TIMESTAMP", "VERSION") or words != ("AS", "OF"):
        return None
    scan.place += skip + 3
    expression_start = scan.at(0).start
    _skip_expression(scan)
    end = scan.at(-1).end
    return TimeTravel(
        unit,
        scan.text[expression_start:end],
        Span(start, end),
        Span(expression_start, end),
    )


def _skip_expression(scan: _Scan) -> None:
    """Move behind an expression: to a clause word, a comma, a closing parenthesis, or an alias.

    An alias is a name right after an operand: `'2024-01-01' t`. After INTERVAL units follow values,
    so a word that is a unit belongs to the expression.
    """
    depth = 0
    while scan.at(0).kind != "end":
        token = scan.at(0)
        if depth == 0:
            if token.text in (",", ")") or (token.upper in _ENDS_EXPRESSION):
                return
            if token.is_name and _is_alias(scan):
                return
        depth += (token.text == "(") - (token.text == ")")
        scan.place += 1


_UNITS = frozenset("YEAR MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND".split())
_OPENERS = frozenset(
    ("TIMESTAMP", "DATE", "INTERVAL", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "OF", "TO")
)


def _is_alias(scan: _Scan) -> bool:
    before, token = scan.at(-1), scan.at(0)
    if before.upper in _OPENERS or token.upper == "TO" or token.upper.rstrip("S") in _UNITS:
        return False
    return before.kind in ("string", "number", "word", "quoted") or before.text == ")"
