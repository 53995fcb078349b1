"""CREATE FUNCTION: its clauses, and a body that is Python or is pointed at."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.sql.create_function import CreateFunction, FunctionParameter
from headwater.sql.parse import parse
from headwater.sql.python_body import compile_body
from headwater.sql.split import is_complete, split

HEAD = "CREATE FUNCTION f(a INT, b STRING) RETURNS INT LANGUAGE PYTHON AS "


def created(text: str) -> CreateFunction:
    statement = parse(text)
    assert isinstance(statement, CreateFunction)
    return statement


def called(body: str, *arguments: object, names: tuple[str, ...] = ("a", "b")) -> object:
    """What a body returns; the code runs here, because it is ours."""
    namespace: dict[str, object] = {}
    exec(compile_body("f", names, body), namespace)
    function = namespace["f"]
    assert callable(function)
    return function(*arguments)


def test_all_clauses_are_read_in_any_order() -> None:
    function = created(
        "create or replace function w.S.f(Url string comment 'where', n decimal)\n"
        "comment 'it''s' language python not deterministic returns array<varchar>\n"
        "as $$ return [url] * n $$"
    )
    assert str(function.name) == "w.s.f"
    assert function.parameters == (
        FunctionParameter("Url", "STRING", "where"),
        FunctionParameter("n", "DECIMAL(10,0)"),
    )
    assert function.returns == "ARRAY<STRING>"
    assert (function.comment, function.deterministic, function.or_replace) == ("it's", False, True)
    assert function.body == " return [url] * n "


def test_a_body_may_be_a_literal() -> None:
    assert created(HEAD + "'return \"x;\" * a'").body == 'return "x;" * a'


def test_a_semicolon_in_a_body_ends_no_statement() -> None:
    script = f"{HEAD}$$\nx = 1; y = 'it'\nreturn x;\n$$;\nSELECT 1;"
    assert [piece.text[:6] for piece in split(script)] == ["CREATE", "SELECT"]
    assert is_complete(script)


def test_the_shell_waits_for_the_end_of_a_body() -> None:
    with pytest.raises(UserError) as caught:
        is_complete(f"{HEAD}$$\nreturn 1;")
    assert (caught.value.condition, caught.value.hint) == ("UNCLOSED_QUOTE", "close it by $$")


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return a + b", 3),
        (" return a + b ", 3),
        ("\nreturn a + b\n", 3),
        ("\n    return a + b\n  ", 3),
        ("\n\n  # first\n  if a:\n    return a\n  return b\n", 1),
        ("x = a\nreturn x", 1),
        ("  x = a\nreturn x", 1),
        ("\n  def g(x):\n    return x * 2\n  return g(a)", 2),
        ("\n  import math\n  return math.floor(a + 0.5)\n", 1),
        # The text keeps its lines as they were typed.
        ('\n    return """one\n  two\n      three"""\n', "one\n  two\n      three"),
        ("pass", None),
    ],
)
def test_a_body_is_taken_as_typed(body: str, value: object) -> None:
    assert called(body, 1, 2) == value


def test_lines_of_errors_are_lines_of_the_body() -> None:
    for body in ("\n  x = 1\n  return x / 0\n", "x = 1\n\nreturn x / 0"):
        with pytest.raises(ZeroDivisionError) as caught:
            called(body, 1, 2)
        assert caught.traceback[-1].lineno + 1 == 3


@pytest.mark.parametrize(
    ("body", "place", "problem"),
    [
        ("$$ return a + $$", "return a + $$", "invalid syntax"),
        ("$$\n  x = 1\n  return x x\n$$", "x\n$$", "line 3 of the body"),
        ("$$\n    x = 1\n  y = 2\n$$", "y = 2", "unindent"),
        ("$$\n    x = 1\nreturn x\n$$", "return x", "indented less"),
        ("$$\n    x = 1\nelse:\n    y = 1\n$$", "y = 1", "indented less"),
        ("$$ break $$", "break", "outside loop"),
        ("$$\n  return (1\n$$", "(", "never closed"),
        ("$$\n  yield 1\n$$", "", "yield"),
        ("$$  $$", " ", "empty"),
        ("$$\n  # nothing\n$$", "", "empty"),
        ("$$ nonlocal a $$", "nonlocal a", "nonlocal"),
        ("'return a +'", "'return a +'", "invalid syntax"),
    ],
)
def test_what_is_no_python_is_pointed_at(body: str, place: str, problem: str) -> None:
    text = HEAD + body
    with pytest.raises(UserError) as caught:
        parse(text)
    error = caught.value
    assert error.condition == "FUNCTION_BODY"
    assert problem in error.message
    assert error.span is not None
    assert text[error.span.start : error.span.end].startswith(place[:1])
    assert text[error.span.start :].startswith(place)


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        ("f(a INT DEFAULT 1) RETURNS INT LANGUAGE PYTHON AS $$1$$", "FUNCTION_DEFAULT", "DEFAULT"),
        ("f(a INT, A INT) RETURNS INT", "FUNCTION_PARAMETER_TWICE", "A INT"),
        ("f(`a b` INT) RETURNS INT", "FUNCTION_PARAMETER_NAME", "`a b`"),
        ("f(class INT) RETURNS INT", "FUNCTION_PARAMETER_NAME", "class"),
        ("f(a NOTHING) RETURNS INT", "TYPE_NOT_SUPPORTED", "NOTHING"),
        ("f() RETURNS TABLE (a INT)", "FUNCTION_RETURN_TYPE", "TABLE"),
        ("f() RETURNS VARCHAR(3) LANGUAGE PYTHON", "FUNCTION_RETURN_TYPE", "VARCHAR(3)"),
        ("f() RETURNS INT RETURN 1", "FUNCTION_LANGUAGE", "RETURN 1"),
        ("f() RETURNS INT LANGUAGE SQL", "FUNCTION_LANGUAGE", "SQL"),
        ("f AS 'com.example.F'", "FUNCTION_LANGUAGE", "AS"),
        ("f() LANGUAGE PYTHON AS $$ return 1 $$", "FUNCTION_CLAUSE_MISSING", ""),
        ("f() RETURNS INT AS $$ return 1 $$", "FUNCTION_CLAUSE_MISSING", ""),
        ("f() RETURNS INT LANGUAGE PYTHON", "FUNCTION_CLAUSE_MISSING", ""),
        ("f() RETURNS INT LANGUAGE PYTHON HANDLER 'x'", "SYNTAX_ERROR", "HANDLER"),
        ("f() RETURNS INT LANGUAGE PYTHON AS return 1", "SYNTAX_ERROR", "return"),
        ("filter() RETURNS INT LANGUAGE PYTHON AS $$1$$", "NAME_RESERVED", "filter"),
        ("s.in() RETURNS INT LANGUAGE PYTHON AS $$1$$", "NAME_RESERVED", "s.in"),
    ],
)
def test_mistakes_have_a_place(text: str, condition: str, place: str) -> None:
    text = f"CREATE FUNCTION {text}"
    with pytest.raises(UserError) as caught:
        parse(text)
    assert caught.value.condition == condition
    assert caught.value.span is not None
    assert text[caught.value.span.start :].startswith(place)


def test_or_replace_and_if_not_exists_exclude_each_other() -> None:
    with pytest.raises(UserError, match="CLAUSES_EXCLUDE"):
        parse("CREATE OR REPLACE FUNCTION IF NOT EXISTS f() RETURNS INT LANGUAGE PYTHON AS $$1$$")
