"""The versions that a wave reads, taken when it begins."""

from __future__ import annotations

from contextlib import suppress

from headwater.catalog.objects import TableState
from headwater.errors import HeadwaterError
from headwater.refresh.pins import WavePins
from headwater.runtime.open_lake import OpenLake
from headwater.schedule.waves import Wave
from headwater.tables.versions import catch_up


def pin_wave(lake: OpenLake, wave: Wave) -> WavePins:
    """Every source of the wave at its version of now.

    Those that the wave itself refreshes get a new version before anything of the wave reads them.
    """
    pins = WavePins(wave.at)
    for source in dict.fromkeys(source for table in wave.tables for source in table.sources):
        table = lake.store.tables.get_by_id(source)
        if table is None or not table.kind.stores_rows:
            continue
        if table.state is TableState.ACTIVE:
            # A log that cannot be read is for the refreshes to say that need it.
            with suppress(HeadwaterError):
                pins.versions[source] = catch_up(lake, table).shape.delta_version
    return pins
