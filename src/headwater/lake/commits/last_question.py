"""A question asked at the last moment before Delta commits; who is refused there commits nothing.

Delta lets an observer watch the transactions of a thread. Ours asks when a transaction has begun,
has written its files, and is about to write its entry into the log: between a check in Python and
that moment lie seconds of work, in which the process may have stood still.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.lake.in_jvm.named import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OBSERVER = "org.apache.spark.sql.delta.TransactionExecutionObserver"

Question = Callable[[], None]


class LastQuestion:
    """Asks for the transactions of a session, whatever thread they are made in."""

    def __init__(self, session: SparkSession) -> None:
        observers = java_class(session, _OBSERVER)
        self._get, self._set = observers.getObserver, observers.setObserver
        self._observer = _Observer(java_class(session, "scala.Option").empty)

    @contextmanager
    def asked(self, question: Question) -> Iterator[None]:
        """Ask before every commit of this thread; what the question raises is raised here."""
        asking = self._observer.asking
        before = self._get()
        asking.question, asking.refusal = question, None
        self._set(self._observer)
        try:
            yield
        except BaseException:
            if asking.refusal is not None:
                # What came through the JVM is only its text.
                raise asking.refusal from None
            raise
        finally:
            asking.question = None
            self._set(before)


class _Asking(threading.local):
    """What a thread asks: Java calls back in the thread that called it."""

    question: Question | None = None
    refusal: BaseException | None = None


class _Observer:
    """Delta's observer, as Java calls it; all but one of its moments are of no interest."""

    class Java:
        """What it is to Java."""

        implements = (_OBSERVER,)

    def __init__(self, nothing: Callable[[], Any]) -> None:
        self._nothing = nothing
        self.asking = _Asking()

    def beginDoCommit(self) -> None:  # noqa: N802 - Java's name, as are those below
        if self.asking.question is not None:
            try:
                self.asking.question()
            except BaseException as error:
                self.asking.refusal = error
                raise

    def startingTransaction(self, work: Any) -> Any:  # noqa: N802
        return work.apply()

    def preparingCommit(self, work: Any) -> Any:  # noqa: N802
        return work.apply()

    def createChild(self) -> _Observer:  # noqa: N802
        return self

    def beginBackfill(self) -> None:  # noqa: N802
        pass

    def beginPostCommit(self) -> None:  # noqa: N802
        pass

    def transactionCommitted(self) -> None:  # noqa: N802
        pass

    def transactionAborted(self) -> None:  # noqa: N802
        pass

    def advanceToNextThreadObserver(self) -> None:  # noqa: N802
        pass

    def getNextObserver(self) -> Any:  # noqa: N802
        return self._nothing()

    def nextObserver(self) -> Any:  # noqa: N802
        return self._nothing()
