"""What a statement does that a client sent as SQL: its pieces run one after the other."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from headwater.errors import HeadwaterError, NotSupported, UserError
from headwater.result import Result
from headwater.service.statement import Statement
from headwater.session import Session
from headwater.sql.masking import masked_with_span
from headwater.sql.split import pieces_of
from headwater.sql.tokens import tokenize

_LOCAL = ("PUT", "GET")


def run_script(
    session: Session, script: str, statement: Statement, *, exchange: Path | None = None
) -> Generator[Result, None, None]:
    """The results of a script, each as it comes; its jobs are noted with the statement.

    With an exchange, PUT and GET move files of that folder; else they are refused.
    """
    if exchange is None:
        yield from _results(session, script, statement, local_files=False)
        return
    session.state.exchange = exchange
    try:
        yield from _results(session, script, statement, local_files=True)
    finally:
        session.state.exchange = None


def _results(
    session: Session, script: str, statement: Statement, *, local_files: bool
) -> Generator[Result, None, None]:
    for piece in pieces_of(script):
        if statement.cancel_asked:
            raise UserError("JOB_CANCELLED", job_id=statement.id)
        if not local_files:
            _require_no_local_files(piece.text)
        yield session.run(piece.text, announce=statement.job_ids.append)


def _require_no_local_files(text: str) -> None:
    """Refuse what would read or write files of the service's machine for a client elsewhere."""
    try:
        first = tokenize(text)[0]
    except UserError:
        return
    if first.upper in _LOCAL:
        error: HeadwaterError = NotSupported("LOCAL_FILES_NOT_REMOTE", statement=first.upper)
        error.statement, error.span = masked_with_span(text, first.span)
        raise error
