"""The schedule of checks during editing: the edited text at once, all others when the writer pauses.

The checks run in a thread; their results arrive in the loop of the server. Knows no protocol.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from acdl_mkdocs.frontends.lsp.publishing import Findings, FoundFiles
from acdl_mkdocs.frontends.lsp.session import Session
from acdl_mkdocs.frontends.lsp.workspace_checks import WorkspaceChecks

Work = Callable[[], None]

_LOG = logging.getLogger(__name__)
_IS_OVER = "Event loop is closed"
"""The message of asyncio about work that ends after the editor has gone."""


class CheckWorker:
    """A thread that does one piece of work after another. It ends with the process: late work is of no use."""

    def __init__(self, name: str) -> None:
        """Start the thread.

        Parameters:
            name: The name of the thread.
        """
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._thread = Thread(target=self._run_work, name=name, daemon=True)
        self._thread.start()

    def add_work(self, work: Work) -> None:
        """Add work to be done after all earlier work."""
        self._queue.put(work)

    def stop_worker(self) -> None:
        """Take no more work."""
        self._queue.put(None)

    def _run_work(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            except Exception as reason:  # a fault in one check must not end all others
                if str(reason) == _IS_OVER:
                    return
                _LOG.exception("a check failed")


_SOON_S = 0.08
"""Seconds without a further edit after which the edited text is checked."""
_PAUSE_S = 0.6
"""Seconds without an edit after which all other texts are checked."""

ReportFindings = Callable[[Path, Findings, int | None], None]
"""A function that takes the findings in a file, and the version of the text if it is open."""


class WorkspaceChecker:
    """Checks the texts of a session."""

    def __init__(self, session: Session, report: ReportFindings, finish: Callable[[], None]) -> None:
        """Wait for `search`.

        Parameters:
            session: The open texts.
            report: Called in the loop with the findings in a file.
            finish: Called in the loop when all files have been reported.
        """
        self._session, self._checker = session, WorkspaceChecks()
        self._report, self._finish = report, finish
        self._worker = CheckWorker("acdl-checks")
        self._soon: dict[str, asyncio.TimerHandle] = {}
        self._pause: asyncio.TimerHandle | None = None
        self._generation = 0
        self._is_stopped = False

    def search_folders(self, take_files: Callable[[FoundFiles], None]) -> None:
        """Search the folders of the session, call `take_files` in the loop, then check everything."""
        loop = asyncio.get_running_loop()
        folders, max_files = self._session.folders, self._session.settings.max_files

        def work() -> None:
            result = self._checker.search_folders(folders, max_files)
            loop.call_soon_threadsafe(take_files, result)
            loop.call_soon_threadsafe(self.check_all)

        self._generation += 1
        self._worker.add_work(work)

    def reread_files(
        self, paths: Iterable[Path], search: Callable[[], None], changed: Callable[[FoundFiles], None]
    ) -> None:
        """Read changed files from the disk again; call `search` in the loop if that is not enough."""
        loop = asyncio.get_running_loop()
        paths = tuple(paths)

        def work() -> None:
            files = self._checker.reread_files(paths)
            loop.call_soon_threadsafe(search) if files is None else loop.call_soon_threadsafe(changed, files)

        self._worker.add_work(work)

    def check_edited(self, uri: str) -> None:
        """Check an open document soon, and all others when nothing happens for a while."""
        loop = asyncio.get_running_loop()
        self._generation += 1
        if uri in self._soon:
            self._soon.pop(uri).cancel()
        self._soon[uri] = loop.call_later(_SOON_S, self.check_document, uri)
        self.check_all_later()

    def check_all_later(self) -> None:
        """Check everything when nothing happens for a while."""
        if self._pause:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(_PAUSE_S, self.check_all)

    def check_document(self, uri: str) -> "asyncio.Future[None]":
        """Check an open document now; the future is done when its findings have been reported."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        pending_check = self._soon.pop(uri, None)
        if pending_check:
            pending_check.cancel()
        document, path = self._session.find_document(uri), self._session.path_of(uri)
        if document is None or path is None:
            done.set_result(None)
            return done
        texts, version, mode = self._session.open_texts(), document.version, self._session.settings.range

        def arrive(findings: Findings | None) -> None:
            if findings is not None:
                self._report(path, findings, version)
            if not done.done():
                done.set_result(None)

        def work() -> None:
            findings = None
            try:
                self._checker.set_texts(texts)
                findings = self._checker.check_file(path, mode)
            finally:
                loop.call_soon_threadsafe(arrive, findings)

        self._worker.add_work(work)
        return done

    def check_all(self) -> None:
        """Check all files of all folders, and all open ones; stop early if something is edited meanwhile."""
        if self._pause:
            self._pause.cancel()
            self._pause = None
        loop = asyncio.get_running_loop()
        self._generation += 1
        generation, mode = self._generation, self._session.settings.range
        texts, versions = self._session.open_texts(), self._document_versions()

        def is_stale() -> bool:
            return self._is_stopped or generation != self._generation

        def work() -> None:
            if is_stale():
                return
            self._checker.set_texts(texts)
            for path, findings in self._checker.check_all(mode, is_stale):
                loop.call_soon_threadsafe(self._report, path, findings, versions.get(path))
            if not is_stale():
                loop.call_soon_threadsafe(self._finish)

        self._worker.add_work(work)

    def list_problems(self) -> tuple[str, ...]:
        """Return sentences about files that could not be checked at all."""
        return self._checker.list_problems()

    def stop_checks(self) -> None:
        """Stop checking."""
        self._is_stopped = True
        self._worker.stop_worker()

    def _document_versions(self) -> Mapping[Path, int]:
        documents = ((uri, self._session.find_document(uri)) for uri in self._session.open_uris)
        paths = ((self._session.path_of(uri), document) for uri, document in documents)
        return {path: document.version for path, document in paths if path and document}
