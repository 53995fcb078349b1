"""What a statement does that a client sent as SQL: its pieces run one after the other."""

from __future__ import annotations

from collections.abc import Generator

from headwater.errors import HeadwaterError, NotSupported, UserError
from headwater.result import Result
from headwater.service.statement import Statement
from headwater.session import Session
from headwater.sql.masking import masked_with_span
from headwater.sql.split import pieces_of
from headwater.sql.tokens import tokenize

_LOCAL = ("PUT", "GET")


def run_script(
    session: Session, script: str, statement: Statement
) -> Generator[Result, None, None]:
    """The results of a script, each as it comes; its jobs are noted with the statement."""
    for piece in pieces_of(script):
        if statement.cancel_asked:
            raise UserError("JOB_CANCELLED", job_id=statement.id)
        if session.state.exchange is None:
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
