"""No path of a client, and nothing that a file names, leads out of the folders of the server."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create

HIDDEN = "Hidden[@T]: { U: env.hidden_value[@T] }\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a spec; beside it, one with a spec that nobody may see."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "hidden.acdl").write_text(HIDDEN, "utf-8")
    (tmp_path / "outside" / "hidden.state.yaml").write_text("acdl_state: 1\nenv: {x: hidden_value}\n", "utf-8")
    root = tmp_path / "root"
    (root / "below").mkdir(parents=True)
    (root / "chat.acdl").write_text("Chat[@T]: { U: env.q[@T] }\n", "utf-8")
    os.symlink(tmp_path / "outside" / "hidden.acdl", root / "link.acdl")
    os.symlink(tmp_path / "outside", root / "linked")
    os.symlink(root / "chat.acdl", root / "below" / "inner.acdl")
    return root


def is_kept(answer: object) -> bool:
    """Whether an answer says nothing of what lies outside."""
    return "hidden_value" not in repr(answer)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/hidden.acdl",
        "below/../../outside/hidden.acdl",
        "{outside}/hidden.acdl",
        "file://{outside}/hidden.acdl",
        "link.acdl",
        "linked/hidden.acdl",
        "linked",
        "/etc/passwd",
        "..",
        "/",
    ],
)
@pytest.mark.parametrize("tool", ["check", "format", "render", "explain", "unroll", "new_state", "convert"])
def test_outside(tool: str, path: str, root: Path) -> None:
    """Relative, absolute, with `..`, or by a link: refused, with the folder that may be read."""
    name = path.format(outside=root.parent / "outside")
    answer = run_tool(tool, {"path": name}, Folders((root,)))
    assert answer.is_error
    assert "outside the folders" in answer.text
    assert f"below {root}" in answer.text
    assert is_kept(answer)


@pytest.mark.parametrize(
    "path", ["C:\\Windows\\win.ini", "..\\outside\\hidden.acdl", "\\\\host\\share\\a.acdl", "c:/a.acdl"]
)
@pytest.mark.skipif(os.name == "nt", reason="there these are paths")
def test_windows(path: str, root: Path) -> None:
    """A path of another system is named as what it is."""
    answer = run_tool("check", {"path": path}, Folders((root,)))
    assert answer.is_error
    assert "is a path of Windows" in answer.text


@pytest.mark.parametrize("path", ["", "\0", "a\0b.acdl", "x" * 5_000, "chat.acdl/inside", "below"])
def test_odd_names(path: str, root: Path) -> None:
    """What is not a file is a sentence."""
    answer = run_tool("render", {"path": path}, Folders((root,)))
    assert answer.is_error
    assert "Traceback" not in answer.text


def test_inside(root: Path) -> None:
    """What lies inside may be named in every way, also by a link and by its address."""
    for path in (
        "chat.acdl",
        "./below/../chat.acdl",
        str(root / "chat.acdl"),
        f"file://{root}/chat.acdl",
        "below/inner.acdl",
    ):
        assert not run_tool("check", {"path": path}, Folders((root,))).is_error, path


def test_several_roots(root: Path) -> None:
    """A relative path is looked for in all of them."""
    other = root.parent / "other"
    other.mkdir()
    (other / "more.acdl").write_text("More[@T]: { U: env.q[@T] }\n", "utf-8")
    assert "More" in run_tool("render", {"path": "more.acdl"}, Folders((root, other))).text
    assert run_tool("render", {"path": "more.acdl"}, Folders((root,))).is_error


def test_no_root(root: Path) -> None:
    """A server without folders reads texts that are sent, and nothing else."""
    folders = Folders(())
    assert not run_tool("check", {"text": "A[@T]: { U: env.x }"}, folders).is_error
    assert "no file" not in run_tool("check", {"text": "A[@T]: { U: env.x }"}, folders).text
    used = run_tool("check", {"text": f"// acdl: use {root}/chat.acdl\nA[@T]: {{ U: env.x }}"}, folders)
    assert "src-outside-project" in used.text
    answer = run_tool("check", {"path": str(root / "chat.acdl")}, folders)
    assert answer.is_error
    assert "send the text itself" in answer.text


def test_a_linked_root(root: Path) -> None:
    """The folder of the server may itself be a link."""
    os.symlink(root, root.parent / "alias")
    assert not run_tool("check", {"path": "chat.acdl"}, Folders((root.parent / "alias",))).is_error


def test_folders_are_searched_inside_only(root: Path) -> None:
    """Links in a folder that lead out are left out."""
    answer = run_tool("check", {"path": "."}, Folders((root,)))
    assert answer.data["n_texts"] == 2
    assert is_kept(answer)


@pytest.mark.parametrize(
    "text",
    [
        "// acdl: use ../outside/hidden.acdl\nA[@T]: { U: { Frag Hidden[@T] } }\n",
        "// acdl: use link.acdl\nA[@T]: { U: { Frag Hidden[@T] } }\n",
    ],
)
def test_used_files(text: str, root: Path) -> None:
    """A spec cannot name a file outside, neither one that is sent nor one that lies inside."""
    (root / "using.acdl").write_text(text, "utf-8")
    for sent in ({"text": text}, {"path": "using.acdl"}):
        answer = run_tool("check", sent, Folders((root,)))
        assert "outside" in answer.text
        assert is_kept(answer)


def test_pages(root: Path) -> None:
    """The blocks of a page cannot either."""
    page = '```acdl src="../outside/hidden.acdl"\n```\n\n```acdl src="link.acdl"\n```\n'
    (root / "page.md").write_text(page, "utf-8")
    answer = run_tool("check", {"path": "page.md"}, Folders((root,)))
    assert answer.text.count("src-outside-project") == 2
    assert is_kept(answer)


def test_states(root: Path) -> None:
    """A state outside is refused, also beside a spec by a link; one inside cannot name texts outside."""
    folders = Folders((root,))
    assert run_tool("unroll", {"path": "chat.acdl", "state_path": "../outside/hidden.state.yaml"}, folders).is_error
    os.symlink(root.parent / "outside" / "hidden.state.yaml", root / "chat.state.yaml")
    assert is_kept(run_tool("unroll", {"path": "chat.acdl"}, folders))
    state = "acdl_state: 1\ntemplates:\n  A_TEXT: {$file: ../outside/hidden.acdl}\n"
    (root / "own.state.yaml").write_text(state, "utf-8")
    sent = {"text": "A[@T]: { U: A_TEXT }", "state_path": "own.state.yaml"}
    assert is_kept(run_tool("unroll", sent, folders))


def test_recordings(root: Path) -> None:
    """Recordings are files too."""
    (root.parent / "outside" / "run.jsonl").write_text('{"messages": "hidden_value"}\n', "utf-8")
    for trace in ("../outside/run.jsonl", "linked"):
        assert run_tool("check_run", {"path": "chat.acdl", "traces": [trace]}, Folders((root,))).is_error
        assert run_tool("inspect_recording", {"recordings": [trace]}, Folders((root,))).is_error
        assert run_tool("infer_spec", {"recordings": [trace]}, Folders((root,))).is_error


@pytest.mark.parametrize("path", [".env", ".hidden/chat.acdl", "keys.txt", "linked.acdl", "chat.state.yaml"])
@pytest.mark.parametrize("tool", ["check", "format", "render", "explain", "unroll", "new_state"])
def test_other_files(tool: str, path: str, root: Path) -> None:
    """Of the files inside, only specs and pages are read as such, under their own names."""
    (root / ".hidden").mkdir()
    for name in (".env", ".hidden/chat.acdl", "keys.txt", "chat.state.yaml"):
        (root / name).write_text("hidden_value = 1\n", "utf-8")
    os.symlink(root / ".env", root / "linked.acdl")
    answer = run_tool(tool, {"path": path}, Folders((root,)))
    assert answer.is_error
    assert re.search("is hidden|is not a file of such a kind", answer.text)
    assert is_kept(answer)
    for state in (".env", "keys.txt"):
        assert run_tool("unroll", {"path": "chat.acdl", "state_path": state}, Folders((root,))).is_error
    assert run_tool("convert", {"path": ".env"}, Folders((root,))).is_error
    assert run_tool("check_run", {"path": "chat.acdl", "traces": ["keys.txt"]}, Folders((root,))).is_error
    assert run_tool("inspect_recording", {"recordings": ["keys.txt"]}, Folders((root,))).is_error
    assert run_tool("infer_spec", {"recordings": ["keys.txt"]}, Folders((root,))).is_error


def test_links_to_themselves(root: Path) -> None:
    """A link that leads nowhere is not a file, and does not keep the others from being checked."""
    os.symlink("loop.acdl", root / "loop.acdl")
    os.symlink("chat.state.yaml", root / "chat.state.yaml")
    folders = Folders((root,))
    assert run_tool("check", {"path": "."}, folders).data["n_texts"] == 2
    assert "is not a path" in run_tool("check", {"path": "loop.acdl"}, folders).text
    assert not run_tool("unroll", {"path": "chat.acdl"}, folders).is_error


def test_out_behind_a_link_to_itself(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Python 3.11 and 3.12 follow no link behind it: what is there would seem to be inside."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "hidden.acdl").write_text("Hidden[@T]: { U: hidden_value }\n", "utf-8")
    os.symlink("ring", root / "ring")
    os.symlink(outside, root / "out")
    for path in ("out/hidden.acdl", "ring/../out/hidden.acdl", "ring/hidden.acdl"):
        for tool in ("check", "explain", "render"):
            answer = run_tool(tool, {"path": path}, Folders((root,)))
            assert answer.is_error
            assert "hidden_value" not in answer.text


def test_a_folder_that_may_not_be_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as what it is."""
    resolve = Path.resolve

    def refused(path: Path, *, strict: bool = False) -> Path:
        if "closed" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return resolve(path, strict=strict)

    folders = Folders((root,))
    monkeypatch.setattr(Path, "resolve", refused)
    assert "cannot be read: permission denied" in run_tool("check", {"path": "closed/a.acdl"}, folders).text


