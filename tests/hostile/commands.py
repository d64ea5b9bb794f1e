# ruff: noqa: ARG005 - every command is given the same
"""Every command that prints what files, names and arguments say: each is a name and what it is given for one text."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hostile.sites import as_written

Line = Callable[[str, Path], Sequence[str]]
"""Writes files into a folder, which is the working folder, and gives the arguments."""


def file_name(text: str) -> str:
    """A text as far as the name of a file can say it."""
    return as_written(text.replace("/", "_").replace("\0", "_"))[:60]


def _file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_bytes(as_written(text).encode())
    return name


def _spec(text: str) -> str:
    quoted = text.replace("\n", " ")
    inside = f'    S: {{ "{quoted}" $x{quoted} }} // {quoted}\n    U: env.q[@T]\n    {text}\n'
    return f"// title: {quoted}\n// {quoted}\nA[@T]: {{\n{inside}}}\n"


def _sound(text: str) -> str:
    quoted = "".join(" " if each in "\n\r" else each for each in text).replace('"', "'")
    return (
        f'// title: {quoted}\n// {quoted}\nA[@T]: {{\n    S: {{ "{quoted}" RULES }} // {quoted}\n    U: env.q[@T]\n}}\n'
    )


def _state(text: str) -> str:
    return json.dumps(
        {"acdl_state": 1, "at": 1, "templates": {"RULES": text}, "steps": {"1": {"env": {"q": text, text: text}}}}
    )


def _run(text: str) -> str:
    body = {
        "model": text,
        "messages": [{"role": "system", "content": text}, {"role": "assistant", "content": text}],
        text: text,
    }
    return json.dumps(body) + "\n" + text + "\n"


def _prompt(text: str) -> str:
    words = quoteattr(text)
    tool = f'<tools><tool name="W" desc={words}><param key="a" desc={words}/></tool></tools>'
    turn = f"<turn><user><text>{words[1:-1]}</text></user><assistant><call name={words} b={words}/></assistant></turn>"
    return f"<prompt>{tool}<conversation topic={words}>{turn}</conversation></prompt>"


def _book(text: str) -> str:
    bullet = {
        "id": "ge-00000001",
        "section": "general",
        "content": text,
        "helpful": 1,
        "harmful": 0,
        "source": {"by": text, "run": text},
        "added": 1,
        "updated": 1,
    }
    return json.dumps(
        {
            "schema_version": 1,
            "name": "b",
            "revision": 1,
            "sections": [{"id": "general", "title": text}],
            "bullets": [bullet, {**bullet, text: text}],
        }
    )


def _sound_book(text: str) -> str:
    """One that is read: the text is wherever any text may be."""
    words = as_written(text)
    bullet = {
        "id": "ge-00000001",
        "section": "general",
        "content": "x",
        "helpful": 1,
        "harmful": 0,
        "source": {"by": words, "run": words},
        "added": 1,
        "updated": 1,
    }
    sections = [{"id": "general", "title": " ".join(words.split())}]
    return json.dumps({"schema_version": 1, "name": words, "revision": 1, "sections": sections, "bullets": [bullet]})


def _on_spec(*arguments: str) -> Line:
    return lambda text, folder: (*arguments, _file(folder, "a.acdl", _spec(text)))


def _on_sound(*arguments: str) -> Line:
    return lambda text, folder: (*arguments, _file(folder, "a.acdl", _sound(text)))


def _named(*arguments: str) -> Line:
    """The text is the name of a file, and what is in it is wrong."""
    return lambda text, folder: (*arguments, _file(folder, f"{file_name(text)}.acdl", "A[@T]: {\n    U: {\n"))


def _missing(*arguments: str) -> Line:
    return lambda text, folder: (*arguments, f"{as_written(text)}.acdl")


def _with_state(*arguments: str) -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        state = _file(folder, "a.yaml", _state(text))
        return (*arguments, _file(folder, "a.acdl", _sound(text)), "--state", state)

    return line


def _bad_state(text: str, folder: Path) -> Sequence[str]:
    state = _file(folder, "a.yaml", f"acdl_state: 1\n{json.dumps(text)}: 1\nsteps: {{1: {{env: {{q: {text}")
    return "unroll", _file(folder, "a.acdl", _sound("x")), "--state", state


def _odd_state(text: str, folder: Path) -> Sequence[str]:
    state = _file(folder, "a.yaml", json.dumps({"acdl_state": 1, text: 1, "steps": {text: {text: text}}}))
    return "state", "check", state


def _checked_run(*arguments: str) -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        run = _file(folder, f"{file_name(text)}.jsonl", _run(text))
        return ("check-run", _file(folder, "a.acdl", _sound("x")), run, *arguments)

    return line


def _inspected(*arguments: str) -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        return ("inspect", _file(folder, f"{file_name(text)}.jsonl", _run(text)), *arguments)

    return line


def _compared(*arguments: str) -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        return ("diff", _file(folder, "a.acdl", _sound("x")), _file(folder, "b.acdl", _sound(text)), *arguments)

    return line


def _revision(text: str, folder: Path) -> Sequence[str]:
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return "diff", "--git", as_written(text).replace("\0", "")


def _prompted(*arguments: str) -> Line:
    return lambda text, folder: ("pml", *arguments, _file(folder, "a.pml.xml", _prompt(text)))


def _booked(*arguments: str) -> Line:
    return lambda text, folder: ("playbook", *arguments, _file(folder, "b.yaml", _book(text)))


def _exported(*arguments: str) -> Line:
    return lambda text, folder: ("playbook", "export", *arguments, _file(folder, "b.yaml", _sound_book(text)))


COMMANDS: Mapping[str, Line] = {
    "check": _on_spec("check"),
    "check, one line each": _on_spec("check", "--format", "line"),
    "check for GitHub": _on_spec("check", "--format", "github"),
    "check as JSON": _on_spec("check", "--format", "json"),
    "check as SARIF": _on_spec("check", "--format", "sarif"),
    "check as JUnit": _on_spec("check", "--format", "junit"),
    "check a file": _named("check"),
    "check a missing file": _missing("check"),
    "check, one line each, a file": _named("check", "--format", "line"),
    "check for GitHub, a file": _named("check", "--format", "github"),
    "format, what differs": _on_sound("format", "--diff"),
    "format a file": _named("format"),
    "format, which file differs": lambda text, folder: (
        "format",
        "--check",
        _file(folder, f"{file_name(text)}.acdl", "A[@T]:{U:env.q}"),
    ),
    "format a missing file": _missing("format", "--check"),
    "render as text": _on_sound("render", "--format", "text", "-o", "-"),
    "render as JSON": _on_sound("render", "--format", "json", "-o", "-"),
    "render as HTML": _on_sound("render", "--format", "html", "-o", "-"),
    "render as SVG": _on_sound("render", "--format", "svg", "-o", "-"),
    "render a missing file": _missing("render"),
    "render an unknown spec": lambda text, folder: (
        "render",
        _file(folder, "a.acdl", _sound("x")),
        "--spec",
        as_written(text),
    ),
    "explain": _on_sound("explain"),
    "explain as JSON": _on_sound("explain", "--format", "json"),
    "explain a file": _named("explain"),
    "unroll": _with_state("unroll"),
    "unroll, how it grows": _with_state("unroll", "--format", "growth"),
    "unroll as JSON": _with_state("unroll", "--format", "json"),
    "unroll as a request": _with_state("unroll", "--format", "openai"),
    "unroll as a command": _with_state("unroll", "--format", "openai", "--curl"),
    "unroll as PML": _with_state("unroll", "--format", "pml"),
    "unroll with a bad state": _bad_state,
    "unroll at an odd point": lambda text, folder: (
        "unroll",
        _file(folder, "a.acdl", _sound("x")),
        "--at",
        as_written(text),
    ),
    "tokens": _with_state("tokens"),
    "tokens compared": _with_state("tokens", "--compare", "--format", "markdown"),
    "state, an odd one": _odd_state,
    "check-run": _checked_run(),
    "check-run as JSON": _checked_run("--format", "json"),
    "check-run as Markdown": _checked_run("--format", "markdown"),
    "check-run as JUnit": _checked_run("--format", "junit"),
    "check-run as a badge": _checked_run("--format", "badge"),
    "inspect": _inspected(),
    "inspect as JSON": _inspected("--format", "json"),
    "inspect as HTML": _inspected("--format", "html"),
    "diff": _compared(),
    "diff as Markdown": _compared("--format", "markdown"),
    "diff as JSON": _compared("--format", "json"),
    "diff of revisions": _revision,
    "diff of missing files": lambda text, folder: ("diff", as_written(text), f"HEAD:{as_written(text)}"),
    "rules": lambda text, folder: ("rules", as_written(text)),
    "convert a missing file": _missing("convert"),
    "new": lambda text, folder: ("new", "spec", file_name(text)),
    "record": lambda text, folder: ("record", "--replay", file_name(text), "--", "true"),
    "record from a script": lambda text, folder: ("record", "--script", _file(folder, "s.yaml", text), "--", "true"),
    "pml check": _prompted("check"),
    "pml parts": _prompted("parts"),
    "pml calls": lambda text, folder: ("pml", "calls", _file(folder, "a.txt", _prompt(text))),
    "pml select": lambda text, folder: ("pml", "select", _file(folder, "a.pml.xml", _prompt(text)), as_written(text)),
    "pml convert": _prompted("convert", "--to", "anthropic"),
    "playbook show": _booked("show"),
    "playbook verify": _booked("verify"),
    "playbook log": _booked("log"),
    "playbook review": _booked("review"),
    "playbook export": _booked("export"),
    "playbook export as text": _exported(),
    "playbook export as JSON": _exported("--format", "json"),
    "playbook export as CSV": _exported("--format", "csv"),
    "playbook export for AGENTS.md": _exported("--format", "agents-md"),
    "playbook export as a feed": _exported("--format", "feed"),
    "playbook of a missing file": lambda text, folder: ("playbook", "show", as_written(text)),
}
"""All of them."""
