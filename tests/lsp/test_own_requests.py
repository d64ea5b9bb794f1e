"""What the server can do beyond the protocol: previews, files to save, what is sent, a fence as in a page."""

import asyncio
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInternalError

from acdl_mkdocs import __version__
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.lsp.server import is_refusal
from lsp.talking import Talk, talk

SPEC = "Chat[@T]: {\n    S: { RULES }\n    U: env.question[@T]\n}\n"
STATE = "acdl_state: 1\nspec: Chat\nenv:\n  question: [What is ACDL?]\ntemplates:\n  RULES: Be short.\n"


def asked(folder: Path, method: str, more: Mapping[str, object], text: str = SPEC) -> Any:
    """The answer about a document that is open."""

    async def scenario() -> Any:
        async with talk(folder) as editor:
            uri = editor.open("chat.acdl", text)
            return plain(await editor.ask(method, {"textDocument": {"uri": uri}, **more}))

    return asyncio.run(scenario())


def plain(value: Any) -> Any:
    """An answer as plain data, which the client has made objects of."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_preview(tmp_path: Path) -> None:
    """The figure of a document, with the place of each of its parts."""
    answer = asked(tmp_path, "acdl/preview", {})
    assert answer["title"]
    assert (answer["version"], answer["hasState"], answer["problems"]) == (1, False, {"errors": 0, "warnings": 0})
    assert [each["name"] for each in answer["specs"]] == ["Chat"]
    assert 'class="acdl' in answer["html"]
    assert "<script" not in answer["html"]
    assert {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 23}} in [*answer["ranges"].values()]


def test_preview_with_a_state_and_a_difference(tmp_path: Path) -> None:
    """A state beside a document gives points to step through; another text gives the difference."""
    (tmp_path / "chat.state.yaml").write_text(STATE, "utf-8")
    answer = asked(tmp_path, "acdl/preview", {"at": "1", "against": {"text": SPEC, "name": "old.acdl"}})
    assert (answer["hasState"], answer["isEqual"]) == (True, True)
    assert answer["points"]


def test_preview_against_a_revision(tmp_path: Path) -> None:
    """The document as it is open is compared with what git has."""
    (tmp_path / "chat.acdl").write_text(SPEC, "utf-8")
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*name, "commit", "-qm", "one")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    changed = SPEC.replace("question", "words")
    assert asked(tmp_path, "acdl/preview", {"against": {"revision": "HEAD"}}, changed)["isEqual"] is False
    with pytest.raises(JsonRpcException, match="no revision `nowhere`"):
        asked(tmp_path, "acdl/preview", {"against": {"revision": "nowhere"}})


@pytest.mark.parametrize(
    ("kind", "mime"), [("svg", "image/svg+xml"), ("text", "text/plain"), ("json", "application/json")]
)
def test_export(tmp_path: Path, kind: str, mime: str) -> None:
    """A figure for the editor to save; the server writes nothing."""
    answer = asked(tmp_path, "acdl/export", {"format": kind, "spec": "Chat"})
    assert (answer["mime"], answer["encoding"]) == (mime, "utf-8")
    assert "question" in answer["data"]
    assert list(tmp_path.iterdir()) == []


def test_export_of_a_picture(tmp_path: Path) -> None:
    """Bytes are sent as base64."""
    answer = asked(tmp_path, "acdl/export", {"format": "png", "scale": 1})
    assert b64decode(answer["data"])[:4] == b"\x89PNG"


def test_evaluate(tmp_path: Path) -> None:
    """What a spec sends with the state beside it; without one, the answer says what is missing."""
    (tmp_path / "chat.state.yaml").write_text(STATE, "utf-8")
    answer = asked(tmp_path, "acdl/evaluate", {"spec": "Chat", "at": "1"})
    assert "What is ACDL?" in answer["text"]
    assert answer["state"] == (tmp_path / "chat.state.yaml").as_uri()
    asked_json = asked(tmp_path, "acdl/evaluate", {"spec": "Chat", "at": "1", "format": "openai"})
    assert asked_json["language"] == "json"


def test_fence(tmp_path: Path) -> None:
    """A fence is drawn as in a page, with fragments of other files; one that is broken shows its problem."""
    (tmp_path / "parts.acdl").write_text("StrFrag Greeting[@T]: { HELLO }\n", "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            await editor.until(lambda: bool(editor.checked))
            uri = editor.open("page.md", "# Page\n")
            params = {"uri": uri, "header": "```acdl", "text": "P[@T]: { U: { Frag Greeting[@T] } }\n"}
            drawn = plain(await editor.ask("acdl/fence", params))["html"]
            assert "<figure" in drawn
            assert "no fragment named" not in drawn
            broken = plain(await editor.ask("acdl/fence", params | {"text": "P[@T]: {"}))["html"]
            assert "never closed" in broken
            other = plain(await editor.ask("acdl/fence", params | {"header": "```python"}))["html"]
            assert other == ""

    asyncio.run(scenario())


def test_infer(tmp_path: Path) -> None:
    """Recordings become a spec with its states, and sentences about what it is worth."""
    bodies = ['{"messages": [{"role": "user", "content": "q1"}]}', '{"messages": [{"role": "user", "content": "q2"}]}']
    run = tmp_path / "run.jsonl"
    run.write_text("\n".join(bodies), "utf-8")
    answer = asked(tmp_path, "acdl/infer", {"recordings": [run.as_uri()], "name": "Talk"})
    assert answer["isProven"] is True
    assert "Talk[@T]: {" in answer["text"]
    assert [each["spec"] for each in answer["states"]] == ["Talk"]
    assert "q1" in answer["states"][0]["text"]
    assert answer["notes"][0].startswith("Talk: sends 2 requests of 2 runs exactly")
    spec = tmp_path / "talk.acdl"
    spec.write_text("Talk[@T]: {\n    U: sys.asked[@T] // mine\n    S: REMINDER\n}\n", "utf-8")
    refined = asked(tmp_path, "acdl/infer", {"recordings": [run.as_uri()], "into": spec.as_uri()})
    assert refined["text"] == "Talk[@T]: {\n    U: sys.asked[@T] // mine\n}\n"


def test_commands(tmp_path: Path) -> None:
    """The same can be had as commands, for editors that know no requests of ours."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("chat.acdl", SPEC)
            params = {"textDocument": {"uri": uri}, "format": "text"}
            command = lsp.ExecuteCommandParams("acdl.server.export", [params])
            assert "question" in plain(await editor.ask("workspace/executeCommand", command))["data"]
            provider = editor.greeting.capabilities.execute_command_provider
            assert provider
            assert "acdl.server.preview" in provider.commands

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("acdl/preview", [], "have to be an object"),
        ("acdl/preview", {"textDocument": {"uri": "file:///nowhere.acdl"}}, "no such document"),
        ("acdl/preview", {"textDocument": 3}, "no such document"),
        ("acdl/export", {"format": "gif"}, "gif"),
        ("acdl/export", {"spec": "Nobody"}, "Nobody"),
        ("acdl/export", {"width": "wide"}, "`width` has to be a number"),
        ("acdl/evaluate", {"spec": 3}, "`spec` has to be a text"),
        ("acdl/evaluate", {"state": "nowhere.yaml"}, "nowhere.yaml"),
        ("acdl/infer", {}, "`recordings` has to be a list"),
        ("acdl/infer", {"recordings": ["untitled:run"]}, "`recordings` has to be a list"),
        ("acdl/infer", {"recordings": ["file:///x.jsonl"], "into": "untitled:a"}, "`into` has to be the address"),
        ("acdl/infer", {"recordings": ["file:///nowhere.jsonl"]}, "nowhere.jsonl: there is no such file"),
    ],
)
def test_refused(tmp_path: Path, method: str, params: object, said: str) -> None:
    """What cannot be done is an error with a sentence, and the server goes on."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("chat.acdl", SPEC)
            if isinstance(params, dict) and "textDocument" not in params:
                params["textDocument"] = {"uri": uri}
            with pytest.raises(JsonRpcException, match=said):
                await editor.ask(method, params)
            await still_works(editor)

    asyncio.run(scenario())


async def still_works(editor: Talk) -> None:
    """The server answers."""
    symbols = lsp.DocumentSymbolParams(editor.doc("chat.acdl"))
    assert await editor.ask("textDocument/documentSymbol", symbols) is not None


def test_a_refusal_is_no_fault_in_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is refused is told to the editor alone: nothing is written to the log."""
    with pytest.raises(JsonRpcException, match="Nobody"):
        asked(tmp_path, "acdl/export", {"spec": "Nobody"})
    with pytest.raises(JsonRpcException, match="git"):
        asked(tmp_path, "acdl/preview", {"against": {"revision": "HEAD"}})
    assert "Traceback" not in (said := capfd.readouterr().err)
    assert "ERROR" not in said


def test_faults_are_logged() -> None:
    """A fault of ours is one."""
    assert is_refusal(JsonRpcException("no", code=-32803))
    assert not is_refusal(JsonRpcInternalError("no"))
    assert not is_refusal(ValueError("no"))


def test_problems_of_a_preview_are_those_that_are_shown(tmp_path: Path) -> None:
    """The numbers are those of the list of problems: also what stands around a block counts."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("page.md", "```acdl sohw=both\nP[@T]: { U: A_B }\n```\n")
            await editor.until(lambda: len(editor.rules(uri)) == 1)
            answer = plain(await editor.ask("acdl/preview", {"textDocument": {"uri": uri}}))
            assert sum(answer["problems"].values()) == 1

    asyncio.run(scenario())


def test_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor can ask whether the server would start: with the version, or as the missing extra."""
    assert main(["lsp", "--version"]) == 0
    assert capsys.readouterr().out == f"acdl {__version__}\n"
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp", "--version"]) == 2
    assert "acdl-mkdocs[lsp]" in capsys.readouterr().err
