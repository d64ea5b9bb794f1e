"""A queue of client messages: read as they come, and handled one after another.

A queued message can be withdrawn: a request that the editor cancels is not started, and at shutdown the editor
does not wait for long answers. Requests across documents wait until the files of the workspace are
known, while others continue. Knows nothing about ACDL.
"""

import asyncio
import json
import logging
import re
from collections import deque
from collections.abc import Iterator
from io import BufferedReader
from threading import Thread
from typing import Any, BinaryIO

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcRequestCancelled

from acdl_mkdocs.frontends.lsp.json_rpc import JsonRpcConnection

_WORKSPACE_REQUESTS = frozenset(
    (
        lsp.TEXT_DOCUMENT_CODE_LENS,
        lsp.TEXT_DOCUMENT_DEFINITION,
        lsp.TEXT_DOCUMENT_PREPARE_RENAME,
        lsp.TEXT_DOCUMENT_REFERENCES,
        lsp.TEXT_DOCUMENT_RENAME,
        lsp.WORKSPACE_SYMBOL,
    )
)
"""Requests whose answer is wrong, and not only shorter, while some files are not known."""
PATIENCE_S = 30.0
"""Seconds that such a request waits for the files."""
_CONTENT_MODIFIED = -32801
_REQUEST_FAILED = -32803
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_LONGEST_LINE = 8_192
"""The longest line of a header: input without a line end is read in pieces of this size."""
_MOST_BYTES = 256_000_000
"""The largest message."""
_LOG = logging.getLogger(__name__)

Message = dict[str, Any]


class MessageQueue:
    """The messages of one editor."""

    def __init__(self, protocol: JsonRpcConnection) -> None:
        """Wait for `run`.

        Parameters:
            protocol: Handles messages.
        """
        self._protocol = protocol
        self._queue: deque[Message | None] = deque()
        """Messages in the order of arrival; `None` marks their end."""
        self._later: list[tuple[Message, int]] = []
        """Messages that wait for the files, with the number of edits before each."""
        self._has_files = self._is_due = False
        self._n_edits = 0

    def run_until_end(self, stream: BufferedReader) -> None:
        """Handle messages until the editor sends no more."""
        asyncio.run(self._handle_stream(stream))

    async def _handle_stream(self, stream: BufferedReader) -> None:
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[None] = self._loop.create_future()
        Thread(target=self._read_stream, args=(stream,), name="acdl-reading", daemon=True).start()
        await self._end

    def _read_stream(self, stream: BufferedReader) -> None:
        """Read in a thread, so that messages that arrive during handling are known when it is done."""
        try:
            for body in _read_bodies(stream):
                self._loop.call_soon_threadsafe(self._receive_message, body)
            self._loop.call_soon_threadsafe(self._add_message, None)
        except RuntimeError:
            return  # the loop has ended

    def _receive_message(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as reason:
            _LOG.error("a message is not JSON: %s", str(reason) or "it is nested too deeply")
            return
        if not isinstance(message, dict):
            _LOG.error("a message is not an object: %s", str(message)[:200])
            return
        method, params = message.get("method"), message.get("params")
        if method == lsp.CANCEL_REQUEST:
            number = params.get("id") if isinstance(params, dict) else None
            if _is_id(number):
                self._cancel_request(number)
            return
        if not _is_id(message.get("id")):
            _LOG.error("the id of a message is neither a number nor a text: %s", str(message)[:200])
            self._protocol.refuse_request(None, JsonRpcInvalidRequest("the id is neither a number nor a text"))
            return
        if method == lsp.SHUTDOWN:
            for each in (*self._queue, *(waiting for waiting, _ in self._later)):
                if each and _is_across(each):
                    self._cancel_request(each["id"])
        self._add_message(message)

    def _add_message(self, message: Message | None) -> None:
        self._queue.append(message)
        self._resume_queue()

    def _resume_queue(self) -> None:
        """Handle the next message when everything read meanwhile is known."""
        if self._queue and not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._handle_next)

    def _cancel_request(self, number: object) -> None:
        """Withdraw a request that is not started; cancel one that runs in the background."""
        if not any(_is_request(each, number) for each in (*self._queue, *(each for each, _ in self._later))):
            self._protocol.cancel_request(number)
            return
        self._queue = deque(each for each in self._queue if not _is_request(each, number))
        self._later = [each for each in self._later if not _is_request(each[0], number)]
        self._protocol.refuse_request(number, JsonRpcRequestCancelled("the request was cancelled"))

    def _handle_next(self) -> None:
        self._is_due = False
        if not self._queue:
            return  # it was cancelled
        message = self._queue.popleft()
        try:
            if message is None:
                self._finish_queue()
            elif _is_across(message) and not self._has_files:
                self._postpone_message(message)
            else:
                self._n_edits += message.get("method") == lsp.TEXT_DOCUMENT_DID_CHANGE
                self._protocol.handle_message(self._protocol.structure_message(message))
        except BrokenPipeError:
            self._finish_queue()
        except Exception as reason:  # a fault in one message must not end all others
            _LOG.error("a message could not be handled: %s", reason)
        self._resume_queue()

    def _finish_queue(self) -> None:
        if not self._end.done():
            self._end.set_result(None)

    def _postpone_message(self, message: Message) -> None:
        if not self._later:
            self._loop.call_later(PATIENCE_S, self._give_up)
        self._later.append((message, self._n_edits))

    def _give_up(self) -> None:
        later, self._later = self._later, []
        for message, _ in later:
            reason = "the files of the workspace are still being looked at; try again in a moment"
            self._protocol.refuse_request(message["id"], JsonRpcException(reason, code=_REQUEST_FAILED))

    def handle_postponed(self) -> None:
        """Handle the messages that waited for the files, unless a text was edited since: positions have moved."""
        self._has_files = True
        later, self._later = self._later, []
        for message, n_edits in reversed(later):
            if n_edits == self._n_edits:
                self._queue.appendleft(message)
            else:
                reason = JsonRpcException("a text was edited meanwhile", code=_CONTENT_MODIFIED)
                self._protocol.refuse_request(message["id"], reason)
        self._resume_queue()


def _is_id(number: object) -> bool:
    """Return whether a value is a valid request id; `None` is that of messages without one."""
    return number is None or (isinstance(number, (int, float, str)) and not isinstance(number, bool))


def _is_across(message: Message) -> bool:
    return "id" in message and message.get("method") in _WORKSPACE_REQUESTS


def _is_request(message: Message | None, number: object) -> bool:
    return message is not None and "method" in message and "id" in message and message["id"] == number


def _read_bodies(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bodies of messages, up to the end of a stream, or to one that is longer than any editor sends."""
    length = 0
    while line := stream.readline(_LONGEST_LINE):
        if match := _LENGTH.fullmatch(line):
            length = int(match[1])
            if length > _MOST_BYTES:
                _LOG.error("a message has %d bytes, and at most %d are read; the server ends", length, _MOST_BYTES)
                return
        elif length and not line.strip():
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
            length = 0