def test_only_own_figures_are_overwritten(root: Path) -> None:
    """A figure takes the place of an earlier one, and of no other file."""
    folders = Folders((root,), may_write=True)
    for name, kind in (("notes.txt", "text"), ("logo.svg", "svg"), ("photo.png", "png"), ("a.md", "markdown")):
        (root / name).write_text("<svg>mine</svg>", "utf-8")
        sent = {"old_path": "chat.acdl", "new_path": "chat.acdl"} if kind == "markdown" else {"path": "chat.acdl"}
        tool = "diff" if kind == "markdown" else "render"
        answer = run_tool(tool, {**sent, "format": kind, "write": True, "output": name}, folders)
        assert answer.is_error, name
        assert (root / name).read_text("utf-8") == "<svg>mine</svg>"
    for text in ("A[@T]: { U: env.x }", "A[@T]: { U: env.y }"):
        answer = run_tool("render", {"text": text, "format": "svg", "write": True, "output": "a.svg"}, folders)
        assert not answer.is_error, answer.text
    assert "env.y" in (root / "a.svg").read_text("utf-8")


SECRETS = """acdl_state: 1
env:
  x: {password: hidden_value1, mode: fast}
  headers: [{name: Authorization, value: hidden_value2}, {name: Accept, value: text}]
  session_token: {"1": hidden_value3}
  note: AKIAQYLPMN5HGSL2K4VW
  pin: {password: 48151623}
templates: {ASK: "say {{p}}"}
functions: {getToken: [{returns: hidden_value4}]}
steps:
  1: {env: {login: {api_key: hidden_value5}}}
"""


