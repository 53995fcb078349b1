"""The loop of the schedule over sessions: each refresh runs as a job of the table's owner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.catalog.dynamic_tables import Refresh
from headwater.catalog.schedules import ScheduledTable
from headwater.errors import InternalError
from headwater.names import ObjectName
from headwater.refresh.pins import WavePins
from headwater.runtime.open_lake import OpenLake
from headwater.session import Session
from headwater.session_pool import SessionPool
from headwater.sql.dynamic_tables import RefreshDynamicTable
from headwater.sql.privileges import Securable
from headwater.sql.refreshed_kinds import RefreshedKind
from headwater.statements.owner_rights import owner_of

_LOOKED_AT = 5
_DEFAULT_CLUSTER = "DEFAULT"


@dataclass(slots=True)
class RefreshSessions:
    """Sessions for refreshes; they have the settings of the lake and no others."""

    lake: OpenLake
    tell: Callable[[ScheduledTable, str], None] = lambda table, message: None
    _pool: SessionPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = SessionPool(self.lake)

    def run(self, table: ScheduledTable, pins: WavePins) -> Refresh:
        """Refresh a table at the versions of its wave."""
        name = ObjectName(table.name.name, table.name.schema, table.name.workspace)
        stored = self.lake.store.tables.get_by_id(table.id)
        # One that is gone is refused by its statement.
        words = stored.kind.words if stored is not None else RefreshedKind.DYNAMIC_TABLE
        text = RefreshDynamicTable(name, kind=RefreshedKind(words)).to_sql()
        with self._pool.session(table.id) as session:
            _dress(session, table)
            result = session.run(text, wave=pins)
        self.tell(table, result.message or "")
        for refresh in self.lake.store.refreshes.list(table_id=table.id, limit=_LOOKED_AT):
            if refresh.job_id == result.job_id:
                return refresh
        raise InternalError("BUG", problem=f"the refresh of {table.name} is not in the history")

    def cancel(self) -> None:
        """Cancel the refreshes that run now."""
        self._pool.cancel()

    def close(self) -> None:
        """Give all sessions back."""
        self._pool.close()


def _dress(session: Session, table: ScheduledTable) -> None:
    """Make a session the table's: its names, its owner, its tag, its virtual cluster."""
    name, state = table.name, session.state
    stored = state.lake.store.tables.get_by_id(table.id)
    if stored is not None:
        store, creator = state.lake.store, stored.creator
        state.become(owner_of(store, Securable.TABLE, name, creator=creator))
    state.workspace, state.schema = name.workspace, name.schema
    named = table.schedule.vcluster if table.schedule is not None else None
    state.vcluster = named or _DEFAULT_CLUSTER
    state.settings["query_tag"] = f"refresh.{name.workspace}.{name.schema}.{name.name}"
