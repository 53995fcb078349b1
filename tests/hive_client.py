"""PyHive as the tests use it: a server that does not answer fails a test and never hangs it.

PyHive itself waits for ever, and once more when the timeout of the test closes its connection.
"""

from __future__ import annotations

from pyhive import hive
from thrift.transport.TSocket import TSocket
from thrift_sasl import TSaslClientTransport

ANSWER_SECONDS = 60


def connect_hive(
    port: int, *, username: str = "ada", password: str = "secret", database: str = "default"
) -> hive.Connection:
    """A connection with a name and a secret."""
    socket = TSocket("127.0.0.1", port)
    socket.setTimeout(ANSWER_SECONDS * 1000)

    def login() -> object:
        return hive.get_installed_sasl(
            host="127.0.0.1", sasl_auth="PLAIN", username=username, password=password
        )

    transport = TSaslClientTransport(login, "PLAIN", socket)
    return hive.connect(thrift_transport=transport, username=username, database=database)
