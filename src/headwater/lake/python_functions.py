"""Functions of the lake as functions of a Spark session.

Law: what goes to Spark's Python workers holds the user's code and nothing of ours, so that a worker
needs Python and PySpark but no Headwater. The code runs there, never in this process.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from headwater.catalog.functions import Function
from headwater.sql.python_body import compile_body

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType

# cloudpickle sends what belongs to this module by value, and everything else by its name.
_BY_VALUE = "__main__"


def register_python_function(session: SparkSession, name: str, function: Function) -> None:
    """Let SQL of `session` call `function` as `name`; its columns still have its own name."""
    from pyspark.sql.functions import udf
    from pyspark.sql.types import _parse_datatype_string

    returns = _parse_datatype_string(function.returns)
    made: Any = udf(_checked(function, returns), returns, useArrow=False)
    if not function.deterministic:
        made = made.asNondeterministic()
    made._unwrapped._name = function.name
    java: Any = session._jsparkSession
    java.udf().registerPython(name, made._unwrapped._judf)


def _defined(function: Function) -> Callable[..., Any]:
    """The function in a namespace of its own; defining it runs none of its code."""
    names = [parameter.name for parameter in function.parameters]
    file_name = f"<function {function.qualified}>"
    code = compile_body(function.name, names, function.body, file_name=file_name)
    namespace: dict[str, Any] = {"__name__": _BY_VALUE}
    exec(code, namespace)  # noqa: S102 - a `def` of the user's, who is trusted with code
    defined: Callable[..., Any] = namespace[function.name]
    return defined


def _checked(function: Function, returns: DataType) -> Callable[..., Any]:
    """The function with its results checked: Spark would make NULL of a value of another type."""
    defined = _defined(function)
    expected = function.returns
    is_text, is_float = expected == "STRING", expected in ("FLOAT", "DOUBLE")
    verifiers: list[Any] = []

    def checked(*arguments: Any, **named: Any) -> Any:
        value = defined(*arguments, **named)
        if value is None:
            return None
        if type(value).__module__ == "numpy":
            value = value.tolist()
        if is_float and type(value) is int:
            value = float(value)
        if is_text:
            if isinstance(value, str):
                return value
        else:
            if not verifiers:
                from pyspark.sql.types import _make_type_verifier

                verifiers.append(_make_type_verifier(returns))
            try:
                verifiers[0](value)
            except (TypeError, ValueError):
                pass  # said below, in our words
            else:
                return value
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        raise TypeError(f"returned {shown} ({type(value).__name__}), which is no {expected}")

    return _sent_by_value(checked, f"<result of function {function.qualified}>")


def _sent_by_value(function: Callable[..., Any], file_name: str) -> Callable[..., Any]:
    """A function of ours as if it were none: no module of ours, no path of this machine."""
    assert isinstance(function, FunctionType)
    code = function.__code__.replace(co_filename=file_name)
    namespace = {"__name__": _BY_VALUE, "__builtins__": __builtins__}
    return FunctionType(code, namespace, function.__name__, None, function.__closure__)
