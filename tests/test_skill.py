"""The skill for coding agents says what is true: its specs are right, its code runs, its commands work."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from exhaustive import few

from acdl_mkdocs import check
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.runs.read.forms import FORMS_IN_WORDS
from acdl_mkdocs.workspace.fences import Fence, scan_fences

ROOT = Path(__file__).parent.parent
SKILL = ROOT / "acdl_mkdocs" / "assets" / "skill" / "SKILL.md"
TEXT = SKILL.read_text("utf-8")
FENCES = list(scan_fences(TEXT.split("\n")))

N_LESSONS = 15
"""How many lessons of the playbook the skill has."""

MISTAKES = {
    "nested-role": "U: { A: resp.x[@T-1] }",
    "control-flow-in-one-line-role": "U: If env.x[@T] { A_TEXT }",
    "content-outside-role": "S: A_TEXT\nenv.x[@T]",
    "resp-before-answer": "A: resp.answer[@T]",
    "range-excludes-current": "ForEach(t: range(1, @T-1)) { U: env.q[@t] }\nU: env.q[@T]",
    "unbound-index": "U: env.q[@t]",
    "unquoted-text": "S: be brief please",
    "condition-is-outcome": "If sys.should_summarize { U: A_TEXT }",
    "undefined-name": "U: { ForEach(doc: env.docs) { $doc.title } }",
    "unknown-namespace": "U: obs.image[@T]",
    "unknown-fragment": "U: { Frag Lost[@T] }",
    "malformed-range": "ForEach(t: range(@T)) { U: env.q[@t] }",
    "name-out-of-scope": "If @T > 1 { Name last := env.q[@T-1] }\nU: $last",
    "break-outside-loop": "ForEach(t: range(1, @T)) { U: { If @t == 2 { break } env.q[@t] } }",
    "operator-between-contents": "S: { A_TEXT - B_TEXT }",
    "not-content": "U: { env.q @T }",
    "completion-mixed-with-chat": "S: A_TEXT\nN: env.q[@T]",
}
"""For each rule of the table of mistakes, a body that makes the mistake."""

WORDS_OF_CODE = {"S": '"system"', "U": '"user"', "A": '"assistant"', "T": '"tool"', "ForEach": "for "}
"""What stands in the line of code that a comment beside such a line of a spec cites."""


def test_names_every_form_of_recordings() -> None:
    """What recordings can be read is said as everywhere else."""
    assert FORMS_IN_WORDS in " ".join(TEXT.split())


def titled(title: str) -> Fence:
    """The block with that title."""
    (found,) = [fence for fence in FENCES if f'title="{title}"' in fence.header]
    return found


def of_language(language: str) -> list[Fence]:
    """The blocks of a language."""
    return [fence for fence in FENCES if fence.language == language]


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(cwd)}
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the skill shows."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "specs").mkdir()
    for title in ("specs/chat.acdl", "specs/support.acdl", "support.py", "chat.py", "wrong.acdl", "lesson.yaml"):
        (folder / title).write_text(titled(title).text, "utf-8")
    scope: dict[str, Any] = {}
    exec(titled("support.py").text, scope)  # noqa: S102 - the program of the skill, as an agent runs it
    said = [{"question": "Who are you?", "answer": "A shop."}]
    calls = [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]
    steps = [{"call": calls[0], "result": "Open at noon."}]
    asked = [([], "Who are you?", []), (said, "Are you open?", []), (said, "Are you open?", steps)]
    built = [scope["build_messages"](turns, question, {"name": "Ada"}, made) for turns, question, made in asked]
    (folder / "run.jsonl").write_text("\n".join(json.dumps({"messages": each}) for each in built), "utf-8")
    return folder


def test_front_matter() -> None:
    """Name and description are as the convention for skills wants them."""
    _, front, body = TEXT.split("---\n", 2)
    values = yaml.safe_load(front)
    assert set(values) == {"name", "description", "license"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", values["name"])
    assert values["name"] == "acdl"  # the folder that `acdl new skill` puts it into
    assert 100 < len(values["description"]) <= 1024
    assert len(body.splitlines()) < 500


def test_specs_are_right() -> None:
    """Nothing is wrong with a block, and each is in its normal form."""
    assert len(of_language("acdl")) == 2
    for words in (("check", "--strict"), ("format", "--check")):
        ran = run(sys.executable, "-m", "acdl_mkdocs", *words, str(SKILL), cwd=ROOT)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_languages_of_blocks() -> None:
    """Every block is of a language that these tests look at."""
    assert {fence.language for fence in FENCES} == {"acdl", "python", "sh", "text"}
    assert all(fence.is_closed and not fence.is_code for fence in FENCES)


@pytest.mark.parametrize("fence", of_language("python"), ids=lambda fence: f"line-{fence.first + 1}")
def test_python_runs(fence: Fence, project: Path) -> None:
    """Code runs as it stands, with its assertions."""
    ran = run(sys.executable, "-c", fence.text, cwd=project)
    assert ran.returncode == 0, ran.stderr


def commands() -> list[str]:
    """Every line of the shell blocks but the installation."""
    return [line for fence in of_language("sh") for line in fence.text.splitlines() if not line.startswith("pip ")]


@pytest.mark.parametrize("line", few(commands(), 6))
def test_commands_run(line: str, project: Path) -> None:
    """Every command runs in a folder with the files of the skill and finds nothing wrong."""
    ran = run("sh", "-c", line, cwd=project)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_all_commands_of_a_spec_are_there() -> None:
    """The skill mentions each command of the program that is about specs."""
    used = {line.split()[1] for line in commands() if line.startswith("acdl ")}
    assert {"check", "explain", "format", "new", "playbook", "render", "rules"} <= used <= set(COMMANDS)


def test_message(project: Path) -> None:
    """The message that the skill explains is what the program prints."""
    ran = run("acdl", "check", "wrong.acdl", cwd=project)
    assert ran.returncode == 1
    assert ran.stdout.strip() == titled("acdl check wrong.acdl").text.strip()


def test_mistakes() -> None:
    """Each rule of the table finds what the table says."""
    table = TEXT[TEXT.index("| mistake | rule |") :].partition("\n\n")[0]
    assert re.findall(r"\| `([a-z]+(?:-[a-z]+)+)` \|", table) == list(MISTAKES)
    for rule, body in MISTAKES.items():
        found = [each.rule for each in check(f"P[@T]: {{\n{body}\n}}\n", Config(range="half-open"))]
        assert rule in found, body


def test_lessons(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The lessons are the best ones of this project's playbook, as it is now, put there by the command for it."""
    path = tmp_path / "SKILL.md"
    path.write_text(TEXT, "utf-8")
    playbook = str(ROOT / "examples" / "playbook" / "playbook.yaml")
    assert main(["playbook", "export", playbook, "--top", str(N_LESSONS), "--into", str(path)]) == 0
    text = path.read_text("utf-8")
    if request.config.getoption("--update-golden", default=False):
        SKILL.write_text(text, "utf-8")
        return
    assert text == TEXT, "make golden"
    assert TEXT.count("\n- [") == N_LESSONS


