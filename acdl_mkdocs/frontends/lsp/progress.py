"""The progress bar of the editor while a large workspace is read for the first time."""

from typing import Any
from uuid import uuid4

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from acdl_mkdocs.foundation.wording import format_count

_LEAST = 50
"""The least number of files for which progress is shown; fewer are read before anybody could see it."""
_EVERY = 25


class ProgressReporter:
    """A progress bar, at most one at a time; nothing if the editor does not support it."""

    def __init__(self, server: LanguageServer) -> None:
        """Show nothing yet."""
        self._server = server
        self._token: str | None = None
        self._is_wanted = self._is_shown = False
        self._n_done = 0

    def begin_progress(self) -> None:
        """Show that files are about to be read."""
        window = self._server.client_capabilities.window
        self._is_wanted = bool(window and window.work_done_progress) and self._token is None
        self._n_done = 0

    def report_step(self, n_files: int) -> None:
        """Show that one more file of a number was read."""
        self._n_done += 1
        if self._is_wanted and n_files >= _LEAST:
            self._is_wanted = False
            self._token = str(uuid4())
            create = lsp.WorkDoneProgressCreateParams(self._token)
            self._server.window_work_done_progress_create(create, callback=self._confirm_shown)
        elif self._is_shown and self._n_done % _EVERY == 0:
            share = min(100 * self._n_done // max(n_files, 1), 100)
            message = f"{self._n_done} of {format_count(n_files, 'file')}"
            self._send_progress(lsp.WorkDoneProgressReport(message=message, percentage=share))

    def _confirm_shown(self, _: Any) -> None:
        """Show the progress now that the editor is ready, unless it is over already."""
        if self._token:
            self._is_shown = True
            self._send_progress(lsp.WorkDoneProgressBegin("ACDL: checking specs", percentage=0))

    def end_progress(self) -> None:
        """Show that all files were read."""
        if self._is_shown:
            self._send_progress(lsp.WorkDoneProgressEnd())
        self._token, self._is_shown, self._is_wanted = None, False, False

    def _send_progress(self, value: object) -> None:
        if self._token:
            self._server.protocol.notify(
                lsp.PROGRESS, lsp.ProgressParams(self._token, self._server.protocol._converter.unstructure(value))
            )
