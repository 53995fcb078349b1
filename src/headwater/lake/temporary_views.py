"""Temporary views that live for one statement, made and dropped without Spark's commands.

Spark makes a temporary view by a command: it analyses a plan that is analysed, and tells its
listeners. It drops one by looking for copies in memory. For small data that takes longer than
reading it, and a view of ours needs neither.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from headwater.lake.in_jvm.classes import in_jvm

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MODEL = "__headwater_model"


class TemporaryViews:
    """The views of one session."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def create(self, name: str, frame: DataFrame) -> None:
        """Let SQL read a data frame under a name."""
        views = in_jvm(self._session, "Views")
        views.create(self._session._jsparkSession, self._model, name, frame._jdf)

    def drop(self, name: str) -> None:
        """Forget a name; there may be none."""
        self._catalog.dropTempView(name)

    # Every step of these chains is a call to the JVM, so they are taken once.

    @cached_property
    def _catalog(self) -> Any:
        return self._session._jsparkSession.sessionState().catalog()

    @cached_property
    def _model(self) -> Any:
        """What Spark writes down about a view of a plan."""
        self._session.range(0).createOrReplaceTempView(_MODEL)
        found = self._catalog.getRawTempView(_MODEL).get().tableMeta()
        self.drop(_MODEL)
        return found
