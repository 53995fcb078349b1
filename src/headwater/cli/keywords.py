"""The words of the language, for completion and colours."""

from __future__ import annotations

from functools import cache

from headwater.sql.dialect import Words
from headwater.sql.parse import PARSERS, SPARK_COMMANDS

# Words of our statements that are no keyword of Spark's tokenizer.
_OWN = """
    ADD BEFORE BY CANCEL CASCADE CLUSTERED COLUMNS COMMENT EXTENDED GROUP HISTORY IF JOB JOBS
    LOCATION MATCHED OF ORDER PARTITIONED PROPERTIES RESET RESTORE SCHEMAS TABLES TO UNDROP UNSET
    VERSION VIEWS
""".split()


@cache
def keywords() -> tuple[str, ...]:
    """All keywords, in alphabetical order."""
    plain = (word for word in Words.KEYWORDS if word.replace("_", "").isalpha())
    starts = (word for start in statement_starts() for word in start.split())
    return tuple(sorted({*plain, *starts, *_OWN}))


@cache
def statement_starts() -> tuple[str, ...]:
    """The leading words of all statements, in alphabetical order."""
    return tuple(sorted({*PARSERS, *SPARK_COMMANDS}))
