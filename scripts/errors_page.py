"""Writes docs/reference/errors.md from the conditions and from where the code raises them.

`python scripts/errors_page.py` writes the page; with `--check` it fails if the page is not current.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import headwater.errors as errors

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "headwater"
PAGE = ROOT / "docs" / "reference" / "errors.md"

_TITLES = {
    "sql": "Reading a statement",
    "expressions": "Filters and parameters",
    "catalog": "Names, the lease, the catalog",
    "catalog_files": "Connections, volumes and the names of files",
    "catalog_pipes": "Pipes in the catalog",
    "lake": "Running work on Spark and Delta",
    "delta_log": "Delta's log",
    "storage": "Stores, files and sealed secrets",
    "queues": "Queues of events",
    "kafka": "Kafka",
    "connections": "Connections",
    "volumes": "Volumes and their files",
    "copy": "COPY",
    "pipes": "Pipes and Kafka",
    "table_streams": "Table streams and VACUUM",
    "volume_streams": "Volume streams",
    "stream_reading": "Reading streams and TABLE_CHANGES",
    "changes": "Changes of Delta tables",
    "commits": "Writing to Delta tables",
    "dynamic_tables": "Dynamic tables",
    "vclusters": "Virtual clusters",
    "access": "Users, tokens and rights",
    "schedule": "Schedules of dynamic tables",
    "tasks": "Tasks and their instances",
    "alerts": "Alerts",
    "sample": "Sample data",
    "service": "The service and its clients",
    "dynamic_table_ddl": "Making and altering dynamic tables",
    "materialized_views": "Materialized views",
    "parameters": "Parameters, partitions, backfills and hints of dynamic tables",
    "functions": "Functions in Python",
    "files": "Files of volumes",
    "config": "Settings and the lake folder",
    "platform": "Java and the jars",
    "hive": "The endpoint for JDBC and other tools",
    "connect": "The endpoint for Spark Connect",
    "cli": "The command line",
}
_KINDS = {
    "user": "the statement or its input is wrong; correct it",
    "schema": "a table changed under the statement; look, then decide",
    "transient": "the world outside failed for now; try again",
    "bug": "a bug in Headwater; report it",
}
_HEAD = """\
# Errors

Every error has a **condition** (its name), a **SQLSTATE**, a message, and often a **hint**: the
next thing to type. If the place in the text is known, the error shows the line, with carets under
it.

```text
TABLE_NOT_FOUND: there is no table or view 'public.ordres'
line 1: DESC ordres
             ^^^^^^
hint: did you mean orders?
```

