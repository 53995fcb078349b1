"""The documents say what the code does: pages, conditions, settings and links are compared."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from scripts import errors_page

from headwater.cli.main import cli
from headwater.config import Config
from headwater.errors import conditions
from headwater.refresh.hints import ALL
from headwater.refresh.planned import STATE_TABLES
from headwater.refresh.reasons import Reason
from headwater.refresh.settings import _KEYS
from headwater.statements.dispatch import HANDLERS

ROOT = Path(__file__).resolve().parents[2]
SQL_PAGES = ROOT / "docs" / "reference" / "sql"
# What is ours and stands inside queries has a page, but no handler.
PARTS_OF_QUERIES = {
    "select-from-volume.md",
    "load-history.md",
    "get-presigned-url.md",
    "read-kafka.md",
    "table-changes.md",
}
_FENCED = re.compile(r"^(```+).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def statement_pages() -> set[str]:
    """The page each handler must have, by the name of the handler's file."""
    modules = {handler.__module__.rsplit(".", 1)[-1] for handler in HANDLERS.values()}
    return {f"{module.replace('_', '-')}.md" for module in modules} | PARTS_OF_QUERIES


def markdown_files() -> list[Path]:
    """Every page of the repository."""
    folders = ("docs", "tests", "examples")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *below])


@cache
def prose(path: Path) -> str:
    """The text of a page without its blocks of code."""
    return _FENCED.sub("", path.read_text(encoding="utf-8"))


@cache
def anchors(path: Path) -> set[str]:
    """The places in a page that a link may name, as GitHub makes them from the headings."""
    headings = _HEADING.findall(prose(path))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links() -> Iterator[tuple[Path, str]]:
    """Every link to another page or place of the repository, with the page it stands on."""
    for path in markdown_files():
        for target in _LINK.findall(prose(path)):
            if not re.match(r"[a-z]+:", target):
                yield path, unquote(target)


@cache
def error_calls() -> list[tuple[str, ast.Call]]:
    """Every place in the code that makes an error with a condition, with its file and line."""
    source = errors_page.SOURCE
    return [
        (f"{path.relative_to(source)}:{call.lineno}", call)
        for path in sorted(source.rglob("*.py"))
        for call in errors_page.error_calls(path)
    ]


def literal_condition(call: ast.Call) -> str | None:
    """The condition an error is made with, where the code spells it out."""
    first = call.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return None


def placeholders(template: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_the_page_of_the_command_line_has_every_command_and_option() -> None:
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    texts = {section.split("\n", 1)[0]: head + section for section in sections}
    context = click.Context(cli)
    for name in cli.list_commands(context):
        assert f"](#{name})" in head, name
        for spellings in options(cli.get_command(context, name)):
            assert any(spelling in texts[name] for spelling in spellings), (name, spellings)


def options(command: click.Command | None) -> Iterator[list[str]]:
    """The options of a command and of its subcommands, each with all its names."""
    assert command is not None
    yield from (option.opts for option in command.params if isinstance(option, click.Option))
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from options(inner)


def test_the_page_of_errors_is_current() -> None:
    current = errors_page.PAGE.read_text(encoding="utf-8") == errors_page.page()
    assert current, "run: .venv/bin/python scripts/errors_page.py"


def test_every_statement_has_a_page_and_every_page_a_statement() -> None:
    pages = {path.name for path in SQL_PAGES.glob("*.md")} - {"README.md"}
    assert pages == statement_pages()


@pytest.mark.parametrize(
    ("page", "folder"),
    [(ROOT / "README.md", "docs/reference/sql/"), (SQL_PAGES / "README.md", "")],
    ids=["readme", "index"],
)
def test_the_tables_of_statements_name_them_all(page: Path, folder: str) -> None:
    linked = {target.partition("#")[0] for path, target in links() if path == page}
    assert {folder + name for name in statement_pages()} - linked == set()


def test_every_page_of_a_statement_shows_its_syntax_first() -> None:
    for name in statement_pages():
        lines = (SQL_PAGES / name).read_text(encoding="utf-8").split("\n")
        assert lines[0].startswith("# "), name
        assert lines[2] == "```sql", name


def test_every_condition_is_raised_somewhere() -> None:
    raised = {literal_condition(call) for _, call in error_calls()}
    assert conditions().keys() - raised == set()


def test_every_condition_that_is_raised_is_registered() -> None:
    raised = {literal_condition(call): place for place, call in error_calls()}
    unknown = {name: place for name, place in raised.items() if name and name not in conditions()}
    assert unknown == {}


def test_every_error_fills_in_its_message_and_hint() -> None:
    missing = []
    for place, call in error_calls():
        entry = conditions().get(literal_condition(call) or "")
        if entry is None:
            continue
        given = {keyword.arg for keyword in call.keywords}
        for name in placeholders(entry.message) | placeholders(entry.hint or ""):
            if name not in given:
                missing.append(f"{place} gives {entry.name} no {name}")
    assert missing == []


def test_links_lead_somewhere() -> None:
    broken = []
    for path, target in links():
        name, _, place = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        if not page.exists() or (place and place not in anchors(page)):
            broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_the_page_of_settings_names_them_all() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    missing = [f.name for f in fields(Config) if f"`{f.name}`" not in page]
    assert missing == []


def test_variables_in_the_page_of_settings_are_read_by_the_code(tmp_path: Path) -> None:
    from headwater.config import load_config

    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `\[[\w.]+\][^|]*\| `(HEADWATER_\w+)`", page, re.MULTILINE)
    assert len(rows) == len(fields(Config))
    values = {"time_zone": "Asia/Tokyo", "stream_extension_days": "7"}
    for name, variable in rows:
        if name in ("spark_conf", "cluster_pools"):
            continue  # JSON: tests/unit/test_config.py
        value = values.get(name, "77")
        read = load_config(tmp_path, environment={variable: value})
        assert str(getattr(read, name)) == value, variable


def test_the_page_of_refreshes_names_every_reason_in_its_order() -> None:
    page = (SQL_PAGES / "refresh-dynamic-table.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| ([^|]+) \| (?:FULL|INCREMENTAL|NO_DATA) \|", page, re.MULTILINE
    )
    assert rows == [(reason.value, reason.words) for reason in Reason]


def test_the_page_of_refreshes_names_every_setting_that_matters() -> None:
    page = (SQL_PAGES / "refresh-dynamic-table.md").read_text(encoding="utf-8")
    missing = [key for key in (*ALL, STATE_TABLES, *_KEYS) if f"`{key}`" not in page]
    assert missing == []