def test_citations() -> None:
    """Comments of the extracted spec lead to the lines of the code that do it."""
    code = titled("support.py").text.splitlines()
    cited = re.findall(r"^ *(\w+).*// <- support\.py:(\d+)$", titled("specs/support.acdl").text, re.MULTILINE)
    assert len(cited) == 10
    for word, number in cited:
        line = code[int(number) - 1]
        assert WORDS_OF_CODE.get(word, "customer") in (line if word in WORDS_OF_CODE else line.lower()), (word, line)


def test_extracted_spec_is_the_code(project: Path) -> None:
    """The code sends what the spec says: six earlier turns at most, then the question, calls and results."""
    code = (
        "from support import build_messages as b\n"
        "turns = [{'question': f'q{t}', 'answer': f'a{t}'} for t in range(1, 9)]\n"
        "steps = [{'call': {'id': f'c{i}'}, 'result': f'r{i}'} for i in (1, 2)]\n"
        "print([m['role'][0] + m.get('content', '')[:2] for m in b(turns, 'q9', {'name': 'Ada'}, steps)])\n"
        "print(len(b([], 'q1', None, [])))\n"
    )
    ran = run(sys.executable, "-c", code, cwd=project)
    turns = [f"{role}{word}{t}" for t in range(3, 9) for role, word in (("u", "q"), ("a", "a"))]
    assert ran.stdout == f"{['sYo', *turns, 'uq9', 'a', 'tr1', 'a', 'tr2']}\n2\n", ran.stderr


@pytest.mark.parametrize(
    "text",
    [
        """Router[@T]: { S: ROUTING U: env.question[@T] }
Answer[@T]: {
    S: { INSTRUCTIONS If resp.route[@T] == search { sys.results[@T] } }
    ForEach(t: range(1, @T)) { U: env.question[@t] A: resp.answer[@t] }
    U: env.question[@T]
}
Judge[@T]: { S: JUDGING U: { env.question[@T] resp.answer[@T] } }
""",
        """Planner[@T]: { S: PLANNING U: env.task[@T] }
Worker[@T.I]: {
    S: { INSTRUCTIONS resp.plan[@T] }
    U: env.task[@T]
    ForEach(i: range(1, I+1)) { A: resp.call[@T.i] T: sys.result[@T.i] }
}
Summarizer[@T]: { S: SUMMARIZING U: { env.task[@T] resp.report[@T] } }
""",
    ],
    ids=["router", "planner"],
)
def test_several_prompts_of_a_turn(text: str) -> None:
    """What the skill says about several prompts in one turn gives specs without problems."""
    assert check(text) == ()


def test_extracted_spec_agrees_with_recordings_of_the_code(project: Path) -> None:
    """What the code sends over three turns with tools, recorded, confirms every line of the spec."""
    code = (
        "import json\n"
        "from support import build_messages\n"
        "def call(n):\n"
        "    return {'id': f'c{n}', 'type': 'function', 'function': {'name': 'orders', 'arguments': '{}'}}\n"
        "history, lines = [], []\n"
        "for turn, n_steps in enumerate((0, 2, 1, 0), 1):\n"
        "    steps = []\n"
        "    for n in range(n_steps + 1):\n"
        "        messages = build_messages(history, f'question {turn}', {'name': 'Ada'}, steps)\n"
        "        lines.append(json.dumps({'model': 'm', 'messages': messages}))\n"
        "        steps.append({'call': call(f'{turn}{n}'), 'result': f'result {turn}.{n + 1}'})\n"
        "    history.append({'question': f'question {turn}', 'answer': f'answer {turn}'})\n"
        "open('support.run.jsonl', 'w').write('\\n'.join(lines))\n"
    )
    assert run(sys.executable, "-c", code, cwd=project).returncode == 0
    found = run("acdl", "check-run", "specs/support.acdl", "support.run.jsonl", cwd=project)
    assert found.returncode == 0, found.stdout
    assert "✗" not in found.stdout
    for words in (
        "ForEach(t:",
        "A: resp.answer[@t]",
        "ForEach(i:",
        "A: resp.tool_call[@T.i]",
        "T: sys.tool_result[@T.i]",
    ):
        assert re.search(rf"✓ +\d+ +\d+ \| +{re.escape(words)}", found.stdout), found.stdout
