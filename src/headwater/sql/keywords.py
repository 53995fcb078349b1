"""The words of the language, for completion and colours."""

from __future__ import annotations

from functools import cache

from headwater.sql.dialect import Words
from headwater.sql.parse import PARSERS, SPARK_COMMANDS

# Words of our statements that are no keyword of Spark's tokenizer.
_OWN = """
    ABORT ADD APPEND_ONLY AUTO_REFRESH AVRO BEFORE BSON BY CANCEL CASCADE CLUSTERED COLUMNS COMMENT
    CONNECTION CONTINUE CSV DETERMINISTIC DIRECTORY DRY ENABLE ENDPOINT EXTENDED EXTERNAL FILE
    FILENAME_PREFIX FILENAME_SUFFIX FILES FILE_FORMAT FORCE GET_PRESIGNED_URL GROUP HISTORY HOURS IF
    INCLUDE_JOB_ID JOB JOBS LANGUAGE LOAD_HISTORY LOCATION MATCHED NOTIFICATION OF ON_ERROR OPTIONS
    ORC ORDER PARQUET PARTITIONED PROPERTIES PURGE PYTHON READ_KAFKA RECURSIVE REFRESH REGEXP REGION
    RESET RESTORE RETAIN RETURNS ROLE_ARN RUN SCHEMAS SHOW_INITIAL_ROWS SINGLE STANDARD STORAGE
    SUBDIRECTORY TABLES TABLE_CHANGES TABLE_STREAM_MODE TO TYPE UNDROP UNSET USER VERSION VIEWS
    VOLUME
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
