"""Queries that may take seconds, answered in a separate thread: typing and hovering do not wait for them.

Results about texts are shared with the loop of the server, so that they are computed once. When nothing else is
to be done, all texts are read ahead. Knows no protocol.
"""

import asyncio
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeVar

from acdl_mkdocs.foundation import system
from acdl_mkdocs.frontends.editor.vocabulary import vocabulary
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.lsp.checks import Worker
from acdl_mkdocs.frontends.lsp.session import Session

_T = TypeVar("_T")
_SLICE_S = 0.05
"""The time after which reading ahead lets a waiting query run."""


class Aside:
    """A queue of queries about the workspace of a session."""

    def __init__(self, session: Session) -> None:
        """Start to wait for queries.

        Parameters:
            session: The session whose workspace is read ahead.
        """
        self._session = session
        self._worker = Worker("acdl-aside")
        self._last = self._twin = Workspace({})
        self._is_stopped = self._is_begun = False
        self.is_read = False
        """Whether all texts have been read ahead, so that queries about many of them are quick."""

    def ask(self, question: Callable[[Workspace], _T]) -> "asyncio.Future[_T]":
        """Run a query on the current workspace; one that is cancelled before its turn is not started."""
        loop, workspace = asyncio.get_running_loop(), self._session.workspace
        answer: asyncio.Future[_T] = loop.create_future()

        def work() -> None:
            if answer.cancelled() or self._is_stopped:
                return
            try:
                found = question(self._twin_of(workspace))
            except Exception as reason:  # the caller handles it
                loop.call_soon_threadsafe(_fail, answer, reason)
            else:
                loop.call_soon_threadsafe(_give, answer, found)

        self._worker.add(work)
        return answer

    def read_ahead(self) -> None:
        """Read all texts once, a few at a time, so that the first query about many of them is quick."""
        if not self._is_begun:
            self._is_begun = True
            self._worker.add(lambda: self._read(iter(tuple(self._session.workspace.documents))))

    def _read(self, left: Iterator[str]) -> None:
        workspace = self._twin_of(self._session.workspace)
        end = monotonic() + _SLICE_S
        with system.paused():
            for uri in (each for each in left if each in workspace.documents):
                for piece in workspace.pieces(uri):
                    workspace.sites(piece)
                vocabulary(workspace.documents[uri].text)
                if self._is_stopped:
                    return
                if monotonic() > end:
                    self._worker.add(lambda: self._read(left))
                    return
        self.is_read = True

    def _twin_of(self, workspace: Workspace) -> Workspace:
        if self._last is not workspace:
            self._last, self._twin = workspace, workspace.with_settings()  # shares results, not computations
        return self._twin

    def stop(self) -> None:
        """Stop answering."""
        self._is_stopped = True
        self._worker.stop()


def _give(answer: "asyncio.Future[_T]", found: _T) -> None:
    if not answer.done():
        answer.set_result(found)


def _fail(answer: "asyncio.Future[_T]", reason: Exception) -> None:
    if not answer.done():
        answer.set_exception(reason)
