"""Between a statement and its handler: may this session do that.

Invariant: nothing is carried out, and Spark is not started, before the answer; a session of the
lake's owner, or of an admin, costs nothing. What somebody may not know of is answered as if it were
not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.access.decide import Allowed, Denied, NeedsRole, Requirement, Wanted, decide
from headwater.access.grants import Grant, Identity, Secured
from headwater.access.needs import Need, Reading, on_table, on_volume
from headwater.access.reads import ReadName, Reads, reads_of
from headwater.access.requirements import REQUIREMENTS
from headwater.catalog.objects import TableKind
from headwater.errors import Span, UserError
from headwater.names import ObjectName, QualifiedName, show_identifier
from headwater.sql.dynamic_tables import RefreshDynamicTable, VerifyDynamicTable
from headwater.sql.own_relations import (
    DirectoryRelation,
    LoadHistoryRelation,
    OwnRelation,
)
from headwater.sql.parse import Statement, parse
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role
from headwater.sql.table_changes import TableChanges
from headwater.sql.volume_relation import VolumeRelation
from headwater.statements.context import Context
from headwater.statements.exchange import ROLES as EXCHANGE_ROLES
from headwater.statements.missing_objects import missing
from headwater.statements.owner_rights import owner_identity
from headwater.tables.find import INFORMATION_SCHEMA

_MOST_NESTED_VIEWS = 50


def authorize(context: Context, statement: Statement) -> None:
    """Return if the session may run the statement; else ACCESS_DENIED, or as if it were missing."""
    identity = context.session.identity
    if identity.is_admin:
        return
    _check(context, identity).statement(statement)


@dataclass(frozen=True, slots=True)
class _Check:
    """One identity's statement, or a view of its: `workspace` and `schema` complete its names."""

    context: Context
    identity: Identity
    grants: Sequence[Grant]
    workspace: str
    schema: str
    depth: int = 0

    def statement(self, statement: Statement) -> None:
        rule = REQUIREMENTS[type(statement)]
        role = rule.role_of(statement, self.identity.user)
        if self.context.session.exchange is not None:
            role = EXCHANGE_ROLES.get(type(statement), role)
        self._role(role)
        for need in rule.needs(statement):
            self._need(need, self.context.span_of(need.name))
        for reading in rule.reads(statement):
            self.reading(reading)
        if isinstance(statement, RefreshDynamicTable | VerifyDynamicTable):
            self._refreshed(statement.name)

    def reading(self, reading: Reading) -> None:
        """Everything that a text reads and writes."""
        found = reads_of(reading.text)
        self._role(found.role)
        for name in found.reads:
            self._read(name)
        for name in found.writes:
            for privilege in reading.writes or (Privilege.SELECT,):
                self._need(on_table(privilege, name.name), self._span(name))
        self._other(found)

    def _other(self, found: Reads) -> None:
        for relation in found.own:
            for need in _own_needs(relation):
                self._need(need, None)
        for volume in found.volumes:
            for need in on_volume(Privilege.READ_VOLUME, volume):
                self._need(need, None)
        for text in found.statements:
            self.statement(parse(text))
        for call in found.calls:
            need = Need(Privilege.SELECT, Securable.FUNCTION, call, if_there=True)
            self._need(need, None)

    def _read(self, read: ReadName) -> None:
        name = read.name
        if name.schema == INFORMATION_SCHEMA or self._is_temporary(name):
            return
        need = on_table(Privilege.SELECT, name)
        secured = self._need(need, self._span(read), certain=read.certain)
        if secured is not None and secured.words == TableKind.VIEW.words:
            self._view(secured, name)

    def _is_temporary(self, name: ObjectName) -> bool:
        temporary = self.context.session.temporary_views
        return self.depth == 0 and name.schema is None and name.name in temporary

    def _span(self, read: ReadName) -> Span | None:
        return self.context.span_of(read.name) if self.depth == 0 else None

    def _view(self, secured: Secured, name: ObjectName) -> None:
        """A view reads with the rights of its owner: those are asked for, not the reader's."""
        if self.depth >= _MOST_NESTED_VIEWS:
            raise UserError("VIEW_NESTED_TOO_DEEPLY", view=secured.name)
        full = self._qualify(name)
        view = self.context.store.tables.get(full.workspace, full.schema, full.name)
        if view is not None and view.view_text is not None:
            inside = view.workspace, view.view_schema or view.schema
            self._as_owner(secured, view.view_text, *inside)

    def _refreshed(self, name: ObjectName) -> None:
        """A refresh reads with the rights of the table's owner."""
        full = self._qualify(name)
        secured = self.context.store.securables.find(Securable.TABLE, full)
        table = None
        if secured is not None:
            table = self.context.store.dynamic_tables.by_id(secured.id)
        if secured is not None and table is not None:
            self._as_owner(secured, table.query, table.query_workspace, table.query_schema)

    def _as_owner(self, secured: Secured, text: str, workspace: str, schema: str) -> None:
        store = self.context.store
        owner = owner_identity(store, secured.owner, f"{secured.words} {secured.name}")
        if owner.is_admin:
            return
        grants = store.grants.of(owner)
        inside = _Check(self.context, owner, grants, workspace, schema, self.depth + 1)
        inside.reading(Reading(text))

    def _role(self, role: Role) -> None:
        answer = decide(self.identity, Requirement(role), ())
        if not isinstance(answer, Allowed):
            raise self._denied(answer, None)

    def _need(self, need: Need, span: Span | None, *, certain: bool = True) -> Secured | None:
        """The object, if it is there and the privilege too."""
        store, full = self.context.store, self._qualify(need.name)
        if need.dropped:
            secured = store.securables.dropped(full)
        else:
            secured = store.securables.find(need.kind, full)
        if secured is None:
            # Who sees everything hears from the handler what is missing, and IF EXISTS works.
            passes = need.if_there or not certain or self._handler_says(need)
            if not passes:
                raise missing(need.kind, full, span)
            return None
        wanted = Wanted(need.privilege, secured, to_grant=need.to_grant)
        answer = decide(self.identity, Requirement(wanted=(wanted,)), self.grants)
        if isinstance(answer, Allowed):
            return secured
        if not isinstance(answer, NeedsRole) and answer.hidden:
            raise missing(need.kind, full, span)
        raise self._denied(answer, span)

    def _handler_says(self, need: Need) -> bool:
        reads_rows = need.privilege is Privilege.SELECT and need.kind is Securable.TABLE
        return self.identity.sees_all and not reads_rows

    def _qualify(self, name: ObjectName) -> QualifiedName:
        return name.qualified(workspace=self.workspace, schema=self.schema)

    def _denied(self, answer: Denied, span: Span | None) -> UserError:
        user = show_identifier(self.identity.user)
        if isinstance(answer, NeedsRole):
            needed = f"the role {answer.role}"
            ask = f"ALTER USER {user} SET ROLE {answer.role}"
        else:
            wanted = answer.wanted
            on = f"{wanted.on.words} {wanted.on.name}"
            option = " WITH GRANT OPTION" if wanted.to_grant else ""
            needed = f"{wanted.privilege}{option.lower() and ' with grant option'} on {on}"
            ask = f"GRANT {wanted.privilege} ON {on} TO USER {user}{option}"
        return UserError("ACCESS_DENIED", user=user, needed=needed, ask=ask, span=span)


def _check(context: Context, identity: Identity) -> _Check:
    session = context.session
    grants = context.store.grants.of(identity)
    return _Check(context, identity, grants, session.workspace, session.schema)


def _own_needs(relation: OwnRelation) -> tuple[Need, ...]:
    if isinstance(relation, VolumeRelation | DirectoryRelation):
        return on_volume(Privilege.READ_VOLUME, relation.volume)
    if isinstance(relation, TableChanges):
        return (on_table(Privilege.SELECT, relation.table),)
    if isinstance(relation, LoadHistoryRelation):
        return (on_table(Privilege.MONITOR, relation.table),)
    return ()
