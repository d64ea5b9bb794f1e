"""Secrets in every place of a recording, and everything that is made of it: no output has one of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool
from acdl_mkdocs.prompts.prompt import Json

SPEC = "Chat[@T]: {\n    S: sys.role\n    U: env.question[@T]\n    A: resp.call[@T]\n    T: resp.result[@T]\n}\n"
COMMANDS = (
    *(["inspect", "run.jsonl", "--format", name] for name in ("terminal", "json", "html")),
    *(
        ["check-run", "chat.acdl", "run.jsonl", "--format", name]
        for name in ("terminal", "json", "junit", "markdown", "badge")
    ),
    ["check-run", "chat.acdl", "run.jsonl", "--emit-state", "-", "-o", "report.txt"],
    ["check-run", "chat.acdl", "run.jsonl", "--emit-state", "chat.state.yaml"],
    ["infer", "run.jsonl"],
    ["infer", "run.jsonl", "-o", "made.acdl", "--report", "-", "--force"],
    ["unroll", "chat.acdl", "--at", "1.1"],
    ["record", "--replay", "run.jsonl", "--all", "--", "true"],
)


class Secrets:
    """Makes a secret for each place, and remembers where it is."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def at(self, place: str) -> str:
        """A text with a secret of its own."""
        n = len(self.places)
        mark = f"Q{n:03}Zx9Qw3Rt7Yu2Kp5"
        self.places[mark] = place
        kinds = (
            f"sk-proj-{mark}Lm8Nb4",
            f"https://me:{mark}@x.example/?key={mark}",
            f"Authorization: Bearer {mark}Lm8Nb4",
            f"-----BEGIN PRIVATE KEY-----\n{mark}Lm8Nb4\n{mark}Lm8Nb4\n-----END PRIVATE KEY-----",
            f"Cookie: sid={mark}",
            json.dumps({"a": [{"db_password": mark}]}),
            f"DB_PASSWORD={mark}",
        )
        return f"a {kinds[n % len(kinds)]} b" if not kinds[n % len(kinds)].startswith("{") else kinds[n % len(kinds)]

    def left_in(self, text: str) -> set[str]:
        """The places whose secrets a text has."""
        return {place for mark, place in self.places.items() if mark in text}


def request(secrets: Secrets) -> Json:
    """A line of a recording."""
    at = secrets.at
    parameters: Json = {"type": "object", "description": at("parameters"), "properties": {"a": {"enum": [at("enum")]}}}
    function: Json = {"name": "look", "description": at("tool"), "parameters": parameters}
    arguments = json.dumps({"a": at("argument"), "b": {"c": [at("nested argument")], "api_key": at("named argument")}})
    return {
        "acdl_record": 1,
        "episode": at("episode"),
        "format": "openai",
        "path": f"/v1/{at('path')}/chat/completions",
        "status": 200,
        "note": at("note"),
        "request": {
            "model": at("model"),
            "user": at("user"),
            "metadata": {"a": at("metadata"), at("key"): "1"},
            "unknown": [{"deep": at("unknown key")}],
            "stop": [at("stop")],
            "tools": [{"type": "function", "function": function}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"title": at("schema")}}},
            "messages": [
                {"role": "system", "content": at("system")},
                {
                    "role": "user",
                    "name": at("name"),
                    "content": [
                        {"type": "text", "text": at("text")},
                        {"type": "image_url", "image_url": {"url": f"https://x.example/?key={at('image')}"}},
                    ],
                },
                {
                    "role": "assistant",
                    "reasoning_content": at("reasoning"),
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}}
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": at("result")},
            ],
        },
        "reply": {"id": at("id"), "choices": [{"message": {"content": at("reply")}}], "usage": {"x": at("usage")}},
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Secrets]]:
    """A folder with a spec and a recording."""
    folder, secrets = tmp_path_factory.mktemp("secrets"), Secrets()
    (folder / "run.jsonl").write_text("".join(f"{json.dumps(request(secrets))}\n" for _ in range(2)), "utf-8")
    (folder / "chat.acdl").write_text(SPEC, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder, secrets


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(command: list[str], project: tuple[Path, Secrets], capfd: pytest.CaptureFixture[str]) -> None:
    """What is printed and what is written."""
    folder, secrets = project
    assert main(command) < 2
    said = "".join(capfd.readouterr())
    written = "".join(each.read_text("utf-8") for each in folder.iterdir() if not each.name.startswith("run."))
    assert secrets.left_in(said + written) == set()
    assert said
    assert "failed with" not in said


@pytest.mark.parametrize("is_broken", [False, True])
@pytest.mark.parametrize("tool", ["check_run", "inspect_recording", "infer_spec"])
def test_tools_of_agents(tool: str, is_broken: bool, project: tuple[Path, Secrets]) -> None:
    """What an agent gets, of recordings that can be read and of those that cannot."""
    folder, secrets = project
    text = (folder / "run.jsonl").read_text("utf-8")
    (folder / "run.broken.jsonl").write_text(f"{text[:300]}\n{text[300:900]}", "utf-8")
    names: list[Json] = ["run.broken.jsonl" if is_broken else "run.jsonl"]
    asked: dict[str, Json] = {"text": SPEC, "traces": names} if tool == "check_run" else {"recordings": names}
    answer = run_tool(tool, asked, Folders((folder,)))
    assert secrets.left_in(repr(answer)) == set()
    assert answer.is_error is is_broken
