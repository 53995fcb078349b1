"""Sessions of others on a lake whose Spark never starts: what they see, whose rights count, and
ways around that are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.unit.access.conftest import As
from tests.unit.access.test_matrix import HIDDEN, may
from tests.unit.pipes.fake_spark import table_of

import headwater
from headwater.access.users import User
from headwater.catalog.objects import TableKind
from headwater.errors import HeadwaterError, UserError
from headwater.runtime.clock import now
from headwater.session import Session
from headwater.sql.roles import Role


@pytest.fixture
def viewer(session_of: As) -> Session:
    return session_of("ann", Role.VIEWER)


@pytest.fixture
def secret(lake: headwater.Connection) -> Iterator[None]:
    """A table of which the viewer may not know."""
    table_of(lake.session.lake, "secret")
    yield
    lake.sql("DROP TABLE secret")


def refused(session: Session, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        session.run(text)
    return caught.value


def rows(session: Session, text: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in session.run(text).rows]


def test_a_refusal_names_the_privilege_the_object_and_what_to_ask_for(
    lake: headwater.Connection, viewer: Session
) -> None:
    lake.sql("GRANT MONITOR ON TABLE t TO USER ann")
    error = refused(viewer, "SELECT * FROM t")
    assert str(error) == (
        "ACCESS_DENIED: user 'ann' lacks SELECT on TABLE public.t\n"
        "line 1: SELECT * FROM t\n"
        "                      ^\n"
        "hint: ask for it: GRANT SELECT ON TABLE public.t TO USER ann"
    )
    assert error.sqlstate == "42501"
    lake.sql("GRANT SELECT ON TABLE public.t TO USER ann")
    assert may(viewer, "SELECT * FROM t")


@pytest.mark.usefixtures("secret")
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM {}",
        "SELECT * FROM public.{}",
        "SELECT * FROM headwater.public.{}",
        "DESC {}",
        "DESC HISTORY {}",
        "SHOW CREATE TABLE {}",
        "SELECT * FROM TABLE_CHANGES('{}', 'a', 'b')",
        "SELECT * FROM LOAD_HISTORY('{}')",
        "SHOW LOAD HISTORY OF {}",
        "SELECT * FROM (DESC {})",
        "EXPLAIN SELECT * FROM {}",
        "CREATE TEMPORARY VIEW x AS SELECT * FROM {}",
        "LIST TABLE VOLUME {}",
        "SHOW GRANTS ON TABLE {}",
        "GRANT SELECT ON TABLE {} TO USER ann",
    ],
)
def test_what_is_hidden_is_as_good_as_missing(viewer: Session, text: str) -> None:
    hidden, missing = refused(viewer, text.format("secret")), refused(viewer, text.format("nosuch"))
    assert str(hidden).replace("secret", "nosuch") == str(missing)
    assert hidden.condition == "TABLE_NOT_FOUND"


@pytest.mark.usefixtures("secret")
@pytest.mark.parametrize(
    "text",
    [
        "WITH secret AS (SELECT * FROM secret) SELECT * FROM secret",
        "SELECT * FROM t WHERE 1 IN (WITH secret AS (SELECT 1) SELECT * FROM secret), secret",
        "SELECT * FROM t, secret s2 WHERE 1 IN (WITH secret AS (SELECT 1) SELECT * FROM secret)",
        "WITH a AS (SELECT 1) SELECT * FROM secret WINDOW secret AS (PARTITION BY 1)",
        "SELECT * FROM t PIVOT (count(*) FOR line IN ('a')) p, secret",
        "SELECT * FROM t, LATERAL (SELECT 1), secret",
        "SELECT * FROM IDENTIFIER('sec' || 'ret')",
        "SELECT * FROM delta.`/lake/tables/public/secret`",
        "SELECT * FROM parquet.`/etc`",
        "SELECT * FROM text.`/etc/passwd`",
        "SELECT * FROM global_temp.secret",
        "SELECT * FROM spark_catalog.public.secret",
        "SELECT * FROM headwater.public.secret",
        "SELECT `reflect`('java.lang.System', 'getenv', 'HEADWATER_SECRET_KEY')",
        "SELECT java_method('java.lang.System', 'getenv', 'HEADWATER_SECRET_KEY')",
        "SELECT TRANSFORM (line) USING 'cat /etc/passwd' FROM t",
        "FROM t MAP line USING 'cat'",
        "CREATE TEMPORARY VIEW x USING csv OPTIONS (path '/etc/passwd')",
        "CREATE GLOBAL TEMPORARY VIEW x AS SELECT * FROM t",
        "SET spark.sql.ansi.doubleQuotedIdentifiers = true",
        "SET spark.sql.catalog.x = org.apache.spark.sql.execution.datasources.v2.jdbc.JDBC",
        "PUT '/etc/passwd' TO USER VOLUME",
        "GET USER VOLUME TO '/tmp'",
        "EXPLAIN INSERT INTO secret SELECT * FROM t",
        "DESC QUERY SELECT * FROM secret",
        "SELECT * FROM (SHOW CREATE TABLE secret)",
        "SELECT GET_PRESIGNED_URL(TABLE VOLUME secret, 'a')",
        "SELECT * FROM TABLE VOLUME secret (a STRING) USING csv",
        "SET VAR x = (SELECT max(line) FROM secret)",
        "SELECT * FROM t |> UNION ALL (SELECT * FROM secret)",
    ],
)
def test_ways_around_are_none(lake: headwater.Connection, viewer: Session, text: str) -> None:
    lake.sql("GRANT SELECT ON TABLE t TO USER ann")
    error = refused(viewer, text)
    assert error.condition in HIDDEN | {"ACCESS_DENIED", "ACCESS_UNCLEAR", "SYNTAX_ERROR"}, error
    if error.condition == "SYNTAX_ERROR":
        assert "secret" not in error.message
    assert not lake.session.lake.engine.started


def test_a_name_with_the_words_of_a_path_is_refused_to_developers_too(session_of: As) -> None:
    developer = session_of("ann", Role.DEVELOPER)
    assert refused(developer, "SELECT * FROM delta.`/x`").condition == "TABLE_NOT_FOUND"
    assert refused(developer, "CREATE TABLE x (a INT) LOCATION '/x'").condition == "ACCESS_DENIED"


def test_lists_show_what_may_be_seen(lake: headwater.Connection, session_of: As) -> None:
    viewer, operator = session_of("ann", Role.VIEWER), session_of("ann", Role.OPERATOR)
    lists = (
        "SHOW TABLES SHOW VIEWS SHOW_DYNAMIC_TABLES SHOW_TABLE_STREAMS SHOW PIPES SHOW VOLUMES"
        " SHOW CONNECTIONS SHOW_USER_FUNCTIONS SHOW SCHEMAS SHOW_TABLES_HISTORY"
    ).replace("SHOW ", "SHOW_")
    for text in (word.replace("_", " ") for word in lists.split()):
        assert rows(viewer, text) == [], text
        assert rows(operator, text) == [tuple(row) for row in lake.sql(text).rows], text
    lake.sql(
        "GRANT SELECT ON TABLE t TO USER ann; GRANT SELECT ON VIEW w TO USER ann;"
        "GRANT MONITOR ON DYNAMIC TABLE d TO ROLE viewer; GRANT OPERATE ON PIPE p TO USER ann;"
        "GRANT READ VOLUME ON VOLUME v TO USER ann; GRANT USE ON CONNECTION c TO USER ann;"
        "GRANT SELECT ON FUNCTION f TO USER ann; GRANT SELECT ON TABLE STREAM s TO USER ann"
    )
    for text in (word.replace("_", " ") for word in lists.split()):
        if text != "SHOW TABLES HISTORY":
            assert rows(viewer, text), text
    assert [row[1] for row in rows(viewer, "SHOW TABLES")] == ["d", "t", "w"]


def test_a_grant_on_a_schema_covers_what_is_in_it_and_what_comes(
    lake: headwater.Connection, viewer: Session
) -> None:
    lake.sql("GRANT SELECT ON SCHEMA public TO USER ann")
    assert may(viewer, "SELECT * FROM t JOIN d ON 1 = 1")
    table_of(lake.session.lake, "newer")
    assert may(viewer, "SELECT * FROM newer")
    assert not may(viewer, "SELECT * FROM VOLUME v (a STRING) USING csv")
    lake.sql("DROP TABLE newer")


def test_all_tables_in_a_schema_are_those_that_it_has_now(
    lake: headwater.Connection, viewer: Session
) -> None:
    lake.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO USER ann")
    assert may(viewer, "SELECT * FROM t JOIN d ON 1 = 1")
    table_of(lake.session.lake, "newer")
    assert not may(viewer, "SELECT * FROM newer")
    lake.sql("DROP TABLE newer")


def test_grants_follow_a_rename_and_end_with_the_object(
    lake: headwater.Connection, viewer: Session
) -> None:
    table_of(lake.session.lake, "old")
    lake.sql("GRANT SELECT ON TABLE old TO USER ann; ALTER TABLE old RENAME TO young")
    assert may(viewer, "SELECT * FROM young")
    lake.sql("DROP TABLE young")
    table_of(lake.session.lake, "young")
    assert not may(viewer, "SELECT * FROM young")
    lake.sql("DROP TABLE young")


def test_a_function_keeps_its_grants_when_it_is_replaced_and_loses_them_when_dropped(
    lake: headwater.Connection, viewer: Session
) -> None:
    create = "FUNCTION g(a INT) RETURNS INT LANGUAGE PYTHON AS $$ return a $$"
    lake.sql(f"CREATE {create}; GRANT SELECT ON FUNCTION g TO USER ann")
    assert may(viewer, "SELECT g(1)")
    lake.sql(f"CREATE OR REPLACE {create}")
    assert may(viewer, "SELECT g(1)")
    lake.sql("DROP FUNCTION g")
    lake.sql(f"CREATE {create}")
    assert not may(viewer, "SELECT g(1)")
    lake.sql("DROP FUNCTION g")


def test_the_grant_option_passes_a_privilege_on_and_no_other(
    lake: headwater.Connection, viewer: Session, session_of: As
) -> None:
    lake.sql("GRANT SELECT ON TABLE t TO USER ann WITH GRANT OPTION")
    viewer.run("GRANT SELECT ON TABLE t TO USER zoe")
    assert may(session_of("zoe", Role.VIEWER), "SELECT * FROM t")
    assert refused(viewer, "GRANT INSERT ON TABLE t TO USER zoe").condition == "ACCESS_DENIED"
    zoe = session_of("zoe", Role.VIEWER)
    assert refused(zoe, "GRANT SELECT ON TABLE t TO USER ann").condition == "ACCESS_DENIED"


def test_a_view_is_read_with_the_rights_of_its_owner(
    lake: headwater.Connection, viewer: Session
) -> None:
    lake.sql("GRANT SELECT ON VIEW w TO USER ann")
    assert may(viewer, "SELECT * FROM w")
    assert not may(viewer, "SELECT * FROM t")
    lake.sql("GRANT OWNERSHIP ON VIEW w TO USER zoe")
    assert not may(viewer, "SELECT * FROM w")
    lake.sql("GRANT SELECT ON TABLE t TO USER zoe")
    assert may(viewer, "SELECT * FROM w")


def test_a_refresh_reads_with_the_rights_of_the_owner(
    lake: headwater.Connection, session_of: As
) -> None:
    operator = session_of("ann", Role.OPERATOR)
    assert may(operator, "REFRESH DYNAMIC TABLE d")
    lake.sql("GRANT OWNERSHIP ON DYNAMIC TABLE d TO USER zoe")
    assert not may(operator, "REFRESH DYNAMIC TABLE d")
    lake.sql("GRANT SELECT ON TABLE t TO USER zoe")
    assert may(operator, "REFRESH DYNAMIC TABLE d")


@pytest.mark.parametrize(("end", "state"), [("disabled", "disabled"), ("dropped", "dropped")])
def test_what_somebody_owned_stands_still_when_they_are_gone(
    lake: headwater.Connection, session_of: As, end: str, state: str
) -> None:
    store = lake.session.lake.store
    user = User(f"id-{end}", end, "no hash", Role.DEVELOPER, now())
    store.users.create(user)
    lake.sql(f"GRANT OWNERSHIP ON DYNAMIC TABLE d TO USER {end}")
    if end == "dropped":
        lake.sql(f"DROP USER {end}")
    else:
        lake.sql(f"ALTER USER {end} SET DISABLED = TRUE")
    error = refused(session_of("ann", Role.OPERATOR), "REFRESH DYNAMIC TABLE d")
    assert error.condition == "OWNER_DISABLED"
    assert error.message == (
        f"DYNAMIC TABLE public.d runs with the rights of its owner, user '{end}', who is {state}"
    )


def test_a_nested_view_asks_for_each_owner(lake: headwater.Connection, viewer: Session) -> None:
    store = lake.session.lake.store
    inner = store.tables.get("headwater", "public", "w")
    assert inner is not None
    assert inner.kind is TableKind.VIEW
    outer = replace(inner, id="id-outer", name="outer_view", view_text="SELECT * FROM w")
    store.tables.insert_active(outer)
    lake.sql(
        "GRANT SELECT ON VIEW outer_view TO USER ann; GRANT OWNERSHIP ON VIEW w TO USER zoe;"
        "GRANT OWNERSHIP ON VIEW outer_view TO USER zoe"
    )
    assert not may(viewer, "SELECT * FROM outer_view")
    lake.sql("GRANT SELECT ON TABLE t TO USER zoe")
    assert may(viewer, "SELECT * FROM outer_view")
    lake.sql("DROP VIEW outer_view")


def test_temporary_views_are_ones_own(lake: headwater.Connection, viewer: Session) -> None:
    viewer.state.temporary_views.add("mine")
    assert may(viewer, "SELECT * FROM mine")
    assert not may(viewer, "SELECT * FROM yours")


@pytest.mark.usefixtures("secret")
def test_a_temporary_view_may_have_the_name_of_what_is_hidden(viewer: Session) -> None:
    assert may(viewer, "CREATE TEMPORARY VIEW secret AS SELECT 1")
    assert not may(viewer, "CREATE TEMPORARY VIEW secret AS SELECT * FROM secret")


def test_jobs_are_seen_by_who_ran_them(lake: headwater.Connection, session_of: As) -> None:
    viewer = session_of("ann", Role.VIEWER)
    creators = {row[2] for row in rows(viewer, "SHOW JOBS")}
    assert creators == {"ann"}
    assert {row[2] for row in rows(session_of("ann", Role.OPERATOR), "SHOW JOBS")} > {"ann"}


def test_a_token_is_worth_no_more_than_the_session_that_made_it(session_of: As) -> None:
    capped = session_of("ann", Role.VIEWER)
    made = rows(capped, "CREATE TOKEN mine FOR USER ann ROLE admin")
    assert made[0][2] == "viewer"
    capped.run("DROP TOKEN mine FOR USER ann")


def test_an_admin_and_the_lakes_owner_cost_no_question(
    lake: headwater.Connection, session_of: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the database was asked")

    store = lake.session.lake.store
    for asked, method in ((store.grants, "of"), (store.securables, "find"), (store.users, "get")):
        monkeypatch.setattr(asked, method, never)
    assert may(lake.session, "SELECT * FROM t")
    assert may(session_of("ann", Role.ADMIN), "SELECT * FROM secret_of_somebody")


def test_the_audit_keeps_what_was_made_granted_and_refused_and_no_secret(
    lake: headwater.Connection, viewer: Session
) -> None:
    lake.sql(
        "CREATE USER bob PASSWORD 'correct horse battery' ROLE viewer;"
        "ALTER USER bob SET PASSWORD 'staple correct horse';"
        "CREATE SCHEMA audited; DROP SCHEMA audited; GRANT SELECT ON TABLE t TO USER bob"
    )
    token = lake.sql("CREATE TOKEN shown FOR USER bob").rows[0][3]
    with pytest.raises(UserError):
        viewer.run("DROP TABLE t")
    with pytest.raises(HeadwaterError):
        lake.sql("CREATE USER bob PASSWORD 'correct horse battery' ROLE viewer")
    lake.sql("DROP USER bob")
    store = lake.session.lake.store
    lines = store.audit.list()
    kept = [(line.kind.value, line.user, line.ok, line.text) for line in lines]
    assert ("DENIED", "ann", False, "DROP TABLE t") in kept
    assert ("DDL", "tester", True, "CREATE SCHEMA audited") in kept
    assert ("GRANT", "tester", True, "GRANT SELECT ON TABLE t TO USER bob") in kept
    assert ("USER", "tester", True, "ALTER USER bob SET PASSWORD '****'") in kept
    failed = ("USER", "tester", False, "CREATE USER bob PASSWORD '****' ROLE viewer")
    assert failed in kept
    everything = repr(lines) + repr(store.jobs.list()) + repr(store.users.list())
    for secret in ("horse", "staple", str(token)):
        assert secret not in everything
    database = lake.session.lake.folder.path / "catalog.db"
    raw = b"".join(path.read_bytes() for path in database.parent.glob("catalog.db*"))
    for secret in ("correct horse", "staple", str(token), str(token).split("_", 2)[2]):
        assert secret.encode() not in raw


def test_lineage_shows_what_leads_from_something_seen_to_something_seen(
    lake: headwater.Connection, session_of: As
) -> None:
    viewer = session_of("ann", Role.VIEWER)
    assert rows(viewer, "SHOW LINEAGE") == []
    everything = rows(session_of("ann", Role.OPERATOR), "SHOW LINEAGE")
    assert ("TABLE", "public", "t", "VIEW", "public", "w", None) in everything
    assert ("VOLUME", "public", "v", "PIPE", "public", "p", None) in everything
    assert ("PIPE", "public", "p", "TABLE", "public", "t", None) in everything
    lake.sql("GRANT SELECT ON VIEW w TO USER ann")
    assert rows(viewer, "SHOW LINEAGE") == []
    lake.sql("GRANT MONITOR ON TABLE t TO USER ann")
    assert [row[1:6] for row in rows(viewer, "SHOW LINEAGE OF w")] == [
        ("public", "t", "VIEW", "public", "w")
    ]
