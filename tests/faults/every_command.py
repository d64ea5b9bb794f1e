"""Every command and action once, on ordinary input, in a project that has all that they read."""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.loopback import Loopback, Request, Said, said

from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.command_line import ActionParser, build_parser
from acdl_mkdocs.frontends.cli.playbook import ACTIONS
from acdl_mkdocs.frontends.cli.pml import PML_ACTIONS
from faults.projects import CHAT, EXAMPLES, HOME, PROGRAMS, STATE, TIME, run_acdl

URL = "{url}"
"""In the words of a command: where the model is."""
BOOK = "book/playbook.yaml"
TEXTS = (
    "Wait 5 seconds after each call of the service.",
    "Wait 50 seconds after each call of the service.",
    "Quote the manual by its sections.",
)
IDS = ("gen-aaaaaaaa", "gen-bbbbbbbb", "gen-cccccccc")
_BULLETS = "".join(
    f"- {{id: {key}, section: general, content: {text}}}\n" for key, text in zip(IDS, TEXTS, strict=True)
)
_PLAYBOOK = (
    f"schema_version: 1\nname: book\nrevision: 0\nsections:\n- {{id: general, title: General}}\nbullets:\n{_BULLETS}"
)
_PROPOSED = "- {id: gen-dddddddd, section: general, content: Look before you leap., status: proposed}\n"
_ANSWERS = [{"a": IDS[0], "b": IDS[1], "verdict": "conflicts", "reason": "5 or 50"}]
_QUESTIONS = "".join(
    json.dumps({"id": f"q{n}", "question": f"{n} dozen?", "answer": str(12 * n)}) + "\n" for n in (1, 2)
)
_AGENT = 'import json, sys\njson.load(sys.stdin)\nprint(json.dumps({"answer": "12"}))\n'
_ASK = (
    "import json, os, urllib.request\n"
    'body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}\n'
    'where = os.environ["OPENAI_BASE_URL"] + "/chat/completions"\n'
    "print(len(urllib.request.urlopen(urllib.request.Request(where, json.dumps(body).encode())).read()) > 0)\n"
)
_PYTHON = sys.executable
_MODULES = (*COMMANDS.values(), *ACTIONS.values(), *PML_ACTIONS.values())


def _lsp(*messages: Mapping[str, object]) -> str:
    texts = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    return "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)


