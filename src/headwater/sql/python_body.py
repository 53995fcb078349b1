"""The body of a Python function: statements that end in `return`, its parameters their variables.

Law: what is compiled is the body as typed. It is never indented anew, because that would change the
texts inside it, and a line of the code has the number of its line in the body. Nothing is run.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

_SHELL = "if True:\n"
_NOTHING = "the body is empty"
_GENERATES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass
class BodyError(Exception):
    """What is wrong with a body, and where: lines count from 1, columns from 0."""

    problem: str
    line: int = 1
    column: int = 0
    end_column: int | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    """A text that Python can parse, and how far it stands from the body."""

    text: str
    shell: bool
    first_column: int
    """How much of the body's first line is left out."""

    def error(self, error: SyntaxError, *, shift: int) -> BodyError:
        line = max(1, (error.lineno or 1) - shift)
        shown = self.first_column if line == 1 else 0
        column = max(0, (error.offset or 1) - 1) + shown
        same_line = error.end_lineno == error.lineno and error.end_offset
        end = (error.end_offset or 0) - 1 + shown if same_line else None
        return BodyError(error.msg, line, column, end)


def compile_body(
    name: str, parameters: Sequence[str], body: str, *, file_name: str = "<function>"
) -> CodeType:
    """Code that, when it is run, defines function `name`; a BodyError if there is no such code."""
    source = _source(body)
    try:
        statements = _statements(source)
    except SyntaxError as error:
        raise source.error(error, shift=int(source.shell)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BodyError(str(error) or "it is nested too deeply") from None
    definition = _definition(name, parameters, statements)
    try:
        code = compile(definition, file_name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise source.error(error, shift=0) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BodyError(str(error) or "it is nested too deeply") from None
    _require_one_value(code, name)
    return code


def _source(body: str) -> _Source:
    first, _, rest = body.partition("\n")
    if first.strip():
        text = first.lstrip()
        return _Source(f"{text}\n{rest}", shell=False, first_column=len(first) - len(text))
    code = (line for line in rest.split("\n") if line.strip() and line.lstrip()[0] != "#")
    indented = next(code, "")[:1].isspace()
    return _Source((_SHELL if indented else "") + body, shell=indented, first_column=0)


def _statements(source: _Source) -> list[ast.stmt]:
    tree = ast.parse(source.text)
    if not source.shell:
        return tree.body
    shell, *outside = tree.body
    assert isinstance(shell, ast.If)
    if outside or shell.orelse:
        stray = (*shell.orelse, *outside)[0]
        where = ("", stray.lineno, stray.col_offset + 1, "")
        raise SyntaxError("it is indented less than the first line", where)
    ast.increment_lineno(tree, -1)
    return shell.body


def _definition(name: str, parameters: Sequence[str], statements: list[ast.stmt]) -> ast.Module:
    if not statements:
        raise BodyError(_NOTHING)
    tree = ast.parse("def f(): pass")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.name = name
    function.args.args = [ast.arg(p, lineno=1, col_offset=0) for p in parameters]
    function.body = statements
    return ast.fix_missing_locations(tree)


def _require_one_value(code: CodeType, name: str) -> None:
    made = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
    if any(function.co_flags & _GENERATES for function in made):
        raise BodyError("it uses yield or await, and a function here returns one value")
