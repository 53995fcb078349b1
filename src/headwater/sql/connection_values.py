"""What the keys of a connection may hold. No message repeats a value: it may be a secret."""

from __future__ import annotations

import re

from headwater.errors import Span, ValueRejected

_ROLES = {
    "OSS": ("acs:ram::", "a role such as acs:ram::<account>:role/<name>"),
    "COS": ("qcs::cam::", "a role such as qcs::cam::uin/<account>:roleName/<name>"),
    "S3": ("arn:aws", "a role such as arn:aws:iam::<account>:role/<name>"),
}
_HOST = r"(?:[\w.\-]+|\[[0-9A-Fa-f:.]+\])"
_SHAPES = {
    "app_id": (re.compile(r"\d+"), "the digits of the account's APPID"),
    "endpoint": (
        re.compile(rf"(?:https?://)?{_HOST}(?::\d{{1,5}})?/?", re.IGNORECASE),
        "a host, such as oss-cn-hangzhou.aliyuncs.com or http://127.0.0.1:8333",
    ),
    "region": (re.compile(r"[\w\-]+"), "a region, such as cn-hangzhou"),
    "bootstrap_servers": (
        re.compile(rf"{_HOST}:\d{{1,5}}(?:,{_HOST}:\d{{1,5}})*"),
        "brokers with their ports, such as ['host1:9092', 'host2:9092']",
    ),
    "name_node_rpc_addresses": (
        re.compile(rf"{_HOST}:\d{{1,5}}(?:,{_HOST}:\d{{1,5}})*"),
        "name nodes with their ports, such as ['host1:8020', 'host2:8020']",
    ),
    # Brokers that ask for certificates or passwords have no key here to give them with.
    "security_protocol": (re.compile("PLAINTEXT", re.IGNORECASE), "'PLAINTEXT'"),
}
_BLANKS = re.compile(r"[\s\x00-\x1f]")


def require_value(kind: str, key: str, value: str, *, shown: str, span: Span) -> str:
    """`value` as it is kept, or an error at `span` that says what `shown` takes."""
    expected = _problem(kind, key, value)
    if expected is not None:
        raise ValueRejected("CONNECTION_KEY_VALUE", key=shown, expected=expected, span=span)
    return value.upper() if key == "security_protocol" else value


def _problem(kind: str, key: str, value: str) -> str | None:
    if not value:
        return "a text that is not empty"
    if _BLANKS.search(value):
        return "a text without blanks or line ends"
    if key == "role_arn":
        start, expected = _ROLES[kind]
        return None if value.startswith(start) and "role" in value else expected
    pattern, expected = _SHAPES.get(key, (None, ""))
    return None if pattern is None or pattern.fullmatch(value) else expected
