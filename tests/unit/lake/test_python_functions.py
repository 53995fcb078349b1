"""What goes to Spark's Python workers: the user's code, results checked, nothing of ours."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import types

from headwater.catalog.functions import Function
from headwater.lake.python_functions import _checked
from headwater.sql.create_function import FunctionParameter

AT = datetime(2026, 11, 16, tzinfo=UTC)
FUNCTION = Function(
    id="1",
    workspace="w",
    schema="public",
    name="f",
    parameters=(FunctionParameter("x", "INT"),),
    returns="STRING",
    body="return x",
    creator="ann",
    created_at=AT,
    modified_at=AT,
)


def result(value: object, returns: str, kind: types.DataType) -> Any:
    return _checked(replace(FUNCTION, returns=returns), kind)(value)


@pytest.mark.parametrize(
    ("value", "returns", "kind"),
    [
        (None, "INT", types.IntegerType()),
        (2**31 - 1, "INT", types.IntegerType()),
        ("a", "STRING", types.StringType()),
        (1.5, "DOUBLE", types.DoubleType()),
        (b"a", "BINARY", types.BinaryType()),
        ([1, None], "ARRAY<INT>", types.ArrayType(types.IntegerType())),
        ({"a": 1}, "MAP<STRING, INT>", types.MapType(types.StringType(), types.IntegerType())),
    ],
)
def test_values_of_the_type_pass(value: object, returns: str, kind: types.DataType) -> None:
    assert result(value, returns, kind) == value


def test_a_whole_number_is_a_double() -> None:
    assert result(1, "DOUBLE", types.DoubleType()) == 1.0
    assert type(result(1, "DOUBLE", types.DoubleType())) is float


@pytest.mark.parametrize(
    ("value", "returns", "kind", "said"),
    [
        ("a", "INT", types.IntegerType(), "returned 'a' (str), which is no INT"),
        (True, "INT", types.IntegerType(), "returned True (bool), which is no INT"),
        (2**31, "INT", types.IntegerType(), "returned 2147483648 (int), which is no INT"),
        (1, "STRING", types.StringType(), "returned 1 (int), which is no STRING"),
        (["a"], "ARRAY<INT>", types.ArrayType(types.IntegerType()), "which is no ARRAY<INT>"),
        ("x" * 200, "INT", types.IntegerType(), "x... (str), which is no INT"),
    ],
)
def test_a_value_of_another_type_is_an_error(
    value: object, returns: str, kind: types.DataType, said: str
) -> None:
    with pytest.raises(TypeError) as caught:
        result(value, returns, kind)
    assert said in str(caught.value)


@pytest.mark.servers
def test_a_worker_needs_nothing_of_ours(tmp_path: Path) -> None:
    body = (
        "\n  import re\n  def twice(t):\n    return t * 2\n  return re.sub('1', 'one', twice(x))\n"
    )
    function = _checked(replace(FUNCTION, body=body), types.StringType())
    packed = cloudpickle.dumps(function)
    assert b"headwater" not in packed
    (tmp_path / "f").write_bytes(packed)
    # -I keeps the paths of this process, and with them our package, out of the other one.
    packages = str(Path(types.__file__).parents[2])
    script = (
        f"import sys; sys.path = [p for p in sys.path if 'site-packages' not in p]"
        f"; sys.path.append({packages!r})"
        "; sys.modules['headwater'] = None"
        "; from pyspark import cloudpickle"
        f"; print(cloudpickle.loads(open({str(tmp_path / 'f')!r}, 'rb').read())('a1'))"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.returncode) == ("aonea" + "one", 0), ran.stderr
