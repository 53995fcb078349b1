"""`headwater demo`: a short story in SQL, from files dropped in to an answer kept current."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from headwater.cell_text import cell
from headwater.cli.lake_option import opened
from headwater.errors import InternalError, UserError

if TYPE_CHECKING:
    from headwater.cli.scripts import Output
    from headwater.cli.statement_thread import StatementThread
    from headwater.dbapi import Connection
    from headwater.result import Result

# Each statement runs once: compiling it to the fastest code takes longer than running it does.
_QUICK_START = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
_ROWS = re.compile(r"rows: (\d+)\Z")
RUN_PIPES = "$ headwater run --until-idle"


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of the story: what it shows, its text, and how many rows it must return.

    Its text may also be RUN_PIPES.
    """

    heading: str
    text: str
    rows: int | None = None


@click.command()
# Not the option of the other commands: HEADWATER_LAKE names a lake that this must not touch.
@click.option("--lake", metavar="DIR", help="Where to make the lake; default: a temporary folder.")
def demo(lake: str | None) -> None:
    """Run a short story in SQL, each statement shown with what it returns.

    The lake is made in a temporary folder, or in the folder given, which must be new or empty. It
    stays, to be played with.
    """
    from headwater.cli.formats import writer
    from headwater.cli.progress import progress_line
    from headwater.cli.scripts import Output
    from headwater.cli.statement_thread import StatementThread

    folder = _new_folder(lake)
    click.echo(f"The lake of this demonstration is in {folder}\nThe first statement starts Spark.")
    output = Output(writer("table", sys.stdout), messages=sys.stdout)
    with opened(folder, spark_conf=_QUICK_START) as connection:
        wait = progress_line(connection.progress, wanted=True)
        _tell(StatementThread(connection, wait=wait), output, lambda: _run_pipes(connection))
    name = shlex.quote(str(folder))
    click.echo("\nWhat to try next:")
    click.echo(f"  headwater shell --lake {name}")
    click.echo(f'  headwater sql --lake {name} -e "SHOW CREATE TABLE sales_summary"')
    click.echo(f'  headwater sql --lake {name} -e "EXPLAIN REFRESH DYNAMIC TABLE sales_summary"')
    click.echo(f"  headwater run --lake {name}    and, in another terminal, drop a file in:")
    click.echo(f"  headwater sql --lake {name} -e \"PUT '/path/to/more.csv' TO VOLUME inbox\"")
    click.echo(f"  headwater doctor --lake {name}")
    click.echo(f"  headwater serve --lake {name}    and, in another terminal, Studio in a browser:")
    click.echo(f"  headwater studio --lake {name}")


def story() -> Iterator[Step]:
    """The steps of `demo.sql`: the comment above a statement is its heading."""
    from headwater.sql.split import split

    script = resources.files("headwater.cli").joinpath("demo.sql").read_text(encoding="utf-8")
    end = 0
    for piece in split(script):
        above = script[end : piece.start].splitlines()
        comments = [line.removeprefix("--").strip() for line in above if line.startswith("--")]
        if RUN_PIPES in comments:
            place = comments.index(RUN_PIPES)
            yield Step(" ".join(comments[:place]), RUN_PIPES)
            comments = comments[place + 1 :]
        counts = [int(found.group(1)) for line in comments if (found := _ROWS.match(line))]
        heading = " ".join(line for line in comments if not _ROWS.match(line))
        yield Step(heading, piece.text, counts[0] if counts else None)
        end = piece.start + len(piece.text)


def _new_folder(lake: str | None) -> Path:
    if lake is None:
        return Path(tempfile.mkdtemp(prefix="headwater-demo-"))
    path = Path(lake).expanduser().resolve()
    if path.is_dir() and any(path.iterdir()):
        raise UserError("FOLDER_NOT_EMPTY", path=path)
    return path


def _tell(thread: StatementThread, output: Output, run_pipes: Callable[[], None]) -> None:
    from headwater.cli.scripts import show

    times: dict[str, str] = {}
    for step in story():
        text = _filled(step.text, times)
        click.echo("\n" + click.style(f"-- {step.heading}", bold=True))
        if text == RUN_PIPES:
            click.echo(text)
            run_pipes()
            continue
        click.echo(f"{text};")
        for timed in thread.run(text):
            show(timed.result, timed.seconds, output)
            times |= _version_times(timed.result)
            found = len(timed.result)
            if step.rows is not None and found != step.rows:
                raise InternalError("DEMO_WENT_WRONG", expected=step.rows, found=found)


def _run_pipes(connection: Connection) -> None:
    """What the command does, in this process, which holds the lake."""
    from headwater.cli.run_status import RunStatus
    from headwater.run_lake import LakeRun

    work = LakeRun(connection.session.lake, RunStatus(sys.stdout))
    try:
        work.run_until_idle()
    finally:
        work.close()


def _version_times(result: Result) -> dict[str, str]:
    """What DESC HISTORY says, as the placeholders of later statements."""
    if result.columns[:2] != ["version", "time"]:
        return {}
    return {f"version_{row[0]}_time": cell(row[1]) for row in result}


def _filled(text: str, times: dict[str, str]) -> str:
    for name, value in times.items():
        text = text.replace("{{" + name + "}}", value)
    return text
