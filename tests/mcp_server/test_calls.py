"""What each tool answers, to good calls and to bad ones; no protocol is involved."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import exhaustive
from jsonschema import Draft202012Validator

from acdl_mkdocs import check
from acdl_mkdocs import format as normal_form
from acdl_mkdocs.frontends.mcp import answers
from acdl_mkdocs.frontends.mcp.answers import Answer
from acdl_mkdocs.frontends.mcp.arguments import MAX_TEXT
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.resources import RESOURCES, read_resource
from acdl_mkdocs.frontends.mcp.tools import TOOLS, run_tool
from acdl_mkdocs.runs.read.forms import FORMS

SPEC = """Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}
"""
STATE = """acdl_state: 1
spec: Chat
at: "2"
templates:
  INSTRUCTIONS: Be brief.
steps:
  1: {env: {question: Who?}, resp: {answer: I.}}
  2: {env: {question: Why?}}
"""
SCHEMAS = {tool.name: Draft202012Validator(tool.answer) for tool in TOOLS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a spec, its state, a page and a drawing."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "chat.acdl").write_text(SPEC, "utf-8")
    (tmp_path / "specs" / "chat.state.yaml").write_text(STATE, "utf-8")
    (tmp_path / "page.md").write_text(
        "# A\n\n```acdl\nOne[@T]: { U: env.a[@T] }\n```\n\n```acdl\nU: { S: X }\n```\n", "utf-8"
    )
    return tmp_path


@pytest.fixture
def folders(folder: Path) -> Folders:
    """That project, to be read."""
    return Folders((folder,))


def answered(name: str, folders: Folders, /, **sent: object) -> Answer:
    """A good answer, whose data fit the schema of the tool."""
    answer = run_tool(name, sent, folders)
    assert not answer.is_error, answer.text
    SCHEMAS[name].validate(answer.data)
    assert run_tool(name, sent, folders) == answer, "not the same each time"
    return answer


def refused(name: str, folders: Folders, /, **sent: object) -> str:
    """Why a call is refused: what is wrong, and what to do."""
    answer = run_tool(name, sent, folders)
    assert answer.is_error
    assert answer.data == {}
    assert re.match(r"error: \S.*; \S", answer.text, re.DOTALL), answer.text
    return answer.text


def test_check(folders: Folders) -> None:
    """Problems come with rule, place and cure, as text and as the objects that the command writes."""
    assert answered("check", folders, text=SPEC).data["is_fine"] is True
    wrong = answered("check", folders, text="Chat[@T]: { U: { S: A_TEXT } }")
    assert "error[nested-role]" in wrong.text
    assert "help:" in wrong.text
    assert (wrong.data["is_fine"], wrong.data["n_errors"]) == (False, 1)
    warned = "Chat[@T]: { U: env.q[@T] A: resp.answer[@T] }"
    assert answered("check", folders, text=warned).data["is_fine"] is False
    assert answered("check", folders, text=warned, lenient=True).data["is_fine"] is True
    two = "A[@T]: { U: { S: X } }\nB[@T]: { U: { T: X } }"
    assert answered("check", folders, text=two).data["n_errors"] == 2
    assert answered("check", folders, text=two, spec="B").data["n_errors"] == 1


def test_check_paths(folders: Folders, folder: Path) -> None:
    """A file, a page and a folder are checked; fragments of other files of the folder are known."""
    assert answered("check", folders, path="specs/chat.acdl").data["is_fine"] is True
    page = answered("check", folders, path="page.md")
    assert "page.md:8:" in page.text
    (folder / "specs" / "a.acdl").write_text("A[@T]: { U: { Frag F[@T] } }\n", "utf-8")
    (folder / "specs" / "f.acdl").write_text("StrFrag F[@t]: { env.x[@t] }\n", "utf-8")
    whole = answered("check", folders, path="specs")
    assert (whole.data["n_texts"], whole.data["n_errors"]) == (3, 0), whole.text
    assert answered("check", folders, path="specs/a.acdl").data["n_errors"] == 1


@pytest.mark.parametrize(("marks", "is_fine"), [((".git", "docs/conf.py"), True), (("docs/mkdocs.yml",), False)])
def test_src_starts_where_the_command_starts(
    folders: Folders, folder: Path, marks: tuple[str, ...], is_fine: bool
) -> None:
    """`src` of a page counts from the folder that `acdl check` takes for the project; `conf.py` is no sign of one."""
    (folder / "docs").mkdir()
    for mark in marks:
        (folder / mark).touch()
    (folder / "docs" / "page.md").write_text('```acdl src="specs/chat.acdl"\n```\n', "utf-8")
    command = [sys.executable, "-m", "acdl_mkdocs", "check", "docs/page.md"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (said.returncode == 0) is is_fine, said.stderr
    assert answered("check", folders, path="docs/page.md").data["is_fine"] is is_fine


def test_check_leaves_out(folders: Folders, folder: Path) -> None:
    """Of a folder, what the settings leave out is not checked, nor what tools have made."""
    (folder / "acdl.toml").write_text('range = "inclusive"\nexclude = ["old"]\n', "utf-8")
    for name in ("old", "node_modules", ".cache", "built"):
        (folder / name).mkdir()
        (folder / name / "wrong.acdl").write_text("A[@T]: {", "utf-8")
    (folder / "built" / "sitemap.xml").write_text("<urlset/>", "utf-8")
    assert answered("check", folders, path=".").data["n_texts"] == 3
    assert "inclusive ranges" in answered("unroll", folders, path="specs/chat.acdl").text
    (folder / "acdl.toml").write_text('rang = "inclusive"\n', "utf-8")
    assert "fix the settings" in refused("check", folders, path="specs/chat.acdl")


def test_check_unreadable(folders: Folders, folder: Path) -> None:
    """A file of a folder that cannot be read is named, and the others are checked."""
    (folder / "a.acdl").write_bytes(b"Caf\xe9[@T]: { U: env.x }\n")
    (folder / "large.md").write_text(" " * 3_000_000)
    answer = answered("check", folders, path=".")
    assert (answer.data["n_texts"], answer.data["n_errors"], answer.data["is_fine"]) == (3, 1, False)
    assert "not checked: `a.acdl` is not UTF-8 text: byte 0xe9 in line 1\n" in answer.text
    assert "not checked: `large.md` is larger than 2 MB\n" in answer.text
    for name in ("page.md", "specs/chat.acdl"):
        (folder / name).unlink()
    assert "`a.acdl` is not UTF-8 text" in refused("check", folders, path=".")


def test_check_fixes(folders: Folders, folder: Path) -> None:
    """The mended text is given; it is written only where that is asked for and allowed."""
    text = "Chat[@T]: { user: env.question[@T] }\n"
    assert answered("check", folders, text=text, fix=True).data["fixed"] == "Chat[@T]: { U: env.question[@T] }\n"
    path = folder / "specs" / "chat.acdl"
    path.write_text(text, "utf-8")
    assert "--allow-writes" in refused("check", folders, path="specs/chat.acdl", fix=True, write=True)
    assert path.read_text("utf-8") == text
    writing = Folders((folder,), may_write=True)
    run_tool("check", {"path": "specs/chat.acdl", "fix": True, "write": True}, writing)
    assert not check(path)


def test_format(folders: Folders, folder: Path) -> None:
    """The normal form, and nothing where a text is not understood."""
    found = answered("format", folders, text="Chat[@T]: { U: env.q[@T] }")
    assert found.data["text"] == normal_form("Chat[@T]: { U: env.q[@T] }")
    assert found.data["is_changed"] is True
    broken = answered("format", folders, text="Chat[@T]: { U: ")
    assert (broken.data["is_formatted"], broken.data["is_changed"]) == (False, False)
    assert "error[" in broken.text
    assert "One[@T]: {\n    U: env.a[@T]\n}" in str(answered("format", folders, path="page.md").data["text"])
    writing = Folders((folder,), may_write=True)
    assert run_tool("format", {"path": "page.md", "write": True}, writing).data["written"] == "page.md"
    assert "    U: env.a[@T]\n" in (folder / "page.md").read_text("utf-8")


def test_render(folders: Folders, folder: Path) -> None:
    """Text, drawing and picture; a file only where that is allowed."""
    assert "  Role: System\n    INSTRUCTIONS" in answered("render", folders, text=SPEC).text
    assert answered("render", folders, path="specs/chat.acdl", format="svg").text.startswith("<svg")
    picture = answered("render", folders, text=SPEC, format="png", theme="dark")
    assert not picture.notes
    lacking = answered("render", folders, text="C: {\n    U: A // 中\n}\n", format="png")
    assert lacking.notes.startswith("no font has 中")
    assert picture.images[0].data.startswith(b"\x89PNG")
    assert "did you mean `Chat`" in refused("render", folders, text=SPEC, spec="Chta")
    assert "belong together" in refused("render", folders, text=SPEC, write=True)
    assert "--allow-writes" in refused("render", folders, text=SPEC, write=True, output="chat.svg", format="svg")
    writing = Folders((folder,), may_write=True)
    assert "ends in .svg" in refused("render", writing, text=SPEC, write=True, output="Makefile", format="svg")
    answered("render", writing, text=SPEC, write=True, output="out/chat.svg", format="svg")
    assert (folder / "out" / "chat.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("uri", [each.uri for each in RESOURCES] + ["acdl://rules/nested-role", "acdl://examples/rag"])
def test_read_reference(uri: str, folders: Folders) -> None:
    """A client without resources gets each of them from a tool, the language unless it asks for another."""
    topic, _, name = uri.removeprefix("acdl://").partition("/")
    answer = answered("read_reference", folders, topic=topic, **({"name": name} if name else {}))
    assert answer.text.strip() == "\n".join(each.text for each in read_resource(uri)).strip()
    assert answer.data == {"uri": uri}
    assert answered("read_reference", folders).data == {"uri": "acdl://language"}


def test_explain(folders: Folders) -> None:
    """A spec in words, or a rule; not both."""
    found = answered("explain", folders, path="specs/chat.acdl#Chat")
    assert "## What grows as time goes on" in found.text
    assert found.data["rule"] == ""
    rule = answered("explain", folders, rule="nested-role")
    assert "Use instead" in rule.text
    assert rule.data == {"rule": "nested-role", "explanation": None, "problems": [], "problems_left_out": 0}
    assert "did you mean `nested-role`" in refused("explain", folders, rule="nested-roles")
    assert "alone" in refused("explain", folders, rule="nested-role", text=SPEC)


def test_unroll(folders: Folders) -> None:
    """The messages at a point, with the state that is sent, named, or beside the spec."""
    for sent in ({"path": "specs/chat.acdl"}, {"text": SPEC, "state": STATE}):
        found = answered("unroll", folders, **sent)
        assert found.data["points"] == ["2"]
        assert [each["role"] for each in found.data["transcript"]["messages"]] == [  # type: ignore[index]
            *("system", "user", "assistant", "user")
        ]
    request = answered("unroll", folders, text=SPEC, state_path="specs/chat.state.yaml", format="anthropic", model="m")
    body = json.loads(request.text)
    assert (body["model"], body["system"]) == ("m", "Be brief.")
    assert "give one: `model`" in answered("unroll", folders, text=SPEC, state=STATE, format="openai").notes
    fresh = str(answered("new_state", folders, text=SPEC).data["state"])
    assert "…" in answered("unroll", folders, text=SPEC, state=fresh).notes
    assert answered("unroll", folders, text=SPEC, state=STATE, at="1..2", format="growth").data["points"] == ["1", "2"]
    misread = STATE.replace("question: Who?", "question: 1.10")
    note = "steps.1.env.question is the number `1.10`, which is sent as `1.1`"
    assert misread != STATE
    assert note in answered("unroll", folders, text=SPEC, state=misread).notes
    bare = answered("unroll", folders, text=SPEC)
    assert bare.data["has_errors"] is False
    unsent = answered("unroll", folders, text=SPEC, format="openai")
    assert unsent.data["has_errors"] is True
    assert "nothing is sent" in unsent.text
    assert "solve the errors" in answered("unroll", folders, text=SPEC, state="acdl_state: 1\nenv: [").text
    refused("unroll", folders, text=SPEC, at="nonsense")
    refused("unroll", folders, text=SPEC, at="1..999")
    refused("unroll", folders, text=SPEC, state=STATE, state_path="specs/chat.state.yaml")


def test_diff(folders: Folders) -> None:
    """Edits of the structure, and with a state what is sent."""
    new = SPEC.replace("    S: INSTRUCTIONS\n", "")
    found = answered("diff", folders, old=SPEC, new=new)
    assert (found.data["is_same"], found.data["is_same_sent"]) == (False, False)
    assert found.data["difference"]["edits"][0]["kind"] == "removed"  # type: ignore[index]
    assert answered("diff", folders, old_path="specs/chat.acdl", new=SPEC.replace("    ", " ")).data["is_same"] is True
    sent = answered("diff", folders, old=SPEC, new=new, state=STATE)
    assert sent.data["verdict"]
    assert sent.data["difference"]["sent"] is not None  # type: ignore[index]
    assert answered("diff", folders, old=SPEC, new=new, format="svg").text.startswith("<svg")
    assert answered("diff", folders, old=SPEC, new=new, format="png").images
    assert "no state" in refused("diff", folders, old=SPEC, new=new, at="1")
    assert "neither of `new`" in refused("diff", folders, old=SPEC)


def test_new_state(folders: Folders, folder: Path) -> None:
    """A state that `unroll` takes; never over one that is there."""
    made = answered("new_state", folders, text=SPEC)
    assert made.data["spec"] == "Chat"
    answered("unroll", folders, text=SPEC, state=str(made.data["state"]))
    assert "solve the errors" in answered("new_state", folders, text="Chat[@T]: { U: { S: X } } }").text
    writing = Folders((folder,), may_write=True)
    sent = {"path": "specs/chat.acdl", "write": True}
    assert "exists already" in refused("new_state", writing, **sent, output="specs/chat.state.yaml")
    run_tool("new_state", {**sent, "output": "specs/other.state.yaml"}, writing)
    assert (folder / "specs" / "other.state.yaml").read_text("utf-8") == made.data["state"]


def test_convert(folders: Folders) -> None:
    """A drawing becomes ACDL that is drawn like it."""
    drawing = answered("render", folders, text=SPEC).text
    made = answered("convert", folders, text=drawing)
    assert answered("render", folders, text=str(made.data["text"])).text == drawing
    assert "neither" in refused("convert", folders)


def test_check_run(folders: Folders) -> None:
    """Recorded requests are held against the spec."""
    root = Path(__file__).parent.parent.parent / "examples" / "agents"
    agents = Folders((root,))
    found = answered("check_run", agents, path="react_openai.acdl", traces=["react_openai.run.jsonl"])
    assert found.data["verdict"]
    assert "confirmed" in found.text or "react_openai.acdl" in found.text
    assert found.data["report"]["files"] == ["react_openai.run.jsonl"]  # type: ignore[index]
    assert str(root) not in found.text + json.dumps(found.data)
    assert "missing" in refused("check_run", folders, text=SPEC)
    assert "does not exist" in refused("check_run", folders, text=SPEC, traces=["none.jsonl"])
    assert "leads to no file" in refused("check_run", folders, text=SPEC, traces=["specs"])
    assert "nothing was checked" in answered("check_run", folders, text="X {", traces=["page.md"]).text


def test_inspect_recording(folders: Folders, folder: Path) -> None:
    """A recording is shown without a spec, as text and as data; keys of it are redacted, a long answer is cut."""
    agents = Folders((Path(__file__).parent.parent.parent / "examples" / "agents",))
    sent = {"recordings": ["desks_pydantic_ai.run.jsonl"], "tokens": "estimate"}
    found = answered("inspect_recording", agents, **sent, price="2.50,0.25")
    assert "cache lost: the list of tools changed" in found.text
    assert str(found.data["sentence"]) in found.text.replace("\n", " ")
    assert found.data["report"]["costs"] is not None  # type: ignore[index]
    assert found.notes == ""
    assert "desks_pydantic_ai.run.jsonl" in found.text
    assert str(agents.roots[0]) not in found.text + json.dumps(found.data)
    chosen = answered("inspect_recording", agents, **sent, only=["system=repairs desk"])
    assert chosen.data["report"]["summary"]["steps"] == 6  # type: ignore[index]
    for only, words in (["modl=x"], "did you mean `model=...`?"), (["model=none"], "the recording has requests of"):
        assert words in refused("inspect_recording", agents, **sent, only=only)
    assert "the larger one first" in refused("inspect_recording", agents, **sent, price="1,2")
    assert "missing" in refused("inspect_recording", folders)
    assert "does not exist" in refused("inspect_recording", folders, recordings=["none.jsonl"])
    assert "leads to no file" in refused("inspect_recording", folders, recordings=["specs"])
    (folder / "empty.jsonl").write_text("", "utf-8")
    assert "an empty file" in refused("inspect_recording", folders, recordings=["empty.jsonl"])
    said = [{"role": "user", "content": f"{number}: the key is sk-proj-{'a1B2' * 12}"} for number in range(900)]
    lines = [json.dumps({"messages": said[:size]}) for size in range(100, 900, 8)]
    (folder / "long.jsonl").write_text("\n".join(lines), "utf-8")
    long = answered("inspect_recording", folders, recordings=["long.jsonl"], tokens="estimate")
    assert long.is_cut
    assert len(long.text) < 25_000
    assert long.data["report"] is None
    assert str(long.data["sentence"]) in long.notes
    assert "a1B2" not in long.text + json.dumps(long.data)


def test_infer_spec(folders: Folders, folder: Path) -> None:
    """A recording becomes a spec that `check_run` agrees with, with a state that `unroll` takes and a report."""
    root = Path(__file__).parent.parent.parent / "examples" / "agents"
    found = answered("infer_spec", Folders((root,)), recordings=["chat_anthropic.run.jsonl"], name="DayOut", mutants=30)
    spec, report = str(found.data["spec"]), found.data["report"]
    assert spec.startswith("// acdl: range=inclusive\nDayOut[@T.I]: {")
    assert spec.rstrip() == found.text
    assert "DayOut: sends 7 requests of 1 run exactly" in found.notes
    assert report["is_proven"] is True  # type: ignore[index]
    sent = answered("unroll", folders, text=spec, state=found.data["states"]["DayOut"], at="1")  # type: ignore[index]
    assert "Is it dry in Sintra this weekend?" in sent.text
    run = (root / "chat_anthropic.run.jsonl").read_text("utf-8")
    (folder / "run.jsonl").write_text(run, "utf-8")
    checked = answered("check_run", folders, text=spec, traces=["run.jsonl"])
    assert "agrees with all 7 requests" in str(checked.data["verdict"])
    assert "the recording has requests of" in refused(
        "infer_spec", folders, recordings=["run.jsonl"], only=["model=none"]
    )
    assert "missing" in refused("infer_spec", folders)
    assert "does not exist" in refused("infer_spec", folders, recordings=["none.jsonl"])
    assert "`a b` is not a name of a spec; use" in refused("infer_spec", folders, recordings=["run.jsonl"], name="a b")
    assert refused("infer_spec", folders, recordings=["page.md"]).endswith(" or .csv")


def test_recordings_are_listed() -> None:
    """The tools that read recordings name every form of them."""
    for tool in TOOLS:
        if tool.name in ("check_run", "inspect_recording", "infer_spec"):
            assert all(words in tool.about for words in FORMS.values())


@pytest.mark.parametrize(
    ("name", "sent", "said"),
    [
        ("chekc", {}, "did you mean `check`?"),
        ("check", {}, "neither of `text` and `path` given"),
        ("check", {"text": SPEC, "path": "x"}, "both of `text` and `path` given"),
        ("check", {"txt": SPEC}, "did you mean `text`?"),
        ("check", {"text": 3}, "`text` is of the JSON type integer; send a string"),
        ("check", {"text": {}}, "`text` is of the JSON type object; send a string"),
        ("check", {"text": SPEC, "write": True}, "send `fix: true` too"),
        ("check", {"text": SPEC, "lenient": "yes"}, "send true or false"),
        ("check", {"text": SPEC, "range": "halfopen"}, "did you mean `half-open`?"),
        ("check", {"text": "x" * (MAX_TEXT + 1)}, "characters"),
        ("check", {"text": SPEC, "spec": "Chta"}, "did you mean `Chat`?"),
        ("check", {"path": "specs/caht.acdl"}, "did you mean `specs/chat.acdl`?"),
        ("read_reference", {"topic": "langage"}, "did you mean `language`?"),
        ("read_reference", {"topic": "skill", "name": "x"}, "ask for `rules` or `examples`"),
        ("read_reference", {"topic": "rules", "name": "nested-rol"}, "did you mean `nested-role`?"),
        ("render", {"path": "specs"}, "is a folder"),
        ("render", {"path": "page.md"}, "has 2 blocks"),
        ("render", {"path": "specs/chat.state.yaml#X"}, "is not a file of such a kind"),
        ("unroll", {"text": SPEC, "format": "opneai"}, "did you mean `openai`?"),
        ("check", {"text": SPEC, "lines": "9:1"}, 'as `"1:80"`'),
        ("check", {"text": SPEC, "lines": "7"}, "has only 1 lines"),
        ("check_run", {"text": SPEC, "traces": "x.jsonl"}, "send a list of strings"),
        ("check_run", {"text": SPEC, "traces": [], "mutants": True}, "send a whole number"),
    ],
)
def test_bad_calls(name: str, sent: dict[str, object], said: str, folders: Folders) -> None:
    """Every mistake of a client is named, with a cure."""
    assert said in refused(name, folders, **sent)


def test_null_is_nothing(folders: Folders) -> None:
    """Clients that send `null` for what they leave out are understood."""
    assert answered("check", folders, text=SPEC, path=None, lines=None).data["is_fine"] is True


@exhaustive
def test_long_answers(folders: Folders) -> None:
    """What does not fit is cut between lines, and the rest can be asked for; data too large is left out."""
    text = "Chat[@T]: {\n" + "".join(f"    U: env.question_{number}[@T]\n" for number in range(2_000)) + "}\n"
    seen: list[str] = []
    lines: str | None = None
    for _ in range(50):
        answer = answered("render", folders, text=text, lines=lines)
        assert len(answer.text) <= answers.MAX_CHARACTERS + 200
        assert answer.data["figure"] is None
        *rows, last = answer.text.split("\n")
        seen += rows
        following = re.search(r'go on with `lines: "(\d+:\d+)"`', last)
        if following is None:
            break
        lines = following[1]
    assert sum("env.question_" in row for row in seen) == 2_000
    assert answered("unroll", folders, text=text).data["transcript"] is None
    wrong = answered("check", folders, text="Chat[@T]: {\n" + "U: { S: X }\n" * 300 + "}")
    assert len(wrong.data["problems"]) == answers.MAX_PROBLEMS  # type: ignore[arg-type]
    assert wrong.data["problems_left_out"] == 300 - answers.MAX_PROBLEMS


def test_secrets_are_taken_out(folders: Folders) -> None:
    """A key in a state is in no answer."""
    key = "sk-ant-" + "a1B2c3D4e5" * 3
    state = STATE.replace("Be brief.", f"Use {key}.")
    for kind in ("transcript", "openai", "json"):
        answer = answered("unroll", folders, text=SPEC, state=state, format=kind)
        assert key not in answer.text
        assert key not in json.dumps(answer.data)
    changed = answered("diff", folders, old=SPEC, new=SPEC.replace("S: INSTRUCTIONS", ""), state=state)
    assert key not in changed.text + json.dumps(changed.data)
