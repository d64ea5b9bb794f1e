"""How the server begins, goes on whatever it is told, and ends."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive, few
from lsprotocol import types as lsp

from acdl_mkdocs.frontends.lsp.session import Session, TextChange
from lsp.talking import talk

BROKEN = "P[@T]: { U: { Frag Nobody[@T] } }\n"
COMMAND = [sys.executable, "-m", "acdl_mkdocs", "lsp"]


def message(**fields: object) -> bytes:
    """A message on the wire."""
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


HELLO = message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
READY = message(method="initialized", params={})
GOODBYE = message(id=99, method="shutdown") + message(method="exit")


def spoken(*messages: bytes, folder: Path | None = None) -> tuple[int, dict[Any, Any], str]:
    """Exit status, the answers by their id, and what was logged; everything else on standard output fails."""
    ran = subprocess.run(COMMAND, input=b"".join(messages), capture_output=True, cwd=folder, timeout=600)
    answers: dict[Any, Any] = {}
    rest = ran.stdout
    while rest:
        header, _, rest = rest.partition(b"\r\n\r\n")
        length = int(header.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        read = json.loads(rest[:length])
        answers[read.get("id", read.get("method"))] = read
        rest = rest[length:]
    return ran.returncode, answers, ran.stderr.decode("utf-8", "replace")


def test_goodbye() -> None:
    """The status is 0 after `shutdown` and `exit`."""
    status, answers, logged = spoken(HELLO, READY, GOODBYE)
    assert (status, logged) == (0, "")
    assert answers[99]["result"] is None
    assert answers[1]["result"]["serverInfo"]["name"] == "acdl"
    assert answers[1]["result"]["capabilities"]["experimental"]["acdl"]["preview"] is True


@pytest.mark.parametrize("end", few([message(method="exit"), b""]), ids=["exit", "nothing"])
def test_no_goodbye(end: bytes) -> None:
    """The status is 1 if the editor ends without `shutdown`, or is gone."""
    assert spoken(HELLO, READY, end)[0] == 1


def test_out_of_turn() -> None:
    """A request before `initialize` or after `shutdown` is answered with the error of the protocol."""
    hover = {"textDocument": {"uri": "file:///a.acdl"}, "position": {"line": 0, "character": 0}}
    early = message(id=0, method="textDocument/hover", params=hover)
    late = message(id=100, method="textDocument/hover", params=hover)
    _, answers, _ = spoken(early, HELLO, message(id=99, method="shutdown"), late, message(method="exit"))
    assert answers[0]["error"]["code"] == -32002
    assert answers[100]["error"]["code"] == -32600


@pytest.mark.parametrize(
    "params",
    few(
        [
            {"textDocument": {"uri": 3}, "position": {"line": 0, "character": 0}},
            {"textDocument": {"uri": "file:///a.acdl"}, "position": {"line": "x", "character": 0}},
            {"textDocument": {"uri": "file:///a.acdl"}},
            [],
            None,
        ],
        2,
    ),
)
def test_malformed_request(params: object) -> None:
    """A request with wrong parameters is answered, and so is the next one."""
    wrong = message(id=2, method="textDocument/hover", params=params)
    right = message(id=3, method="textDocument/documentSymbol", params={"textDocument": {"uri": "file:///a.acdl"}})
    status, answers, _ = spoken(HELLO, READY, wrong, right, GOODBYE)
    assert status == 0
    assert "error" in answers[2] or answers[2]["result"] is None
    assert answers[3]["result"] == []


def test_unknown_request() -> None:
    """What the server cannot do is answered with the error of the protocol; what it need not know is passed over."""
    asked = message(id=2, method="textDocument/conjure", params={})
    told = message(method="$/conjured", params={})
    status, answers, _ = spoken(HELLO, READY, told, asked, GOODBYE)
    assert (status, answers[2]["error"]["code"]) == (0, -32601)


def test_malformed_edit() -> None:
    """An edit of a document that is not open, or that goes beyond its end, harms nothing."""
    opened = {"textDocument": {"uri": "file:///a.acdl", "languageId": "acdl", "version": 1, "text": BROKEN}}
    place = {"start": {"line": 900, "character": 0}, "end": {"line": 4, "character": 70_000}}
    edit = {"contentChanges": [{"range": place, "text": "\n// end"}]}
    status, answers, _ = spoken(
        HELLO,
        READY,
        message(method="textDocument/didOpen", params=opened),
        message(
            method="textDocument/didChange", params={"textDocument": {"uri": "file:///b.acdl", "version": 2}, **edit}
        ),
        message(
            method="textDocument/didChange", params={"textDocument": {"uri": "file:///a.acdl", "version": 2}, **edit}
        ),
        message(id=5, method="textDocument/documentSymbol", params={"textDocument": {"uri": "file:///a.acdl"}}),
        message(method="textDocument/didClose", params={"textDocument": {"uri": "file:///b.acdl"}}),
        GOODBYE,
    )
    assert status == 0
    assert [each["name"] for each in answers[5]["result"]] == ["P"]


def test_without_the_extra() -> None:
    """Where pygls is missing, the message says what installs it."""
    code = "import sys; sys.modules['pygls'] = None; from acdl_mkdocs.frontends.cli.main import main\n"
    code += "sys.exit(main(['lsp']))"
    ran = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True)
    assert ran.returncode == 2
    assert "pip install 'acdl-mkdocs[lsp]'" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("uri", "language"),
    few(
        [
            ("untitled:Untitled-1", "acdl"),
            ("file:///c%3A/Users/me/My%20Specs/a.acdl", "acdl"),
            ("file:///C:/Users/me/a.acdl", "acdl"),
            ("vscode-remote://wsl+ubuntu/home/me/a.acdl", "acdl"),
            ("file://server/share/a.acdl", "acdl"),
        ],
        2,
    ),
)
def test_documents_of_all_kinds(tmp_path: Path, uri: str, language: str) -> None:
    """A document that is not a file of this machine is checked like one, and shown by the name that the editor gave."""

    async def scenario() -> None:
        async with talk(tmp_path, is_program=True) as editor:
            editor.open(uri, BROKEN, language)
            await editor.shows(uri, "unknown-fragment")
            editor.close(uri)
            await editor.shows(uri)

    asyncio.run(scenario())


@exhaustive
def test_other_languages_are_left_alone(tmp_path: Path) -> None:
    """A document that is neither ACDL nor Markdown has no problems."""

    async def scenario() -> None:
        async with talk(tmp_path, is_program=True) as editor:
            other = editor.open("a.py", BROKEN, "python")
            ours = editor.open("a.acdl", BROKEN)
            await editor.shows(ours, "unknown-fragment")
            assert other not in editor.client.diagnostics

    asyncio.run(scenario())


def test_two_spellings_of_a_uri(tmp_path: Path) -> None:
    """The text that was opened last is that of the file, and the session continues when either is closed."""
    path, session = tmp_path / "a.acdl", Session(folders=(tmp_path,))
    other = path.as_uri().replace("a.acdl", "%61.acdl")
    session.open_document(path.as_uri(), "P[@T]: { U: A }", "acdl", 1)
    session.open_document(other, BROKEN, "acdl", 1)
    assert session.open_texts() == {path: BROKEN}
    assert session.change_document(path.as_uri(), [TextChange("")], 2) is None
    assert session.close_document(path.as_uri()) is None
    assert session.open_texts() == {path: BROKEN}
    assert session.close_document(other) == path
    assert session.open_texts() == {}


def test_files_that_are_no_texts(tmp_path: Path) -> None:
    """Binary files, folders with the name of a spec, dead links and unreadable files do not stop the others."""
    (tmp_path / "binary.acdl").write_bytes(b"\0\1\2" * 100)
    (tmp_path / "latin.md").write_bytes("é".encode("latin-1"))
    (tmp_path / "folder.acdl").mkdir()
    (tmp_path / "dead.acdl").symlink_to(tmp_path / "nowhere.acdl")
    (tmp_path / "good.acdl").write_text(BROKEN, "utf-8")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "a.acdl").write_text(BROKEN, "utf-8")
    (tmp_path / "link.acdl").symlink_to(tmp_path / "good.acdl")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            await editor.until(lambda: bool(editor.checked))
            assert editor.rules(editor.uri("good.acdl")) == ["unknown-fragment"]
            assert editor.uri("node_modules/a.acdl") not in editor.client.diagnostics
            said = " ".join(each.message for each in editor.client.messages)
            assert "binary.acdl: is a binary file" in said

    asyncio.run(scenario())


def test_nothing_is_written(tmp_path: Path) -> None:
    """A workspace is after a session as it was before, and may be read-only."""
    (tmp_path / "a.acdl").write_text(BROKEN, "utf-8")
    before = sorted(os.walk(tmp_path))
    tmp_path.chmod(0o555)

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("a.acdl", BROKEN + "\n")
            await editor.shows(uri, "unknown-fragment")
            await editor.until(lambda: bool(editor.checked))

    try:
        asyncio.run(scenario())
    finally:
        tmp_path.chmod(0o755)
    assert sorted(os.walk(tmp_path)) == before


def test_files_that_change_on_the_disk(tmp_path: Path) -> None:
    """The server asks to be told of changes, and looks at what it is told of: new, changed and deleted files."""
    watching = lsp.ClientCapabilities(
        workspace=lsp.WorkspaceClientCapabilities(
            did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        )
    )
    file = tmp_path / "a.acdl"

    async def scenario() -> None:
        async with talk(tmp_path, watching) as editor:
            await editor.until(lambda: bool(editor.registered) and bool(editor.checked))
            watched = editor.registered[0].registrations[0]
            assert watched.method == "workspace/didChangeWatchedFiles"

            def tell(kind: lsp.FileChangeType) -> None:
                event = lsp.FileEvent(file.as_uri(), kind)
                editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))

            file.write_text(BROKEN, "utf-8")
            tell(lsp.FileChangeType.Created)
            await editor.shows(file.as_uri(), "unknown-fragment")
            file.write_text("P[@T]: { U: { env.a[@T] } }\n", "utf-8")
            tell(lsp.FileChangeType.Changed)
            await editor.shows(file.as_uri())
            file.write_text(BROKEN, "utf-8")
            tell(lsp.FileChangeType.Changed)
            await editor.shows(file.as_uri(), "unknown-fragment")
            file.unlink()
            tell(lsp.FileChangeType.Deleted)
            await editor.shows(file.as_uri())

    asyncio.run(scenario())


def test_folders_come_and_go(tmp_path: Path) -> None:
    """A folder that is added is looked at, and one that is removed has no problems any more."""
    first, second = tmp_path / "first", tmp_path / "second"
    for each in (first, second):
        each.mkdir()
        (each / "a.acdl").write_text(BROKEN, "utf-8")

    async def scenario() -> None:
        async with talk(first, folders=[first]) as editor:
            there = (second / "a.acdl").as_uri()
            await editor.shows((first / "a.acdl").as_uri(), "unknown-fragment")
            folder = lsp.WorkspaceFolder(second.as_uri(), "second")
            for event, rules in (
                (lsp.WorkspaceFoldersChangeEvent([folder], []), ["unknown-fragment"]),
                (lsp.WorkspaceFoldersChangeEvent([], [folder]), []),
            ):
                params = lsp.DidChangeWorkspaceFoldersParams(event)
                editor.client.workspace_did_change_workspace_folders(params)
                await editor.shows(there, *rules)

    asyncio.run(scenario())


def test_settings(tmp_path: Path) -> None:
    """Settings that are sent later hold from then on; one that does not exist is told with the near one."""
    (tmp_path / "a.acdl").write_text(BROKEN, "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.uri("a.acdl")
            await editor.shows(uri, "unknown-fragment")
            for wanted, rules in (("open", []), ("workspace", ["unknown-fragment"]), ("off", [])):
                settings = {"acdl": {"diagnostics": wanted}}
                editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
                await editor.shows(uri, *rules)
            wrong = lsp.DidChangeConfigurationParams({"acdl": {"diagnostic": "off"}})
            editor.client.workspace_did_change_configuration(wrong)
            await editor.until(
                lambda: any("did you mean `acdl.diagnostics`?" in each.message for each in editor.client.messages)
            )

    asyncio.run(scenario())


def test_settings_are_asked_for(tmp_path: Path) -> None:
    """An editor that keeps settings is asked for them before anything is checked."""
    (tmp_path / "a.acdl").write_text("P[@T]: { ForEach(@t: range(1, @T)): { U: env.a[@t] } }\n", "utf-8")
    asking = lsp.ClientCapabilities(workspace=lsp.WorkspaceClientCapabilities(configuration=True))

    async def scenario() -> None:
        async with talk(tmp_path, asking) as editor:
            await editor.until(lambda: bool(editor.checked))
            editor.client.set_configuration({"diagnostics": "off"}, section="acdl")
            editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
            uri = editor.open("b.acdl", BROKEN)
            n_checked = len(editor.checked)
            await editor.until(lambda: len(editor.checked) > n_checked)
            assert editor.rules(uri) == []

    asyncio.run(scenario())


def test_the_project_says_how_ranges_are_read(tmp_path: Path) -> None:
    """`acdl.toml` holds in the editor as it does for `acdl check`; so do levels of rules."""
    (tmp_path / "acdl.toml").write_text('[rules]\nunknown-fragment = "note"\n', "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("a.acdl", BROKEN)
            (found,) = await editor.shows(uri, "unknown-fragment")
            assert found.severity == lsp.DiagnosticSeverity.Information

    asyncio.run(scenario())


def test_progress_of_a_large_workspace(tmp_path: Path) -> None:
    """While many files are looked at for the first time, the editor shows how far that is."""
    for number in range(120):
        (tmp_path / f"s{number}.acdl").write_text(f"P{number}[@T]: {{ U: env.a[@T] }}\n", "utf-8")
    showing = lsp.ClientCapabilities(window=lsp.WindowClientCapabilities(work_done_progress=True))

    async def scenario() -> None:
        async with talk(tmp_path, showing) as editor:
            reports = editor.client.progress_reports
            await editor.until(
                lambda: any(getattr(each, "kind", "") == "end" for told in reports.values() for each in told)
            )
            (told,) = reports.values()
            kinds = [getattr(each, "kind", "") for each in told]
            assert kinds[0] == "begin"
            assert kinds[-1] == "end"

    asyncio.run(scenario())


def test_limit_of_files(tmp_path: Path) -> None:
    """Of a workspace that is too large a part is read, and the editor says so."""
    for number in range(5):
        (tmp_path / f"s{number}.acdl").write_text(BROKEN, "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path, options={"settings": {"maxFiles": 3}}) as editor:
            await editor.until(lambda: bool(editor.checked))
            assert sum(bool(each) for each in editor.client.diagnostics.values()) == 3
            assert "more than 3 files" in editor.client.messages[0].message
            await editor.shows(editor.open("s4.acdl", BROKEN), "unknown-fragment")

    asyncio.run(scenario())
