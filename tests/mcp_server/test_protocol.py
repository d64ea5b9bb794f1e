"""The server speaks the protocol: lists, schemas, calls, limits, folders of the client; in memory and as a process."""

import asyncio
import base64
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from exhaustive import few
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from acdl_mkdocs.foundation import extras
from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.mcp import server as module
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.server import Service, make_server
from acdl_mkdocs.frontends.mcp.tools import TOOLS, run_tool

ROOT = Path(__file__).parent.parent.parent
LIST = ROOT / "tests" / "data" / "mcp-tools.json"
SPEC = "Chat[@T]: { S: INSTRUCTIONS  U: env.question[@T] }"
MODES = ("auto", "legacy")
ENDLESS = "Chat[@T]: {" + "ForEach(a: range(1, 99999)) {" * 3 + "U: env.x" + "}" * 4


def session(
    work: Callable[[Client], Awaitable[None]], service: Service | None = None, mode: str = "auto", **options: Any
) -> None:
    """Let a client work with a server in memory."""

    async def run() -> None:
        server = make_server(service or Service(Folders((ROOT / "examples",))))
        async with Client(server, mode=mode, **options) as client:
            await work(client)

    asyncio.run(run())


def text_of(result: types.CallToolResult) -> str:
    """The first text of an answer."""
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


