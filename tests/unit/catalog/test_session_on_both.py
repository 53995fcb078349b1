"""A lake works the same whichever database keeps its catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.errors import UserError


def test_a_session_works_and_is_remembered(tmp_path: Path, fresh_url: str) -> None:
    lake = tmp_path / "lake"
    with headwater.connect(lake, metadata_url=fresh_url) as connection:
        connection.sql("CREATE SCHEMA kept COMMENT 'it''s'; CREATE SCHEMA gone; DROP SCHEMA gone")
        with pytest.raises(UserError, match="SCHEMA_ALREADY_EXISTS"):
            connection.sql("CREATE SCHEMA kept")
    with headwater.connect(lake, metadata_url=fresh_url) as connection:
        assert [row[0] for row in connection.sql("SHOW SCHEMAS")] == ["kept", "public"]
        assert dict(connection.sql("DESC SCHEMA kept").rows)["comment"] == "it's"
        assert len(connection.sql("SHOW JOBS WHERE status = 'FAILED'")) == 1
        assert connection.session.lake.writer.fencing is None
