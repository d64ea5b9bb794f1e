"""Queries that may take seconds, answered in a separate thread: typing and hovering do not wait for them.

Results about texts are shared with the loop of the server, so that they are computed once. When nothing else is
to be done, all texts are read ahead. Knows no protocol.
"""

import asyncio
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeVar

from acdl_mkdocs.foundation import system
from acdl_mkdocs.frontends.editor.vocabulary import collect_vocabulary
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.lsp.checks import CheckWorker
from acdl_mkdocs.frontends.lsp.session import Session

_T = TypeVar("_T")
_SLICE_S = 0.05
"""The time after which reading ahead lets a waiting query run."""


class BackgroundQueries:
    """A queue of queries about the workspace of a session."""

    def __init__(self, session: Session) -> None:
        """Start to wait for queries.

        Parameters:
            session: The session whose workspace is read ahead.
        """
        self._session = session
        self._worker = CheckWorker("acdl-aside")
        self._last = self._twin = Workspace({})
        self._is_stopped = self._is_begun = False
        self.is_read = False
        """Whether all texts have been read ahead, so that queries about many of them are quick."""

    def run_query(self, question: Callable[[Workspace], _T]) -> "asyncio.Future[_T]":
        """Run a query on the current workspace; one that is cancelled before its turn is not started."""
        loop, workspace = asyncio.get_running_loop(), self._session.workspace
        answer: asyncio.Future[_T] = loop.create_future()

        def work() -> None:
            if answer.cancelled() or self._is_stopped:
                return
            try:
                result = question(self._workspace_copy(workspace))
            except Exception as reason:  # the caller handles it
                loop.call_soon_threadsafe(_set_exception, answer, reason)
            else:
                loop.call_soon_threadsafe(_set_result, answer, result)

        self._worker.add_work(work)
        return answer

    def read_ahead(self) -> None:
        """Read all texts once, a few at a time, so that the first query about many of them is quick."""
        if not self._is_begun:
            self._is_begun = True
            self._worker.add_work(lambda: self._prepare_workspace(iter(tuple(self._session.workspace.documents))))

    def _prepare_workspace(self, left: Iterator[str]) -> None:
        workspace = self._workspace_copy(self._session.workspace)
        end = monotonic() + _SLICE_S
        with system.pause_collector():
            for uri in (each for each in left if each in workspace.documents):
                for piece in workspace.pieces_of(uri):
                    workspace.list_names(piece)
                collect_vocabulary(workspace.documents[uri].text)
                if self._is_stopped:
                    return
                if monotonic() > end:
                    self._worker.add_work(lambda: self._prepare_workspace(left))
                    return
        self.is_read = True

    def _workspace_copy(self, workspace: Workspace) -> Workspace:
        if self._last is not workspace:
            self._last, self._twin = workspace, workspace.with_settings()  # shares results, not computations
        return self._twin

    def stop_queries(self) -> None:
        """Stop answering."""
        self._is_stopped = True
        self._worker.stop_worker()


def _set_result(answer: "asyncio.Future[_T]", result: _T) -> None:
    if not answer.done():
        answer.set_result(result)


def _set_exception(answer: "asyncio.Future[_T]", reason: Exception) -> None:
    if not answer.done():
        answer.set_exception(reason)