@pytest.mark.parametrize("mode", MODES)
def test_tools(mode: str, request: pytest.FixtureRequest) -> None:
    """The list of tools is the one that was looked at: words, arguments, hints, schemas."""

    async def work(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [each.name for each in tools] == [each.name for each in TOOLS]
        for each in tools:
            Draft202012Validator.check_schema(each.input_schema)
            Draft202012Validator.check_schema(each.output_schema or {})
            assert each.annotations is not None
            assert (each.annotations.read_only_hint, each.annotations.open_world_hint) == (True, False)
        listed = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in tools]
        actual = json.dumps(listed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if request.config.getoption("--update-golden", default=False):
            LIST.write_text(actual, "utf-8")
        assert actual == LIST.read_text("utf-8"), "if intended: pytest --update-golden"
        assert len(json.dumps(listed)) < 6_500 * len(TOOLS)

    session(work, mode=mode)


def test_hints_of_a_server_that_may_write() -> None:
    """Tools that can write say so where they may."""

    async def work(client: Client) -> None:
        hints = {each.name: each.annotations for each in (await client.list_tools()).tools}
        writing = {name for name, each in hints.items() if each is not None and not each.read_only_hint}
        assert writing == {each.name for each in TOOLS if each.can_write}

    session(work, Service(Folders((ROOT / "examples",), may_write=True)))


@pytest.mark.parametrize("mode", MODES)
def test_calls(mode: str) -> None:
    """An answer has text, data that the client finds valid, and pictures; a mistake is an error that models read."""

    async def work(client: Client) -> None:
        await client.list_tools()  # so that the client knows the schemas
        found = await client.call_tool("check", {"text": "Chat[@T]: { U: { S: X } }"})
        assert not found.is_error
        assert "error[nested-role]" in text_of(found)
        assert found.structured_content["n_errors"] == 1
        picture = await client.call_tool("render", {"path": "rag.acdl", "format": "png"})
        image = picture.content[-1]
        assert isinstance(image, types.ImageContent)
        assert (image.mime_type, base64.b64decode(image.data)[:4]) == ("image/png", b"\x89PNG")
        for name, sent in (
            ("explain", {"path": "react.acdl"}),
            ("unroll", {"path": "rag.acdl"}),
            ("diff", {"old_path": "react.acdl#React2", "new_path": "react.acdl#React2Corrected", "at": "1.2"}),
            ("check_run", {"path": "agents/react_openai.acdl", "traces": ["agents/react_openai.run.jsonl"]}),
            ("inspect_recording", {"recordings": ["agents/react_openai.run.jsonl"]}),
            ("infer_spec", {"recordings": ["agents"]}),
        ):
            answer = await client.call_tool(name, sent)
            assert not answer.is_error, text_of(answer)
        wrong = await client.call_tool("check", {"path": "../README.md"})
        assert wrong.is_error
        assert wrong.structured_content is None

    session(work, mode=mode)


def test_resources() -> None:
    """The skill, the language, rules and examples can be read; an unknown address is told with the near one."""

    async def work(client: Client) -> None:
        for each in (await client.list_resources()).resources:
            found = (await client.read_resource(each.uri)).contents
            assert isinstance(found[0], types.TextResourceContents)
            assert len(found[0].text) > 500
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["acdl://rules/{name}", "acdl://examples/{name}"]
        assert "nested-role" in str((await client.read_resource("acdl://rules/nested-role")).contents)
        assert len((await client.read_resource("acdl://examples/rag")).contents) == 2
        for wrong, said in (
            ("acdl://skil", "did you mean `acdl://skill`"),
            ("acdl://rules/nested-rol", "did you mean `nested-role`"),
            ("acdl://examples/../../README", "acdl://examples lists them"),
            ("file:///etc/passwd", "there is nothing at"),
        ):
            with pytest.raises(MCPError, match=said):
                await client.read_resource(wrong)
        reference = types.ResourceTemplateReference(uri="acdl://rules/{name}")
        completed = (await client.complete(reference, {"name": "name", "value": "nested"})).completion
        assert completed.values == ["nested-role"]

    session(work)


def test_prompts() -> None:
    """Two tasks, with what they need to know."""

    async def work(client: Client) -> None:
        assert [each.name for each in (await client.list_prompts()).prompts] == ["write_spec", "compare_with_code"]
        for code in ("agent.py", "def build():\n    return [```]"):
            message = (await client.get_prompt("write_spec", {"code": code, "spec": "a.acdl"})).messages[0].content
            assert isinstance(message, types.TextContent)
            assert code in message.text
            assert "Write the spec to `a.acdl`" in message.text
            assert "## The language in short" in message.text
        for name, sent in (("write_spec", {}), ("compare_with_code", {"code": "a.py"}), ("nothing", {})):
            with pytest.raises(MCPError, match=r"missing|there is no prompt"):
                await client.get_prompt(name, sent)

    session(work)


def test_time_limit() -> None:
    """A call that takes too long is ended, and the next one is answered."""

    async def work(client: Client) -> None:
        await client.call_tool("check", {"text": SPEC})
        slow = await client.call_tool("unroll", {"path": "react.acdl"})
        assert slow.is_error
        assert "took longer than" in text_of(slow)
        service.limit_s = 60
        assert not (await client.call_tool("check", {"text": SPEC})).is_error

    service = Service(Folders((ROOT / "examples",)), limit_s=0.001)
    session(work, service)


def test_waiting_is_no_time_of_a_call() -> None:
    """A call that waits for others has not begun: its time counts from when it may run."""

    async def work(client: Client) -> None:
        await client.call_tool("check", {"text": SPEC})
        places, others = service._places, [object() for _ in range(int(service._places.total_tokens))]
        for each in others:
            await places.acquire_on_behalf_of(each)
        service.limit_s = 0.001
        waiting = asyncio.ensure_future(client.call_tool("check", {"text": SPEC}))
        while not places.statistics().tasks_waiting:
            await asyncio.sleep(0)
        service.limit_s = 60
        for each in others:
            places.release_on_behalf_of(each)
        assert not (await waiting).is_error

    service = Service(Folders((ROOT / "examples",)), limit_s=60)
    session(work, service)


@pytest.mark.parametrize(
    "text",
    few(
        [
            ENDLESS,
            "Chat[@T]: { U: env.x" + ".y" * 20_000 + " }",
            "\ufeff\0\ud800\r\n" * 1_000,
            "Chat[@T]: { U: " + "(" * 50_000 + "env.x" + ")" * 50_000 + " }",
            "(" * 390_000,
            "If env.x { " * 30_000,
        ],
        3,
    ),
    ids=["endless", "fields", "controls", "nested", "parentheses", "blocks"],
)
def test_pathological_texts(text: str) -> None:
    """No text takes the server down: it is answered, and one whose evaluation has no end is ended in time."""
    is_endless = text == ENDLESS

    async def work(client: Client) -> None:
        for name in ("check", "explain", "unroll", "render", "format", "new_state", "convert"):
            found = await client.call_tool(name, {"text": text.encode("utf-8", "replace").decode()})
            assert text_of(found)
            assert is_endless or "took longer" not in text_of(found), name
        assert not (await client.call_tool("check", {"text": SPEC})).is_error

    session(work, Service(Folders((ROOT / "examples",)), limit_s=20 if is_endless else 600))


def test_folders_of_the_client(tmp_path: Path) -> None:
    """Where no folder was named, those count that the client says it works in."""
    (tmp_path / "own.acdl").write_text(SPEC, "utf-8")

    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root.model_validate({"uri": tmp_path.as_uri()})])

    async def work(client: Client) -> None:
        assert not (await client.call_tool("check", {"path": "own.acdl"})).is_error
        assert (await client.call_tool("check", {"path": str(ROOT / "examples" / "rag.acdl")})).is_error

    async def not_work(client: Client) -> None:
        assert (await client.call_tool("check", {"path": "own.acdl"})).is_error

    service = Service(Folders((ROOT / "examples",)), takes_client_roots=True)
    session(work, service, mode="legacy", list_roots_callback=roots)
    session(not_work, Service(Folders((ROOT / "examples",))), mode="legacy", list_roots_callback=roots)


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
def test_folders_that_change(tmp_path: Path) -> None:
    """A client that opens another folder is asked again; one that says the whole disk keeps the server in its own."""
    told = ["file:///"]
    (tmp_path / "own.acdl").write_text(SPEC, "utf-8")

    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root.model_validate({"uri": each}) for each in told])

    async def is_read(client: Client, path: Path) -> bool:
        return not (await client.call_tool("check", {"path": str(path)})).is_error

    async def work(client: Client) -> None:
        example, own = ROOT / "examples" / "rag.acdl", tmp_path / "own.acdl"
        assert (await is_read(client, example), await is_read(client, own)) == (True, False)
        for uri, expected in ((tmp_path.as_uri(), (False, True)), ("file:///", (True, False))):
            told[:] = [uri]
            await client.send_roots_list_changed()
            for _ in range(50):  # the news has no answer
                if (await is_read(client, example), await is_read(client, own)) == expected:
                    break
            assert (await is_read(client, example), await is_read(client, own)) == expected

    service = Service(Folders((ROOT / "examples",)), takes_client_roots=True)
    session(work, service, mode="legacy", list_roots_callback=roots)


