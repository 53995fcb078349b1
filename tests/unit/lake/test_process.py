"""The options of the JVM, without a JVM."""

from __future__ import annotations

from tests.few_rows import LASTING

from headwater.lake.process import room_for_code


def test_compiled_code_has_room_also_where_there_is_one_compiler() -> None:
    # By default that is 48 MB, which the demonstration fills.
    assert room_for_code("-XX:TieredStopAtLevel=1") == "-XX:ReservedCodeCacheSize=512m"


def test_what_a_user_asks_for_stays() -> None:
    assert room_for_code("-XX:ReservedCodeCacheSize=1g -Xss4m") == ""
    assert room_for_code(LASTING["spark.driver.extraJavaOptions"]) == ""
