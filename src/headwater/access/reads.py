"""What a text reads and writes, for the decision: found twice, by its words and by its grammar.

The words find what the rest of Headwater finds, relations of our own among them. The grammar, that
of sqlglot, finds names where the words see none, and knows how far the name of a common table
expression reaches: `SELECT * FROM t WHERE 1 IN (WITH t AS ..)` reads the table t. What neither can
read is refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from headwater.access.code_in_text import role_of_text
from headwater.errors import Span, UserError
from headwater.names import ObjectName
from headwater.sql.dialect import Headwater
from headwater.sql.edits import Edit, apply_edits
from headwater.sql.function_calls import find_function_calls
from headwater.sql.own_relations import OwnRelation
from headwater.sql.presigned_urls import find_presigned_urls
from headwater.sql.read_kafka import ReadKafka
from headwater.sql.relations import Relations, find_relations
from headwater.sql.roles import Role
from headwater.sql.tokens import Token, tokenize
from headwater.sql.volume_refs import VolumeRef

_OURS = "__headwater_own"
_EXPLAINED = ("EXTENDED", "FORMATTED", "CODEGEN", "COST")
# A text without any of these names no relation.
_RELATION_WORDS = frozenset(
    "SELECT FROM JOIN TABLE INTO OVERWRITE UPDATE DELETE MERGE INSERT USING".split()
)


@dataclass(frozen=True, slots=True)
class ReadName:
    """A name where a relation stands; `certain` unless only one of the two ways found it."""

    name: ObjectName
    span: Span | None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Reads:
    """All that a text touches."""

    role: Role
    reads: tuple[ReadName, ...]
    writes: tuple[ReadName, ...]
    own: tuple[OwnRelation, ...]
    volumes: tuple[VolumeRef, ...]
    """Those whose files get addresses: GET_PRESIGNED_URL."""
    statements: tuple[str, ...]
    calls: tuple[ObjectName, ...]


def reads_of(text: str) -> Reads:
    """What `text` touches; ACCESS_UNCLEAR when that cannot be told."""
    tokens = tokenize(text)
    found = find_relations(text, tokens)
    signed = find_presigned_urls(text, tokens)
    urls = tuple(Edit(url.volume.span, "NULL") for url in signed if url.volume.span is not None)
    by_grammar = _by_grammar(text, tokens, found, urls)
    read = [r for r in found.named if r.role == "read"]
    written = Counter(r.name for r in found.named if r.role == "write")
    # The grammar names targets, too: what it names more often than it is written is read.
    beside = (by_grammar - written).keys() - {r.name for r in read}
    role = role_of_text(tokens)
    if any(isinstance(own.relation, ReadKafka) for own in found.own) and role is Role.VIEWER:
        role = Role.DEVELOPER
    return Reads(
        role=role,
        reads=(
            *(ReadName(r.name, r.span, _is_certain(r.name, by_grammar)) for r in read),
            *(ReadName(name, None, False) for name in sorted(beside, key=str)),
        ),
        writes=tuple(ReadName(r.name, r.span) for r in found.named if r.role == "write"),
        own=tuple(own.relation for own in found.own),
        volumes=tuple(url.volume for url in signed),
        statements=tuple(statement.text for statement in found.statements),
        calls=tuple(call.name for call in find_function_calls(tokens)),
    )


def _is_certain(name: ObjectName, by_grammar: Counter[ObjectName]) -> bool:
    return name in by_grammar or name.schema is not None


def _by_grammar(
    text: str, tokens: list[Token], found: Relations, urls: tuple[Edit, ...]
) -> Counter[ObjectName]:
    """How often each name stands where a relation can."""
    if not _RELATION_WORDS & {token.upper for token in tokens}:
        return Counter()
    spans = [*(own.span for own in found.own), *(inner.span for inner in found.statements)]
    ours = [Edit(span, _OURS) for span in spans]
    edited = apply_edits(text, [*ours, *urls, *_left_out(tokens)]).text
    try:
        tree = parse_one(edited, dialect=Headwater)
    except SqlglotError as error:
        raise UserError("ACCESS_UNCLEAR", problem=str(error).split("\n")[0]) from None
    if tree.find(exp.Command) is not None:
        raise UserError("ACCESS_UNCLEAR", problem="its grammar is not known here")
    tables = [table for table in tree.find_all(exp.Table) if isinstance(table.this, exp.Identifier)]
    made = _made(tree)
    names = [_name(t) for t in tables if t is not made and not _is_common(t)]
    return Counter(name for name in names if name.name != _OURS)


def _made(tree: exp.Expr) -> exp.Expr | None:
    """The name that a CREATE TEMPORARY .. gives: nothing of that name is read."""
    if not isinstance(tree, exp.Create):
        return None
    return tree.this.find(exp.Table) if isinstance(tree.this, exp.Expression) else None


def _left_out(tokens: list[Token]) -> list[Edit]:
    """Words that sqlglot does not know, and that name nothing."""
    words = [token.upper for token in tokens[:4]]
    if words[:1] == ["EXPLAIN"]:
        last = 1 if words[1] in _EXPLAINED else 0
        return [Edit(Span(tokens[0].start, tokens[last].end), "")]
    if words[:2] in (["DESC", "QUERY"], ["DESCRIBE", "QUERY"]):
        return [Edit(Span(tokens[0].start, tokens[1].end), "")]
    if words == ["MERGE", "WITH", "SCHEMA", "EVOLUTION"]:
        return [Edit(Span(tokens[1].start, tokens[3].end), "")]
    return []


def _name(table: exp.Table) -> ObjectName:
    parts = [part.name for part in table.parts]
    if len(parts) > 3:
        problem = "a name has at most three parts: workspace.schema.name"
        raise UserError("SYNTAX_ERROR", problem=problem)
    return ObjectName.of(*parts)


def _is_common(table: exp.Table) -> bool:
    """Whether a name is that of a common table expression that it can see."""
    if table.db:
        return False
    below: exp.Expr = table
    inside: exp.CTE | None = None
    node = table.parent
    while node is not None:
        if isinstance(below, exp.CTE):
            inside = below
        clause = node.args.get("with_")
        if isinstance(clause, exp.With):
            own = inside if below is clause else None
            if table.name.lower() in _visible(clause, own):
                return True
        below, node = node, node.parent
    return False


def _visible(clause: exp.With, inside: exp.CTE | None) -> set[str]:
    """The names that can be used behind a WITH, or inside one of its own queries."""
    known: set[str] = set()
    for common in clause.expressions:
        name = str(common.alias).lower()
        if common is inside:
            return {*known, name} if clause.recursive else known
        known.add(name)
    return known
