"""Why a refresh was what it was: one of these words stands in the history and in EXPLAIN."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The first that holds, in this order, decides; the words are what users read."""

    FIRST_REFRESH = "FIRST_REFRESH"
    OVERTAKEN = "OVERTAKEN"
    QUERY_CHANGED = "QUERY_CHANGED"
    FULL_ASKED_FOR = "FULL_ASKED_FOR"
    SETTINGS_CHANGED = "SETTINGS_CHANGED"
    PARAMETERS_CHANGED = "PARAMETERS_CHANGED"
    FUNCTION_CHANGED = "FUNCTION_CHANGED"
    TABLE_CHANGED = "TABLE_CHANGED"
    SOURCE_REPLACED = "SOURCE_REPLACED"
    SOURCE_COLUMNS_CHANGED = "SOURCE_COLUMNS_CHANGED"
    HISTORY_GONE = "HISTORY_GONE"
    LISTED_SOURCE_CHANGED = "LISTED_SOURCE_CHANGED"
    SOURCE_CHANGED_MUCH = "SOURCE_CHANGED_MUCH"
    COLUMNS_ADDED = "COLUMNS_ADDED"
    STREAMS_EMPTY = "STREAMS_EMPTY"
    SOURCES_UNCHANGED = "SOURCES_UNCHANGED"
    NO_ROWS_CHANGED = "NO_ROWS_CHANGED"
    ONLY_DIMENSIONS_CHANGED = "ONLY_DIMENSIONS_CHANGED"
    MODE_FULL = "MODE_FULL"
    NOT_INCREMENTAL = "NOT_INCREMENTAL"
    DIMENSION_CHANGED = "DIMENSION_CHANGED"
    NOT_PROVEN = "NOT_PROVEN"
    CHEAPER_IN_FULL = "CHEAPER_IN_FULL"
    PLAN_FAILED = "PLAN_FAILED"
    ROWS_ADDED = "ROWS_ADDED"
    ROWS_CHANGED = "ROWS_CHANGED"
    DATE_CHANGED = "DATE_CHANGED"
    CHANGES_ADDED = "CHANGES_ADDED"

    @property
    def words(self) -> str:
        """The reason as a sentence goes on behind `because`."""
        return _WORDS[self]


_WORDS = {
    Reason.FIRST_REFRESH: "it is the first refresh",
    Reason.OVERTAKEN: "another refresh has read newer versions than this wave",
    Reason.QUERY_CHANGED: "the query was replaced",
    Reason.FULL_ASKED_FOR: "the session asks for full refreshes",
    Reason.SETTINGS_CHANGED: "a setting that changes results has another value",
    Reason.PARAMETERS_CHANGED: "a parameter has another value",
    Reason.FUNCTION_CHANGED: "a function that the query calls was replaced",
    Reason.TABLE_CHANGED: "the rows were changed by something else than a refresh",
    Reason.SOURCE_REPLACED: "a source was dropped and created again",
    Reason.SOURCE_COLUMNS_CHANGED: "columns of a source were changed",
    Reason.HISTORY_GONE: "the changes of a source are no longer there",
    Reason.LISTED_SOURCE_CHANGED: "a source changed whose changes ask for a full refresh",
    Reason.SOURCE_CHANGED_MUCH: "more of a source changed than the session allows",
    Reason.COLUMNS_ADDED: "the query passes on columns that the rows lack",
    Reason.STREAMS_EMPTY: "no change waits in a stream",
    Reason.SOURCES_UNCHANGED: "no source has a new version",
    Reason.NO_ROWS_CHANGED: "new versions of the sources changed no rows",
    Reason.ONLY_DIMENSIONS_CHANGED: "only dimension tables changed, which are not looked at",
    Reason.MODE_FULL: "REFRESH_MODE is FULL",
    Reason.NOT_INCREMENTAL: "the query cannot be maintained incrementally",
    Reason.DIMENSION_CHANGED: "a dimension table changed, and rows have to go",
    Reason.NOT_PROVEN: "Spark does not confirm that the query was understood",
    Reason.CHEAPER_IN_FULL: "working it out anew costs less",
    Reason.PLAN_FAILED: "the plan of the change failed",
    Reason.ROWS_ADDED: "rows only came",
    Reason.ROWS_CHANGED: "rows came and went",
    Reason.DATE_CHANGED: "the query reads the date, which is another one",
    Reason.CHANGES_ADDED: "changes waited in a stream",
}