def test_a_fault_of_ours_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong in a call, the client hears of it."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no way")

    monkeypatch.setattr("acdl_mkdocs.frontends.mcp.tools.check_arguments", broken)
    assert "`check` failed: RuntimeError; send another text, and report it" in run_tool("check", {}, Folders(())).text
    monkeypatch.setattr("anyio.to_process.run_sync", broken)

    async def work(client: Client) -> None:
        found = await client.call_tool("check", {"text": SPEC})
        assert found.is_error
        assert "`check` failed: RuntimeError" in text_of(found)

    session(work)


@pytest.mark.parametrize("mode", few(MODES))
def test_as_a_process(tmp_path: Path, mode: str) -> None:
    """`acdl mcp` over standard input and output, with what it says about calls on standard error."""
    (tmp_path / "own.acdl").write_text(SPEC, "utf-8")
    log = tmp_path / "log"

    async def run() -> None:
        words = ["-m", "acdl_mkdocs", "mcp", "--root", str(tmp_path), "--verbose"]
        parameters = StdioServerParameters(command=sys.executable, args=words, env={"PYTHONPATH": str(ROOT)})
        with log.open("w", encoding="utf-8") as errors:
            async with Client(stdio_client(parameters, errlog=errors), mode=mode) as client:
                assert len((await client.list_tools()).tools) == len(TOOLS)
                found = await client.call_tool("format", {"path": "own.acdl"})
                assert "S: INSTRUCTIONS" in text_of(found)
                assert (await client.call_tool("check", {"path": "/etc/passwd"})).is_error

    asyncio.run(run())
    assert "acdl mcp: format: answered in" in log.read_text("utf-8")


def test_nothing_but_the_protocol_is_printed(tmp_path: Path) -> None:
    """Every line of standard output is a message of the protocol; the server ends with its input."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "check", "arguments": {"text": SPEC}},
    }
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, asked]
    command = [sys.executable, "-m", "acdl_mkdocs", "mcp"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(each) + "\n" for each in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in (1, 2)]
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait(30) == 0
    assert [each["id"] for each in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "acdl"
    assert answers[1]["result"]["structuredContent"]["is_fine"] is True


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing is named with the command that installs it."""

    def load(name: str, extra: str) -> Any:
        raise MissingExtraError(f"`{extra}` needs the package {name}: pip install 'acdl-mkdocs[{extra}]'")

    monkeypatch.setattr(extras, "import_extra", load)
    assert main(["mcp"]) == 2
    assert "pip install 'acdl-mkdocs[mcp]'" in capsys.readouterr().err
    monkeypatch.undo()
    code = f"import sys, {module.__name__}; print({{'mcp', 'mcp_types', 'anyio'}} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.strip() == "set()", ran.stderr


def test_wrong_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A folder that is none, and a limit that is none."""
    assert main(["mcp", "--root", str(tmp_path / "none")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["mcp", "--timeout", "never"])