A program should look at the condition: messages and hints may get better. In Python they are
attributes: `error.condition`, `error.sqlstate`, `error.message`, `error.hint`, `error.parameters`,
`error.span`, `error.kind` (see [Python](python.md#exceptions)).

The **kind** says what to do:
"""
_SPARK = """
Errors of Spark and Delta keep the condition and the SQLSTATE that Spark gives them, such as
`UNRESOLVED_COLUMN.WITH_SUGGESTION` or `DIVIDE_BY_ZERO`, and are not listed here. Their kind follows
from the SQLSTATE. The Java trace is shown only with `--debug`.

In the messages below `{name}` stands for what the error fills in.
"""
_FOOT = """
This page is written by `scripts/errors_page.py` from `src/headwater/conditions/*.toml`.
"""


def raised() -> dict[str, set[str]]:
    """The names of the classes with which the code raises each condition."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        for call in error_calls(path):
            condition = call.args[0]
            if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
                found[condition.value].add(_class_name(call))
    return dict(found)


@cache
def error_calls(path: Path) -> tuple[ast.Call, ...]:
    """The places in a file where an error with a condition is made."""
    return tuple(_error_calls(path))


def _error_calls(path: Path) -> Iterator[ast.Call]:
    text = path.read_text(encoding="utf-8")
    # To look through the tree of a file takes long, and most files make no errors.
    if not any(name in text for name in _classes()):
        return
    nodes = list(ast.walk(ast.parse(text)))
    for made in (node for node in nodes if isinstance(node, ast.ClassDef)):
        _name_bases(made)
    chosen = _chosen_classes(nodes)
    for node in nodes:
        if isinstance(node, ast.Call) and node.args and _class_name(node) in _classes():
            yield node
        elif isinstance(node, ast.Call) and node.args and _class_name(node) in chosen:
            for made_as in chosen[_class_name(node)]:
                found = ast.Call(func=made_as, args=node.args, keywords=node.keywords)
                yield ast.copy_location(found, node)
        elif isinstance(node, ast.ClassDef):
            yield from _calls_of_super(node)


def _chosen_classes(nodes: list[ast.AST]) -> dict[str, list[ast.Name]]:
    """The variables that stand for one class of errors or another: `kind = A if .. else B`."""
    found: dict[str, list[ast.Name]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            names = [n for n in (node.value.body, node.value.orelse) if isinstance(n, ast.Name)]
            if len(names) == 2 and all(name.id in _classes() for name in names):
                found |= {
                    target.id: names for target in node.targets if isinstance(target, ast.Name)
                }
    return found


def _calls_of_super(node: ast.ClassDef) -> Iterator[ast.Call]:
    """A class of errors that always has one condition names it to the class it extends."""
    bases = [base for base in node.bases if isinstance(base, ast.Name) and base.id in _classes()]
    for call in ast.walk(node):
        if bases and isinstance(call, ast.Call) and call.args and _is_super(call.func):
            found = ast.Call(func=bases[0], args=call.args, keywords=call.keywords)
            yield ast.copy_location(found, call)


def _name_bases(made: ast.ClassDef) -> None:
    """In a class of errors, let `super().__init__(..)` name the class it means."""
    base = next((base for base in made.bases if isinstance(base, ast.Name)), None)
    for node in ast.walk(made):
        if base is not None and isinstance(node, ast.Call) and _is_super(node.func):
            node.func = base


def _is_super(function: ast.expr) -> bool:
    """Whether a call is that of `super().__init__`."""
    # To write a tree as text takes long; most functions are told apart by their last word.
    last = function.attr if isinstance(function, ast.Attribute) else ""
    return last == "__init__" and ast.unparse(function) == "super().__init__"


def _class_name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


@cache
def _classes() -> dict[str, type[errors.HeadwaterError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.HeadwaterError)
    }


def page() -> str:
    """The whole page."""
    lines = [_HEAD, "| Kind | Meaning |", "|---|---|"]
    lines += [f"| {kind} | {meaning} |" for kind, meaning in _KINDS.items()]
    parts = ["\n".join(lines) + "\n", _SPARK]
    uses = raised()
    for name, title in _TITLES.items():
        text = (SOURCE / "conditions" / f"{name}.toml").read_text(encoding="utf-8")
        parts.append(f"\n## {title}\n")
        for condition, entry in tomllib.loads(text).items():
            parts.append(_entry(condition, entry, uses.get(condition, set())))
    return "".join(parts) + _FOOT


def _entry(condition: str, entry: dict[str, Any], classes: set[str]) -> str:
    kinds = sorted({_classes()[name].kind for name in classes})
    facts = f"SQLSTATE {entry['sqlstate']}" + "".join(f", kind {kind}" for kind in kinds)
    text = f"\n### {condition}\n\n{facts}\n\n- message: `{_shown(entry['message'])}`\n"
    return text + (f"- hint: `{_shown(entry['hint'])}`\n" if "hint" in entry else "")


def _shown(template: str) -> str:
    return template.replace("{{", "{").replace("}}", "}").replace("!r}", "}")


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    unknown = {path.stem for path in (SOURCE / "conditions").glob("*.toml")} ^ _TITLES.keys()
    if unknown:
        print(f"no title, or no file, for: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    if arguments == ["--check"]:
        if PAGE.read_text(encoding="utf-8") == page():
            return 0
        print(f"{PAGE.relative_to(ROOT)} is not current: run scripts/errors_page.py")
        return 1
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