@pytest.mark.parametrize("kind", ["transcript", "growth", "json", "openai", "anthropic"])
def test_secrets_of_a_state(kind: str, root: Path) -> None:
    """What is a secret by its name in the state is none in a message either, where it has no name."""
    pieces = "env.x env.x.password ForEach(h: env.headers) { h.value } env.session_token[@T] env.login[@T].api_key"
    spec = f"A[@T]: {{ U: {{ {pieces} ASK(env.x.password) getToken() env.note env.pin.password env.x.mode }} }}"
    sent = {"text": spec, "state": SECRETS, "format": kind, "model": "m"}
    answer = run_tool("unroll", sent, Folders((root,)))
    assert not answer.is_error, answer.text
    assert is_kept(answer)
    assert not re.search("AKIA|48151623", repr(answer))
    if kind != "growth":
        assert "fast" in answer.text
        assert "stands for what looks like a key" in answer.notes
    changed = run_tool(
        "diff", {"old": spec, "new": spec.replace("U:", "S:"), "state": SECRETS, "at": "1"}, Folders((root,))
    )
    assert "1 with a different role" in changed.text
    assert is_kept(changed)


@pytest.mark.parametrize("tool", ["check", "format", "render", "explain", "convert"])
def test_secrets_of_a_spec(tool: str, root: Path) -> None:
    """A key in a text is taken out of every answer, and that is said."""
    spec = 'A[@T]: {\n  // password: hidden_value9\n  S: "ghp_16C7e42F292c6912E7710c838347Ae178B4a"\n  U: env.x\n}\n'
    answer = run_tool(tool, {"text": spec}, Folders((root,)))
    assert not answer.is_error, answer.text
    assert is_kept(answer)
    assert "ghp_" not in repr(answer)


