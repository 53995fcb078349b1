"""The table of who may type what: one line per statement, written by hand, not made from the code.

A line has a statement, the lowest role that may type it, and what else that role must have been
granted. Operators may watch and operate everything, so they need no grant of MONITOR or OPERATE.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.sql.roles import Role

V, O, D, A = Role.VIEWER, Role.OPERATOR, Role.DEVELOPER, Role.ADMIN  # noqa: E741


@dataclass(frozen=True)
class Line:
    text: str
    role: Role
    needs: tuple[str, ...] = ()

    def allowed(self, role: Role, granted: tuple[str, ...]) -> bool:
        """Whether somebody with a role and these grants may type it."""
        if role is A:
            return True
        held = set(granted)
        return role.covers(self.role) and all(_met(need, role, held) for need in self.needs)


def _met(need: str, role: Role, held: set[str]) -> bool:
    privilege, on = need.split(" ON ")
    if need in held:
        return True
    if role.covers(O) and privilege in ("MONITOR", "OPERATE"):
        return True
    # Any privilege on an object shows it; a schema is shown by what it holds, too.
    beside = [grant for grant in held if grant.endswith(f" ON {on}")]
    shows = bool(beside) or (
        on.startswith("SCHEMA") and any(not g.endswith((" c", " vc1")) for g in held)
    )
    return privilege == "MONITOR" and shows


def line(text: str, role: Role, *needs: str) -> Line:
    return Line(text, role, needs)


T, VIEW, DT, VOL, PIPE = "TABLE t", "VIEW w", "DYNAMIC TABLE d", "VOLUME v", "PIPE p"
STREAM, FUNCTION, HERE, C, VC = (
    "TABLE STREAM s",
    "FUNCTION f",
    "SCHEMA public",
    "CONNECTION c",
    "VCLUSTER vc1",
)

MATRIX = (
    line("SELECT * FROM t", V, f"SELECT ON {T}"),
    line("SELECT 1", V),
    line("SELECT * FROM w", V, f"SELECT ON {VIEW}"),
    line("SELECT * FROM s", V, f"SELECT ON {STREAM}"),
    line("SELECT f('a') FROM t", V, f"SELECT ON {T}", f"SELECT ON {FUNCTION}"),
    line("SELECT * FROM t JOIN d ON 1 = 1", V, f"SELECT ON {T}", f"SELECT ON {DT}"),
    line("WITH x AS (SELECT * FROM t) SELECT * FROM x", V, f"SELECT ON {T}"),
    line("WITH t AS (SELECT * FROM t) SELECT * FROM t", V, f"SELECT ON {T}"),
    line("SELECT 1 WHERE 1 IN (SELECT length(line) FROM t)", V, f"SELECT ON {T}"),
    line("SELECT * FROM t TIMESTAMP AS OF '2026-01-01'", V, f"SELECT ON {T}"),
    line("TABLE t", V, f"SELECT ON {T}"),
    line("EXPLAIN SELECT * FROM t", V, f"SELECT ON {T}"),
    line("SELECT * FROM VOLUME v (a STRING) USING csv", V, f"READ VOLUME ON {VOL}"),
    line("SELECT * FROM DIRECTORY(VOLUME v)", V, f"READ VOLUME ON {VOL}"),
    line("SELECT * FROM TABLE VOLUME t (a STRING) USING csv", V, f"SELECT ON {T}"),
    line("SELECT GET_PRESIGNED_URL(VOLUME v, 'a.csv')", V, f"READ VOLUME ON {VOL}"),
    line("SELECT * FROM TABLE_CHANGES('t', '2026-01-01', '2026-01-02')", V, f"SELECT ON {T}"),
    line("SELECT * FROM LOAD_HISTORY('t')", V, f"MONITOR ON {T}"),
    line("SHOW LOAD HISTORY OF t", V, f"MONITOR ON {T}"),
    line("SELECT * FROM information_schema.tables", V),
    line("SELECT * FROM (SHOW TABLES)", V),
    line("SELECT * FROM (DESC t)", V, f"MONITOR ON {T}"),
    line(
        "SELECT * FROM READ_KAFKA('b:1', 't', '', 'g', '', '', '', '', 'raw', 'raw', 0, map())", D
    ),
    line("SELECT reflect('java.lang.System', 'getenv')", D),
    line("SELECT TRANSFORM (a) USING 'cat' FROM VALUES (1) AS x(a)", D),
    line("CREATE TEMPORARY VIEW tv AS SELECT * FROM t", V, f"SELECT ON {T}"),
    line("CREATE TEMPORARY VIEW tv USING csv OPTIONS (path '/etc/passwd')", A),
    line("CREATE TEMPORARY FUNCTION tf AS 'a.B'", D),
    line("CACHE TABLE t", O, f"SELECT ON {T}"),
    line("CACHE LAZY TABLE t", O, f"SELECT ON {T}"),
    line("SHOW FUNCTIONS", V),
    line("INSERT INTO t VALUES ('a')", O, f"INSERT ON {T}"),
    line("INSERT INTO t SELECT * FROM d", O, f"INSERT ON {T}", f"SELECT ON {DT}"),
    line("INSERT OVERWRITE t VALUES ('a')", O, f"INSERT ON {T}", f"DELETE ON {T}"),
    line("UPDATE t SET line = 'b' WHERE line = 'a'", O, f"UPDATE ON {T}", f"SELECT ON {T}"),
    line("DELETE FROM t WHERE line = 'a'", O, f"DELETE ON {T}", f"SELECT ON {T}"),
    line(
        "MERGE INTO t USING d ON t.line = d.line WHEN MATCHED THEN DELETE"
        " WHEN NOT MATCHED THEN INSERT *",
        O,
        f"SELECT ON {T}",
        f"INSERT ON {T}",
        f"DELETE ON {T}",
        f"SELECT ON {DT}",
    ),
    line("TRUNCATE TABLE t", O, f"DELETE ON {T}"),
    line("COPY INTO t FROM VOLUME v USING csv", O, f"INSERT ON {T}", f"READ VOLUME ON {VOL}"),
    line(
        "COPY INTO t FROM VOLUME v USING csv PURGE = TRUE",
        O,
        f"INSERT ON {T}",
        f"READ VOLUME ON {VOL}",
        f"WRITE VOLUME ON {VOL}",
    ),
    line(
        "COPY OVERWRITE t FROM VOLUME v USING csv",
        O,
        f"INSERT ON {T}",
        f"DELETE ON {T}",
        f"READ VOLUME ON {VOL}",
    ),
    line(
        "COPY INTO VOLUME v SUBDIRECTORY 'a' FROM TABLE t FILE_FORMAT = (TYPE = CSV)",
        O,
        f"WRITE VOLUME ON {VOL}",
        f"SELECT ON {T}",
    ),
    line("PUT '/etc/passwd' TO VOLUME v", A),
    line("GET VOLUME v TO '/tmp'", A),
    line("LIST VOLUME v", V, f"READ VOLUME ON {VOL}"),
    line("SHOW VOLUME DIRECTORY v", V, f"READ VOLUME ON {VOL}"),
    line("REMOVE VOLUME v FILE 'a'", O, f"WRITE VOLUME ON {VOL}"),
    line("ALTER VOLUME v REFRESH", O, f"OPERATE ON {VOL}"),
    line("CREATE VOLUME v2", D, f"CREATE VOLUME ON {HERE}"),
    line(
        "CREATE EXTERNAL VOLUME v2 LOCATION 'file:///tmp/x/' USING CONNECTION c",
        D,
        f"CREATE VOLUME ON {HERE}",
        f"USE ON {C}",
    ),
    line("DESC VOLUME v", V, f"MONITOR ON {VOL}"),
    line("DROP VOLUME v", D, f"OWNERSHIP ON {VOL}"),
    line("SHOW VOLUMES", V),
    line("CREATE TABLE n (a INT)", D, f"CREATE TABLE ON {HERE}"),
    line("CREATE TABLE n AS SELECT * FROM t", D, f"CREATE TABLE ON {HERE}", f"SELECT ON {T}"),
    line("CREATE TABLE n LIKE t", D, f"CREATE TABLE ON {HERE}", f"SELECT ON {T}"),
    line("CREATE TABLE n (a INT) LOCATION '/tmp/x'", A),
    line("CREATE OR REPLACE TABLE t (a INT)", D, f"CREATE TABLE ON {HERE}", f"OWNERSHIP ON {T}"),
    line("ALTER TABLE t ADD COLUMN b INT", D, f"OWNERSHIP ON {T}"),
    line("ALTER TABLE t RENAME TO u", D, f"OWNERSHIP ON {T}", f"CREATE TABLE ON {HERE}"),
    line("DROP TABLE t", D, f"OWNERSHIP ON {T}"),
    line("UNDROP TABLE gone", D, f"CREATE TABLE ON {HERE}"),
    line("RESTORE TABLE t TO VERSION AS OF 1", D, f"OWNERSHIP ON {T}"),
    line("OPTIMIZE t", O, f"OPERATE ON {T}"),
    line("VACUUM t", O, f"OPERATE ON {T}"),
    line("DESC t", V, f"MONITOR ON {T}"),
    line("DESC HISTORY t", V, f"MONITOR ON {T}"),
    line("SHOW COLUMNS IN t", V, f"MONITOR ON {T}"),
    line("SHOW PARTITIONS t", V, f"MONITOR ON {T}"),
    line("SHOW CREATE TABLE t", V, f"MONITOR ON {T}"),
    line("SHOW TABLES", V),
    line("SHOW TABLES HISTORY", V),
    line("SHOW TABLE EXTENDED LIKE '*'", V),
    line("SHOW VIEWS", V),
    line("SHOW LINEAGE", V),
    line("SHOW LINEAGE OF t", V, f"MONITOR ON {T}"),
    line("SHOW SCHEMAS", V),
    line("CREATE VIEW n AS SELECT * FROM t", D, f"CREATE VIEW ON {HERE}", f"SELECT ON {T}"),
    line("ALTER VIEW w AS SELECT * FROM t", D, f"OWNERSHIP ON {VIEW}", f"SELECT ON {T}"),
    line("DROP VIEW w", D, f"OWNERSHIP ON {VIEW}"),
    line(
        "CREATE DYNAMIC TABLE n AS SELECT * FROM t",
        D,
        f"CREATE DYNAMIC TABLE ON {HERE}",
        f"SELECT ON {T}",
    ),
    line(
        "CREATE MATERIALIZED VIEW n AS SELECT line FROM t",
        D,
        f"CREATE DYNAMIC TABLE ON {HERE}",
        f"SELECT ON {T}",
    ),
    line("REFRESH DYNAMIC TABLE d", O, f"OPERATE ON {DT}"),
    line("VERIFY DYNAMIC TABLE d", O, f"OPERATE ON {DT}"),
    line("EXPLAIN REFRESH DYNAMIC TABLE d", V, f"MONITOR ON {DT}"),
    line("EXPLAIN CREATE DYNAMIC TABLE n AS SELECT * FROM t", D, f"SELECT ON {T}"),
    line("ALTER DYNAMIC TABLE d SUSPEND", O, f"OPERATE ON {DT}"),
    line("ALTER DYNAMIC TABLE d SET REFRESH INTERVAL '5' MINUTE VCLUSTER 'vc1'", O, f"USE ON {VC}"),
    line("ALTER DYNAMIC TABLE d SET COMMENT = 'x'", D, f"OWNERSHIP ON {DT}"),
    line("DROP DYNAMIC TABLE d", D, f"OWNERSHIP ON {DT}"),
    line("SHOW DYNAMIC TABLES", V),
    line("SHOW DYNAMIC TABLE REFRESH HISTORY", V),
    line("SHOW DYNAMIC TABLE REFRESH HISTORY d", V, f"MONITOR ON {DT}"),
    line(
        "CREATE PIPE p2 VIRTUAL_CLUSTER = 'vc1' INGEST_MODE = 'LIST_PURGE' AS"
        " COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE",
        D,
        f"CREATE PIPE ON {HERE}",
        f"USE ON {VC}",
        f"INSERT ON {T}",
        f"READ VOLUME ON {VOL}",
        f"WRITE VOLUME ON {VOL}",
    ),
    line("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE", O, f"OPERATE ON {PIPE}"),
    line("ALTER PIPE p REFRESH", O, f"OPERATE ON {PIPE}"),
    line("ALTER PIPE p SKIP FILE 'a.csv'", O, f"OPERATE ON {PIPE}"),
    line("ALTER PIPE p RETRY FILE 'a.csv'", O, f"OPERATE ON {PIPE}"),
    line("ALTER PIPE p SET VIRTUAL_CLUSTER = 'vc1'", D, f"OWNERSHIP ON {PIPE}", f"USE ON {VC}"),
    line("DESC PIPE p", V, f"MONITOR ON {PIPE}"),
    line("SHOW CREATE PIPE p", V, f"MONITOR ON {PIPE}"),
    line("SHOW PIPES", V),
    line("DROP PIPE p", D, f"OWNERSHIP ON {PIPE}"),
    line(
        "CREATE TABLE STREAM s2 ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')",
        D,
        f"CREATE STREAM ON {HERE}",
        f"SELECT ON {T}",
    ),
    line("CREATE STREAM s2 ON VOLUME v", D, f"CREATE STREAM ON {HERE}", f"READ VOLUME ON {VOL}"),
    line("DESC TABLE STREAM s", V, f"MONITOR ON {STREAM}"),
    line("SHOW TABLE STREAMS", V),
    line("DROP TABLE STREAM s", D, f"OWNERSHIP ON {STREAM}"),
    line(
        "CREATE FUNCTION g(a INT) RETURNS INT LANGUAGE PYTHON AS $$ return a $$",
        D,
        f"CREATE FUNCTION ON {HERE}",
    ),
    line("DESC FUNCTION f", V, f"MONITOR ON {FUNCTION}"),
    line("SHOW USER FUNCTIONS", V),
    line("DROP FUNCTION f", D, f"OWNERSHIP ON {FUNCTION}"),
    line("CREATE SCHEMA n", D),
    line("ALTER SCHEMA public SET COMMENT 'x'", D, f"OWNERSHIP ON {HERE}"),
    line("DESC SCHEMA public", V, f"MONITOR ON {HERE}"),
    line("USE public", V, f"MONITOR ON {HERE}"),
    line("DROP SCHEMA public CASCADE", D, f"OWNERSHIP ON {HERE}"),
    line("CREATE STORAGE CONNECTION c2 TYPE FILE", A),
    line("CREATE STORAGE CONNECTION c2 TYPE S3 REGION = 'r' ACCESS_KEY = 'a' SECRET_KEY = 'b'", D),
    line(
        "CREATE EXTERNAL TABLE k (key BINARY, value BINARY) USING kafka"
        " OPTIONS ('group_id' = 'g', 'topics' = 'a') CONNECTION c",
        D,
        f"CREATE TABLE ON {HERE}",
        f"USE ON {C}",
    ),
    line("DESC CONNECTION c", V, f"MONITOR ON {C}"),
    line("SHOW CONNECTIONS", V),
    line("DROP CONNECTION c", D, f"OWNERSHIP ON {C}"),
    line("CREATE VCLUSTER vc2", A),
    line("ALTER VCLUSTER vc1 SUSPEND", O, f"OPERATE ON {VC}"),
    line("ALTER VCLUSTER vc1 SET COMMENT 'x'", D, f"OWNERSHIP ON {VC}"),
    line("DESC VCLUSTER vc1", V, f"MONITOR ON {VC}"),
    line("DESC VCLUSTER default", V),
    line("USE VCLUSTER vc1", V, f"USE ON {VC}"),
    line("USE VCLUSTER default", V),
    line("SHOW VCLUSTERS", V),
    line("SHOW PRELOAD CACHED STATUS", V),
    line("DROP VCLUSTER vc1", D, f"OWNERSHIP ON {VC}"),
    line("SHOW JOBS", V),
    line("DESC JOB 'of-tester'", O),
    line("DESC JOB 'of-ann'", V),
    line("CANCEL JOB 'of-tester'", O),
    line("CANCEL JOB 'of-ann'", V),
    line("SET query_tag = 'x'", V),
    line("SET TIME ZONE 'UTC'", V),
    line("SET spark.sql.ansi.doubleQuotedIdentifiers = true", D),
    line("SET spark.sql.catalog.x = y", D),
    line("SET", V),
    line("RESET query_tag", V),
    line("CREATE USER bob PASSWORD 'abcdefgh' ROLE viewer", A),
    line("ALTER USER ann SET PASSWORD 'abcdefgh'", V),
    line("ALTER USER ann SET ROLE admin", A),
    line("ALTER USER ann SET DISABLED = FALSE", A),
    line("ALTER USER zoe SET PASSWORD 'abcdefgh'", A),
    line("DROP USER ann", A),
    line("SHOW USERS", V),
    line("SHOW AUDIT", V),
    line("SHOW ROLES", V),
    line("CREATE TOKEN k FOR USER ann", V),
    line("CREATE TOKEN k FOR USER zoe", A),
    line("DROP TOKEN k FOR USER ann", V),
    line("DROP TOKEN k FOR USER zoe", A),
    line("SHOW TOKENS", V),
    line("GRANT SELECT ON TABLE t TO USER zoe", V, f"OWNERSHIP ON {T}"),
    line("GRANT OWNERSHIP ON TABLE t TO USER ann", A),
    line("GRANT SELECT ON ALL TABLES IN SCHEMA public TO ROLE viewer", V, f"OWNERSHIP ON {HERE}"),
    line("REVOKE SELECT ON TABLE t FROM USER zoe", V, f"OWNERSHIP ON {T}"),
    line("CREATE TASK k SCHEDULE (EVERY MINUTE) AS SELECT 1", D),
    line("CREATE TASK k SCHEDULE (EVERY MINUTE) LANGUAGE PYTHON AS $$print(1)$$", D),
    line("ALTER TASK k SET RETRY NEVER", D),
    line("ALTER TASK k UNSET COMMENT", D),
    line("ALTER TASK k RENAME TO k2", D),
    line("ALTER TASK k PAUSE", O),
    line("ALTER TASK k OFFLINE WITH DOWNSTREAM", O),
    line("SUBMIT TASK k", D),
    line("DROP TASK k", D),
    line("EXECUTE TASK k", O),
    line("BACKFILL TASK k FROM '2026-01-01' TO '2026-01-02'", O),
    line("SHOW TASKS", O),
    line("DESC TASK k", O),
    line("SHOW CREATE TASK k", O),
    line("SHOW TASK VERSIONS k", O),
    line("SHOW TASK INSTANCES", O),
    line("DESC TASK INSTANCE 'x'", O),
    line("ALTER TASK INSTANCE 'x' SET SUCCESS", O),
    line("RERUN TASK INSTANCE 'x'", O),
    line("CREATE ALERT a ON FAILURE OF ANY TASK NOTIFY 'json://h'", A),
    line("DROP ALERT a", A),
    line("SHOW ALERTS", O),
    line("SHOW ALERT EVENTS", O),
    line("SHOW GRANTS", V),
    line("SHOW GRANTS ON TABLE t", V, f"MONITOR ON {T}"),
)
