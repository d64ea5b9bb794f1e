"""A client that talks to `acdl lsp` as an editor does, the server being a program or a thread, which starts sooner."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pytest_lsp import LanguageClient, make_test_lsp_client

from acdl_mkdocs.frontends.lsp import serve

PATIENCE_S = 600
"""So long a test waits for something that has to come, also on a machine that does much else."""


def at(text: str, mark: str = "|") -> tuple[str, lsp.Position]:
    """A text without its mark, and the place of the mark in UTF-16."""
    offset = text.index(mark)
    before = text[:offset].split("\n")
    return text.replace(mark, "", 1), lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)


@dataclass
class Talk:
    """An editor with a folder."""

    client: LanguageClient
    folder: Path
    greeting: lsp.InitializeResult
    checked: list[object]
    """One for each time that all files have been checked."""
    registered: list[lsp.RegistrationParams]
    """What the server has asked to be told of."""
    versions: dict[str, int] = field(default_factory=dict)

    def uri(self, name: str) -> str:
        """What the editor calls a file of the folder."""
        return (self.folder / name).as_uri()

    def doc(self, name: str) -> lsp.TextDocumentIdentifier:
        """The same as a parameter."""
        return lsp.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str, language: str = "") -> str:
        """Open a document, which need not be a file."""
        uri = name if ":" in name else self.uri(name)
        language = language or ("acdl" if name.endswith(".acdl") else "markdown")
        self.versions[uri] = 1
        item = lsp.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, *changes: lsp.TextDocumentContentChangeEvent) -> None:
        """Edit an open document."""
        self.versions[uri] += 1
        identifier = lsp.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, list(changes)))

    def replace(self, uri: str, text: str) -> None:
        """Give an open document another text."""
        self.change(uri, lsp.TextDocumentContentChangeWholeDocument(text))

    def close(self, uri: str) -> None:
        """Close a document."""
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def rules(self, uri: str) -> list[str]:
        """The rules of the problems that the editor shows."""
        return [str(each.code) for each in self.client.diagnostics.get(uri, ())]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE_S):
            while not is_so():
                await asyncio.sleep(0.01)

    async def shows(self, uri: str, *rules: str) -> list[lsp.Diagnostic]:
        """Wait until the editor shows problems of these rules, and no others."""
        try:
            await self.until(lambda: uri in self.client.diagnostics and sorted(self.rules(uri)) == sorted(rules))
        except TimeoutError:
            raise AssertionError(f"{uri} shows {self.rules(uri)}, and not {rules}") from None
        return list(self.client.diagnostics[uri])

    def _send(self, method: str, params: object) -> Any:
        return self.client.protocol.send_request_async(method, params)  # type: ignore[no-untyped-call]  # pygls

    async def ask(self, method: str, params: object) -> Any:
        """Ask something that may not be of the protocol."""
        return await asyncio.wait_for(self._send(method, params), PATIENCE_S)


@asynccontextmanager
async def talk(
    folder: Path,
    capabilities: lsp.ClientCapabilities | None = None,
    options: object = None,
    folders: list[Path] | None = None,
    *,
    is_program: bool = False,
) -> AsyncIterator[Talk]:
    """Start the server, introduce the editor, and say goodbye at the end, after which the server has ended well."""
    before = Path.cwd()
    client = make_test_lsp_client()
    checked: list[object] = []
    registered: list[lsp.RegistrationParams] = []
    client.feature("acdl/checked")(lambda params: checked.append(params))
    client.feature("acdl/changed")(lambda _: None)
    client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda params: registered.append(params))
    ended = await (_start_program if is_program else _start_thread)(client, folder)
    named = [lsp.WorkspaceFolder(each.as_uri(), each.name) for each in folders] if folders is not None else None
    given = lsp.InitializeParams(
        capabilities=capabilities or lsp.ClientCapabilities(),
        root_uri=folder.as_uri(),
        workspace_folders=named,
        initialization_options=options,
    )
    greeting = await client.initialize_session(given)
    editor = Talk(client, folder, greeting, checked, registered)
    try:
        yield editor
    finally:
        await asyncio.wait_for(client.shutdown_session(), PATIENCE_S)
        status = await asyncio.wait_for(ended, PATIENCE_S)
        await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp
        os.chdir(before)  # a server works in the first of its folders
    assert status == 0


async def _start_program(client: LanguageClient, folder: Path) -> "asyncio.Future[int]":
    """Start the command; its status comes later."""
    await client.start_io(sys.executable, "-m", "acdl_mkdocs", "lsp", cwd=folder)
    assert client._server
    return asyncio.ensure_future(client._server.wait())


async def _start_thread(client: LanguageClient, folder: Path) -> "asyncio.Future[int]":
    """Start the server in this process; its status comes later."""
    os.chdir(folder)
    (asked, asking), (answered, answering) = os.pipe(), os.pipe()
    client.protocol.set_writer(StdoutWriter(os.fdopen(asking, "wb")))
    reading = run_async(client._stop_event, StdinAsyncReader(os.fdopen(answered, "rb")), client.protocol)
    client._async_tasks.append(asyncio.create_task(reading))
    return asyncio.ensure_future(
        asyncio.to_thread(serve.serve_streams, os.fdopen(asked, "rb"), os.fdopen(answering, "wb"))
    )
