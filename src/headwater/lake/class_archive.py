"""Spark's classes as the JVM has them in memory, kept in a file: half the time of a cold start.

    python -m headwater.lake.class_archive

makes the file, as `make setup` does. A start without it works and takes longer. The JVM itself
compares the file with its version and its jars, and goes on without it where they differ.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from headwater.errors import HeadwaterError

_WRITING_SECONDS = 300
_ALREADY_SAID = ("SharedArchiveFile", "ArchiveClassesAtExit", "-Xshare")
_SMALL_WORK = (
    "CREATE TABLE delta.`{folder}/a` (id INT, name STRING, amount DECIMAL(10,2)) USING delta",
    "INSERT INTO delta.`{folder}/a` VALUES (1, 'x', 1.5), (2, 'y', 2.5)",
    "CREATE TABLE delta.`{folder}/b` USING delta AS SELECT id, name FROM delta.`{folder}/a`",
    "UPDATE delta.`{folder}/a` SET amount = amount + 1 WHERE id = 1",
    "MERGE INTO delta.`{folder}/b` b USING delta.`{folder}/a` a ON a.id = b.id"
    " WHEN MATCHED THEN UPDATE SET name = upper(a.name)"
    " WHEN NOT MATCHED THEN INSERT (id) VALUES (0)",
    "DELETE FROM delta.`{folder}/a` WHERE id = 2",
    "SELECT a.name, count(*) AS n, sum(amount) AS total FROM delta.`{folder}/a` a"
    " LEFT JOIN delta.`{folder}/b` b ON a.id = b.id GROUP BY a.name ORDER BY n",
    "SELECT *, row_number() OVER (ORDER BY id) AS place FROM delta.`{folder}/b` VERSION AS OF 0",
)


def archive_file(java_home: Path, jars: Iterable[str]) -> Path:
    """Where the archive for this Java and these jars is: beside what is installed, gone with it."""
    import pyspark

    spark = Path(pyspark.__file__).parent
    told = "\n".join([str(java_home), str(spark), pyspark.__version__, *jars])
    name = hashlib.sha256(told.encode()).hexdigest()[:16]
    return Path(sys.prefix) / "share" / "headwater" / f"classes-{name}.jsa"


def archive_option(java_home: Path, jars: Iterable[str], options: str) -> str:
    """The JVM's option that uses the archive; empty if there is none or `options` name another."""
    if any(word in options for word in _ALREADY_SAID):
        return ""
    file = archive_file(java_home, jars)
    return f"-XX:SharedArchiveFile={file}" if file.is_file() else ""


def make_archive() -> Path:
    """Run a little of everything in a JVM that writes its classes down when it ends."""
    from headwater.config import Config
    from headwater.lake.engine import Engine
    from headwater.lake.jars import jar_paths
    from headwater.lake.java import find_java
    from headwater.lake.process import end_slowly

    file = archive_file(find_java().home, [str(path) for path in jar_paths(["delta"])])
    if file.is_file():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="headwater-classes-") as name:
        folder = Path(name)
        unfinished = file.with_name(f"{file.name}.{os.getpid()}")
        # A JVM that lives this shortly does not gain from what its second compiler makes.
        java = f"-XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit={unfinished}"
        options = {"spark.driver.extraJavaOptions": java}
        config = Config(spark_conf=options, spark_master="local[1]")
        engine = Engine(config, scratch=folder / "scratch", log_file=folder / "spark.log")
        spark = engine.new_session()
        for text in _SMALL_WORK:
            spark.sql(text.format(folder=folder)).toArrow()
        end_slowly(_WRITING_SECONDS)
    # One rename: a start at the same moment sees a whole file or none.
    os.replace(unfinished, file)
    return file


def main() -> int:
    """Make the archive unless it is there."""
    try:
        file = make_archive()
    except (HeadwaterError, OSError) as error:
        print(f"Spark's classes could not be kept, so it starts slowly: {error}", file=sys.stderr)
        return 1
    print(f"{file} ({file.stat().st_size >> 20} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