@pytest.mark.parametrize("output", ["../outside/new.svg", "linked/new.svg", "/acdl-new.svg", ".git/new.svg", "new.sh"])
def test_writing_outside(output: str, root: Path) -> None:
    """Also a server that may write does so only inside, and only files of its kinds."""
    sent = {"path": "chat.acdl", "format": "svg", "write": True, "output": output}
    answer = run_tool("render", sent, Folders((root,), may_write=True))
    assert answer.is_error
    assert not Path(root / output).exists()


def test_nothing_is_written_unasked(root: Path) -> None:
    """Without the leave to write, and without being asked, nothing changes."""
    before = {path: path.read_bytes() for path in root.rglob("*.acdl")}
    for may_write in (False, True):
        for tool in ("check", "format", "render", "explain", "unroll", "new_state", "convert"):
            run_tool(tool, {"path": "chat.acdl"}, Folders((root,), may_write))
    assert {path: path.read_bytes() for path in root.rglob("*.acdl")} == before


def test_a_history_outside(root: Path) -> None:
    """A playbook whose history is a link out is neither shown nor searched: the history says what others wrote."""
    outside = root.parent / "outside" / "book.yaml"
    create(outside, Playbook("hidden_value"), time="2026-01-01T00:00:00Z")
    shutil.copy(outside, root / "book.yaml")
    folders = Folders((root,))
    assert "there is no lesson" in run_tool("playbook_show", {"path": "book.yaml"}, folders).text
    (root / "book.history.jsonl").symlink_to(outside.with_name("book.history.jsonl"))
    for tool, more in (("show", {"revision": 0}), ("show", {}), ("retrieve", {"task": "x"}), ("review", {})):
        answer = run_tool(f"playbook_{tool}", {"path": "book.yaml", **more}, folders)
        assert answer.is_error
        assert "`book.history.jsonl` leads out of the folders" in answer.text
        assert is_kept(answer)


@pytest.mark.parametrize("name", ["acdl.toml", "pyproject.toml"])
def test_settings_outside(name: str, root: Path) -> None:
    """Settings above the folder of the server do not hold, and what is wrong with them is not told."""
    text = "hidden_value = 1\n" if name == "acdl.toml" else "[tool.acdl]\nhidden_value = 1\n"
    (root.parent / name).write_text(text, "utf-8")
    answer = run_tool("check", {"path": "chat.acdl"}, Folders((root,)))
    assert not answer.is_error, answer.text
    assert is_kept(answer)
    (root / name).write_text(text.replace("hidden_value", "own_value"), "utf-8")
    assert "`own_value`" in run_tool("check", {"path": "chat.acdl"}, Folders((root,))).text


def test_secrets_of_a_state_in_a_report(tmp_path: Path) -> None:
    """What a state has under the name of a secret is compared as it is, and not told: recordings have it too."""
    (tmp_path / "chat.acdl").write_text("A[@T]: {\n    U: env.login[@T].password\n}\n", "utf-8")
    state = "acdl_state: 1\nsteps:\n  1: {env: {login: {password: hidden value one}}}\n"
    request = {"model": "m", "messages": [{"role": "user", "content": "hidden value one, and more"}]}
    line = {"acdl_record": 1, "format": "openai", "path": "/chat/completions", "status": 200, "request": request}
    (tmp_path / "run.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    sent = {"path": "chat.acdl", "traces": ["run.jsonl"], "state": state}
    answer = run_tool("check_run", sent, Folders((tmp_path,)))
    assert not answer.is_error, answer.text
    assert answer.data["verdict"]
    assert "hidden value one" not in answer.text + answer.notes + json.dumps(answer.data)