_EDITOR = _lsp(
    {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
    {"method": "initialized", "params": {}},
    {"id": 2, "method": "shutdown"},
    {"method": "exit"},
)
_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_AGENT_HOST = "".join(
    json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    for message in (
        {"id": 1, "method": "initialize", "params": _CLIENT},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    )
)


@dataclass(frozen=True, slots=True)
class Line:
    """A command line that ends by itself."""

    words: tuple[str, ...]
    """`{url}` in them is the address of a model."""
    status: int = 0
    given: str = ""
    """What standard input has."""
    needs: str = ""
    """A package that it needs."""
    is_slow: bool = False


def _line(words: str, *more: str, **about: Any) -> Line:
    return Line((*words.split(), *more), **about)


_AT = " ".join(TIME)
_LEARNED = f"--playbook {BOOK} --model m --base-url {URL} --question question --answer answer"
LINES: Mapping[str, Line] = {
    "check": _line("check specs docs"),
    "check --fix": _line("check --fix specs docs"),
    "check-run": _line("check-run specs/one.acdl run.jsonl --emit-state made.yaml -o made.json --format json"),
    "completion": _line("completion bash", needs="argcomplete"),
    "convert": _line("convert react.txt -o made.acdl"),
    "diff": _line("diff specs/chat.acdl specs/old.acdl", status=1),
    "diff --git": _line("diff --git HEAD"),
    "diff --html": _line("diff specs/chat.acdl specs/old.acdl --format html -o made.html", status=1),
    "embed": _line("embed docs"),
    "explain": _line("explain specs/chat.acdl -o made.txt"),
    "format": _line("format specs docs"),
    "git setup": _line("git setup --attributes"),
    "git driver": _line("git driver specs/chat.acdl specs/chat.acdl 1 100644 specs/old.acdl 2 100644"),
    "git difftool": _line("git difftool specs/chat.acdl specs/old.acdl specs/chat.acdl"),
    "infer": _line("infer run.jsonl -o made.acdl --report made.json"),
    "inspect": _line("inspect run.jsonl --format html -o made.html"),
    "lsp": _line("lsp", given=_EDITOR, needs="pygls"),
    "mcp": _line("mcp", given=_AGENT_HOST, needs="mcp"),
    "new site": _line("new site made"),
    "new spec": _line("new spec made.acdl"),
    "new skill": _line("new skill made"),
    "playbook approve": _line(f"playbook approve {BOOK} gen-dddddddd {_AT}"),
    "playbook blame": _line(f"playbook blame {BOOK}"),
    "playbook curate": _line(f"playbook curate {BOOK} delta.json {_AT}"),
    "playbook diff": _line(f"playbook diff {BOOK}", status=1),
    "playbook evaluate": _line(
        f"playbook evaluate questions.jsonl --playbook {BOOK} -o made.md --agent", f"{_PYTHON} agent.py"
    ),
    "playbook export": _line(f"playbook export {BOOK} --format csv -o made.csv"),
    "playbook export --into": _line(f"playbook export {BOOK} --format agents-md --into docs/index.md"),
    "playbook import": _line(f"playbook import {BOOK} other.yaml {_AT}"),
    "playbook init": _line(f"playbook init made.yaml {_AT}"),
    "playbook learn": _line(f"playbook learn questions.jsonl {_LEARNED} {_AT}", needs="openai"),
    "playbook log": _line(f"playbook log {BOOK}"),
    "playbook merge": _line(f"playbook merge {BOOK} other.yaml {BOOK} {BOOK}"),
    "playbook merge --setup": _line(f"playbook merge --setup --file {BOOK}"),
    "playbook pin": _line(f"playbook pin {BOOK} {IDS[2]} {_AT}"),
    "playbook refine": _line(f"playbook refine {BOOK} --answers answers.jsonl {_AT}"),
    "playbook repair": _line(f"playbook repair edited/playbook.yaml {_AT}"),
    "playbook review": _line(f"playbook review {BOOK} conflicts {IDS[0]} {IDS[1]} {_AT}"),
    "playbook show": _line(f"playbook show {BOOK}"),
    "playbook tag": _line(f"playbook tag {BOOK} {IDS[0]} helpful {_AT}"),
    "playbook undo": _line(f"playbook undo {BOOK} {_AT}"),
    "playbook verify": _line(f"playbook verify {BOOK}"),
    "playground": _line("playground made specs/chat.acdl", is_slow=True),
    "pml calls": _line("pml calls answer.txt --tools pml.xml", status=1),
    "pml check": _line("pml check pml.xml"),
    "pml convert": _line("pml convert pml.xml --to openai --model m -o made.json --report report.json"),
    "pml format": _line("pml format pml.xml --style min"),
    "pml instructions": _line("pml instructions pml.xml"),
    "pml parts": _line("pml parts pml.xml"),
    "pml remove": _line("pml remove pml.xml system -o made.xml"),
    "pml replace": _line("pml replace pml.xml system/text --with other.txt -o made.xml"),
    "pml select": _line("pml select pml.xml system -o made.xml"),
    "record": _line("record -o made.jsonl --script replies.yaml --", _PYTHON, "ask.py"),
    "record --append": _line("record -o run.jsonl --append --script replies.yaml --", _PYTHON, "ask.py"),
    "render": _line("render specs -o made"),
    "render as PNG": _line("render specs/chat.acdl --format png -o made.png", needs="resvg_py"),
    "render as PDF": _line("render specs/chat.acdl --format pdf -o made.pdf", needs="pydyf"),
    "rules": _line("rules"),
    "state new": _line("state new specs/chat.acdl -o made.yaml"),
    "state from-pml": _line("state from-pml pml.xml -o made.yaml"),
    "state check": _line("state check specs/chat.state.yaml"),
    "tokens": _line("tokens specs/chat.acdl --encoding estimate"),
    "unroll": _line("unroll specs/chat.acdl --format openai -o made.json"),
}
"""By name: the command, its action if it has some, and what is special about the line."""


def make_full_project(root: Path) -> Path:
    """A project with a file of every kind that a command reads, in a repository of git."""
    other = _PLAYBOOK.replace(TEXTS[2], "Prefer short words.").replace(IDS[2], "gen-eeeeeeee")
    texts = {
        "specs/chat.acdl": CHAT,
        "specs/chat.state.yaml": STATE,
        "specs/old.acdl": CHAT.replace("U: env.q", "A: env.q").replace("Chat", "Old"),
        "specs/one.acdl": "One[@T]: {\n  U: env.q[@T]\n}\n",
        "docs/index.md": HOME.replace(" src=specs/chat.acdl", "").replace(
            "```acdl\n```", "```acdl\nB[@T]: { U: env.b }\n```"
        ),
        "book/playbook.yaml": _PLAYBOOK + _PROPOSED,
        "other.yaml": other,
        "edited/playbook.yaml": _PLAYBOOK,
        "delta.json": json.dumps([{"type": "ADD", "section": "general", "content": "Prefer short words."}]),
        "answers.jsonl": "".join(json.dumps(each) + "\n" for each in _ANSWERS),
        "questions.jsonl": _QUESTIONS,
        "agent.py": _AGENT,
        "ask.py": _ASK,
        "replies.yaml": "acdl_replies: 1\nreplies:\n  - {text: one}\n",
        "run.jsonl": json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}) + "\n",
        "other.txt": "Be brief.",
        "answer.txt": (EXAMPLES / "pml" / "answer.txt").read_text("utf-8"),
        "pml.xml": (EXAMPLES / "pml" / "weather.pml.xml").read_text("utf-8"),
        "react.txt": (EXAMPLES / "drawings" / "react.txt").read_text("utf-8"),
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    for book in (BOOK, "edited/playbook.yaml"):
        made = run_acdl("playbook", "repair", book, *TIME, folder=root)
        assert made.returncode == 0, made.stderr
    made = run_acdl("playbook", "tag", BOOK, IDS[0], "helpful", *TIME, folder=root)
    assert made.returncode == 0, made.stderr
    path = root / "edited" / "playbook.yaml"
    path.write_text(path.read_text("utf-8").replace("Quote", "Cite"), "utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for words in ("init -q", "add .", "-c user.name=t -c user.email=t commit -q -m one"):
        subprocess.run(["git", *words.split()], cwd=root, env=environment, check=True)
    for folder in root.rglob(".acdl-locks"):
        shutil.rmtree(folder)
    return root


@dataclass(frozen=True, slots=True)
class Around:
    """What a program is started with and in."""

    flags: tuple[str, ...] = ()
    """Of Python."""
    environment: Mapping[str, str | None] = field(default_factory=dict)
    """What differs; `None` takes a variable away."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Of `resource`, and `umask`; with `locale`, the program uses that of the environment, as some hosts do."""
    streams: Mapping[int, str] = field(default_factory=dict)
    """By number: `closed`, `broken` for a pipe that nobody reads, or `full`."""
    protect: int = 0
    """A mask for the permissions of all files and folders."""
    named: str = ""
    """How the name of the folder ends in which the program runs."""
    is_absolute: bool = False
    """Whether words that are files of the project are absolute paths."""
    is_warm: bool = True
    """Whether all commands are imported before the first one runs, which is faster, and takes more memory."""
    prepare: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a line."""

    status: int
    out: str
    err: str
    files: Mapping[str, str]
    """Digests of what it made or changed."""
    drafts: Sequence[str]


def run_all(project: Path, folder: Path, around: Around, names: Iterable[str] = ()) -> dict[str, Ran]:
    """Run the lines whose packages are there, each in its copy of the project.

    Parameters:
        project: The project.
        folder: Where copies are put.
        around: What the commands run in.
        names: Only these, each imported when it runs; else all but the slow ones.
    """
    folder.mkdir(parents=True)
    with Loopback(reply) as model:
        lines = {
            name: {"words": [_word(word, project, model.url, around) for word in line.words], "given": line.given}
            for name, line in LINES.items()
            if (not names or name in names) and not line.is_slow and (not line.needs or find_spec(line.needs))
        }
        result = folder / "result.json"
        plan = {
            "project": str(project),
            "copies": str(folder),
            "named": around.named,
            "result": str(result),
            "lines": lines,
            "limits": around.limits,
            "streams": around.streams,
            "protect": around.protect,
            "imports": _MODULES if around.is_warm and not names else [],
        }
        (folder / "plan.json").write_text(json.dumps(plan), "utf-8")
        changed = {**os.environ, "HOME": str(project / "home"), **around.environment}
        ran = subprocess.run(
            [_PYTHON, *around.flags, PROGRAMS / "each.py", folder / "plan.json"],
            env={name: value for name, value in changed.items() if value is not None},
            preexec_fn=around.prepare,
            capture_output=True,  # streams that cannot seek, whatever they are replaced by
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        said = result.read_text("utf-8").replace(model.url.rpartition("/")[0], "http://model")
        said = said.replace(str(folder), "/folder")
    return {name: Ran(**each) for name, each in json.loads(said).items()}


def _word(word: str, project: Path, url: str, around: Around) -> str:
    is_file = around.is_absolute and not Path(word).is_absolute() and (project / word).exists()
    return f"{{here}}/{word}" if is_file else word.replace(URL, url)


def reply(request: Request) -> Said:
    """What the model says to generator, reflector and curator."""
    keys = request.body["response_format"]["json_schema"]["schema"]["properties"]
    if "final_answer" in keys:
        return said(json.dumps({"reasoning": "r", "bullet_ids": [], "final_answer": "1"}))
    if "key_insight" in keys:
        return said(json.dumps({"reasoning": "r", "key_insight": "Count a dozen as 12.", "bullet_tags": []}))
    add = {"type": "ADD", "section": "general", "content": "Count a dozen as 12."}
    return said(json.dumps({"reasoning": "new", "operations": [add]}))


def names_of(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command without actions, and every action."""
    actions = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not actions or isinstance(parser, ActionParser):
        yield " ".join(words)
    for each in actions:
        for name, command in each.choices.items():
            yield from names_of(command, (*words, name))


ALL = tuple(names_of(build_parser(COMMANDS)))
"""The names of everything that can be run."""
