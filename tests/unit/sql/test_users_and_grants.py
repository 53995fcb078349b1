"""Users, tokens and grants as text: what is read, what is refused, and what is never shown."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.grants import GrantedObject, Grantee, GranteeKind, GrantPrivileges
from headwater.sql.masking import mask, secret_values
from headwater.sql.parse import parse
from headwater.sql.privileges import FITTING, Privilege, Securable
from headwater.sql.roles import Role
from headwater.sql.user_tokens import CreateToken
from headwater.sql.users import AlterUser, CreateUser


def test_a_user_is_read_with_its_password_and_written_without_it() -> None:
    statement = parse("CREATE USER Ann PASSWORD 'correct horse' ROLE Developer COMMENT 'x'")
    assert statement == CreateUser("ann", "correct horse", Role.DEVELOPER, "x")
    assert "horse" not in statement.to_sql()
    assert "horse" not in repr(statement)
    changed = parse("ALTER USER ann SET PASSWORD = 'correct horse'")
    assert isinstance(changed, AlterUser)
    assert "horse" not in changed.to_sql() + repr(changed)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE USER ann PASSWORD 'correct horse' ROLE viewer",
        "create user if not exists ann password = 'correct horse' role viewer",
        "ALTER USER ann SET PASSWORD 'correct horse'",
        "ALTER USER ann SET /* was 'correct horse' */ PASSWORD 'correct horse'",
        "CREATE USER ann ROLE viewer PASSWORD 'correct horse",
    ],
)
def test_a_password_is_masked_in_whatever_is_kept_of_a_statement(text: str) -> None:
    assert "horse" not in mask(text).replace("/* was 'correct horse' */", "")


def test_the_name_of_a_token_is_no_secret() -> None:
    text = "CREATE TOKEN laptop FOR USER ann ROLE viewer EXPIRES IN 30 DAYS"
    assert mask(text) == text
    assert secret_values(text) == []
    assert parse(text) == CreateToken("laptop", "ann", Role.VIEWER, 30)


def test_a_grant_is_read() -> None:
    statement = parse("GRANT SELECT, OPERATE ON DYNAMIC TABLE s.d TO ROLE Viewer")
    on = GrantedObject("DYNAMIC TABLE", Securable.TABLE, ObjectName("d", "s"))
    to = Grantee(GranteeKind.ROLE, "viewer")
    assert statement == GrantPrivileges((Privilege.SELECT, Privilege.OPERATE), on, to)


def test_all_is_everything_but_ownership() -> None:
    statement = parse("GRANT ALL ON PIPE p TO USER u")
    assert isinstance(statement, GrantPrivileges)
    assert statement.privileges == (Privilege.OPERATE, Privilege.MONITOR)


@pytest.mark.parametrize("kind", [kind for kind in Securable if kind is not Securable.JOB])
@pytest.mark.parametrize("privilege", list(Privilege))
def test_a_privilege_is_granted_only_on_what_can_have_it(
    kind: Securable, privilege: Privilege
) -> None:
    text = f"GRANT {privilege} ON {kind} x TO USER u"
    if privilege in FITTING[kind]:
        assert parse(text).to_sql() == text
        return
    with pytest.raises(UserError) as caught:
        parse(text)
    assert caught.value.condition == "PRIVILEGE_DOES_NOT_FIT"


@pytest.mark.parametrize(
    ("text", "condition", "at"),
    [
        ("CREATE USER ann PASSWORD 'short' ROLE viewer", "PASSWORD_LENGTH", "'short'"),
        ("CREATE USER `a b` PASSWORD 'longenough' ROLE viewer", "USER_NAME", "`a b`"),
        ("CREATE USER ann PASSWORD 'longenough' ROLE vewer", "ROLE_NOT_FOUND", "vewer"),
        ("CREATE USER ann ROLE viewer", "SYNTAX_ERROR", "ROLE"),
        ("ALTER USER ann SET NAME 'x'", "SYNTAX_ERROR", "NAME"),
        ("CREATE TOKEN t FOR USER u EXPIRES IN 0 DAYS", "PROPERTY_VALUE", "0"),
        ("GRANT SELEKT ON TABLE t TO USER u", "SYNTAX_ERROR", "SELEKT"),
        ("GRANT SELECT ON TABEL t TO USER u", "SYNTAX_ERROR", "TABEL"),
        ("GRANT SELECT ON ALL TABLES IN TABLE t TO USER u", "SYNTAX_ERROR", "TABLE"),
        ("GRANT SELECT ON TABLE t TO GROUP u", "SYNTAX_ERROR", "GROUP"),
        ("GRANT OWNERSHIP ON TABLE t TO ROLE viewer", "OWNERSHIP_TO_ROLE", "OWNERSHIP"),
        ("REVOKE OWNERSHIP ON TABLE t FROM USER u", "OWNERSHIP_REVOKED", "OWNERSHIP"),
    ],
)
def test_what_is_wrong_is_pointed_at(text: str, condition: str, at: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    error = caught.value
    assert error.condition == condition
    assert error.span is not None
    assert text[error.span.start : error.span.end] == at
