"""What is taken back before its turn, what waits for the files of the workspace, and what waits for nobody."""

import asyncio
import subprocess
import time
from io import BufferedReader, BytesIO
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from acdl_mkdocs.frontends.lsp import message_queue
from acdl_mkdocs.frontends.lsp.json_rpc import JsonRpcConnection
from acdl_mkdocs.frontends.lsp.message_queue import MessageQueue
from lsp.talking import at, talk
from lsp.test_session import COMMAND, HELLO, READY, message

HOVER, REFERENCES, RENAME, SYMBOL = (
    lsp.TEXT_DOCUMENT_HOVER,
    lsp.TEXT_DOCUMENT_REFERENCES,
    lsp.TEXT_DOCUMENT_RENAME,
    lsp.WORKSPACE_SYMBOL,
)
BEGIN = message(method="begin")
FILES = message(method="files")
WAIT = message(method="wait")


class _Stream(BytesIO):
    """Bytes, and when all of them were read."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.is_read = Event()

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(-1 if size is None else size)
        if not line:
            self.is_read.set()
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        if len(content) < (size or 0):
            self.is_read.set()
        return content


class _Heard:
    """Stands for the protocol: notes what is handled and refused; `begin` lasts until all has been read."""

    def __init__(self, *messages: bytes) -> None:
        self.handled: list[object] = []
        self.refused: dict[object, int] = {}
        self.ended: list[object] = []
        self._stream = _Stream(b"".join((BEGIN, *messages)))
        self._turns = MessageQueue(cast("JsonRpcConnection", self))
        self._turns.run_until_end(cast("BufferedReader", self._stream))

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        return data

    def handle_message(self, data: dict[str, Any]) -> None:
        method = data.get("method")
        if method == "begin":
            assert self._stream.is_read.wait(20)
        elif method == "files":
            self._turns.handle_postponed()
        elif method == "wait":
            time.sleep(0.2)
        elif method == "fault":
            raise ValueError
        else:
            self.handled.append(data.get("id", method))

    def refuse_request(self, number: object, reason: JsonRpcException) -> None:
        assert reason.code is not None
        self.refused[number] = reason.code

    def cancel_request(self, number: object) -> None:
        self.ended.append(number)


def _cancel(number: object) -> bytes:
    return message(method="$/cancelRequest", params={"id": number})


def test_cancelled_before_its_turn() -> None:
    """A request that is taken back is not begun; an answer of the editor with the same number is."""
    heard = _Heard(
        FILES,
        *(message(id=number, method=REFERENCES) for number in (1, 2, 3)),
        message(id=2, result=None),
        _cancel(2),
        _cancel(77),
        message(id="x", method=HOVER),
        _cancel("x"),
        message(id=4, method=HOVER),
    )
    assert heard.handled == [1, 3, 2, 4]
    assert heard.refused == {2: -32800, "x": -32800}
    assert heard.ended == [77]


def test_goodbye_overtakes_long_answers() -> None:
    """`shutdown` does not wait for requests across documents; what is quick is answered before it."""
    heard = _Heard(
        FILES,
        *(message(id=number, method=REFERENCES) for number in (1, 2)),
        message(id=3, method=HOVER),
        message(id=4, method="shutdown"),
        message(method="exit"),
    )
    assert heard.handled == [3, 4, "exit"]
    assert heard.refused == {1: -32800, 2: -32800}


def test_requests_across_documents_wait_for_the_files() -> None:
    """A rename is answered when the files are known, and hover at once; afterwards nothing waits."""
    heard = _Heard(message(id=1, method=RENAME), message(id=2, method=HOVER), FILES, WAIT, message(id=3, method=SYMBOL))
    assert heard.handled[0] == 2
    assert sorted(cast("list[int]", heard.handled)) == [1, 2, 3]
    assert heard.refused == {}


def test_places_of_another_text_are_not_used() -> None:
    """What waited while a text was edited is refused, so that the editor asks again."""
    heard = _Heard(message(id=1, method=RENAME), message(method=lsp.TEXT_DOCUMENT_DID_CHANGE), FILES)
    assert heard.refused == {1: -32801}
    assert heard.handled == [lsp.TEXT_DOCUMENT_DID_CHANGE]


def test_nothing_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the files are not known after a while, the editor is told so."""
    monkeypatch.setattr(message_queue, "PATIENCE_S", 0.01)
    heard = _Heard(message(id=1, method=RENAME), WAIT, message(id=2, method=HOVER))
    assert (heard.handled, heard.refused) == ([2], {1: -32803})


def test_what_cannot_be_read_is_passed_over() -> None:
    """Garbage, and a fault while something is handled, do not end what follows."""
    garbage = b"Content-Length: 3\r\n\r\n{]}" + b"Content-Length: 2\r\n\r\n[]" + b"Nonsense\r\n"
    other = b"content-type: x\r\ncontent-length: 2\r\n\r\n{}"
    heard = _Heard(garbage, message(method="fault"), other, message(id=1, method=HOVER), b"Content-Length: 9\r\n\r\n{")
    assert heard.handled[-1] == 1


def test_exit_while_the_editor_stays(tmp_path: Path) -> None:
    """The server ends after `exit`, also if the editor keeps its end of the pipe open."""
    started = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path)
    assert started.stdin
    started.stdin.write(b"".join((HELLO, READY, message(id=2, method="shutdown"), message(method="exit"))))
    started.stdin.flush()
    try:
        assert started.wait(30) == 0
    finally:
        started.kill()
        started.communicate()


def test_rename_before_the_files_are_read(tmp_path: Path) -> None:
    """A rename right after the start changes all files of the workspace."""
    text, place = at("StrFrag Pa|rt[@t]: { env.a[@t] }\n")
    (tmp_path / "part.acdl").write_text(text, "utf-8")
    for number in range(40):
        (tmp_path / f"s{number}.acdl").write_text(f"P{number}[@T]: {{ U: {{ Frag Part[@T] }} }}\n", "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path, is_program=True) as editor:
            uri = editor.open("part.acdl", text)
            found = await editor.client.text_document_rename_async(
                lsp.RenameParams(lsp.TextDocumentIdentifier(uri), place, "Whole")
            )
            assert found
            assert found.changes
            assert len(found.changes) == 41

    asyncio.run(scenario())
