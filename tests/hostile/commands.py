# ruff: noqa: ARG005 - every command is given the same
"""Every command that prints what files, names and arguments say: each is a name and what it is given for one text."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Provenance, Section
from acdl_mkdocs.playbook.store import create
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


def _inferred(*arguments: str) -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        return ("infer", _file(folder, f"{file_name(text)}.jsonl", _run(text)), *arguments)

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


def _page(text: str) -> str:
    """Two blocks that are drawn, one with a sample state, between what somebody writes."""
    title = "".join(" " if each in "\n\r" else each for each in text).replace("\\", "").replace('"', "'")
    spec = _sound(text).replace("`", "'").replace("~", "-")
    return f'# {title}\n\n~~~acdl title="{title}" caption="{title}"\n{spec}~~~\n\n~~~acdl state=a.yaml\n{spec}~~~\n'


def _embedded(*arguments: str, kind: str = "page") -> Line:
    def line(text: str, folder: Path) -> Sequence[str]:
        _file(folder, "a.yaml", _state(text))
        words = {"page": _page(text), "errors": f"```acdl\n{_spec(text)}```\n"}
        words["mark"] = f"{_page('x')}\n<!-- acdl-embed {text} -->\n<!-- acdl-embed 0123456789ab {text} -->\n"
        page = _file(folder, f"{file_name(text)}.md", words[kind])
        return ("embed", *(each.format(as_written(text)) for each in arguments), page)

    return line


def _kept(*arguments: str) -> Line:
    """A playbook with a history, whose file has the text as its name; so has what the arguments leave open."""

    def line(text: str, folder: Path) -> Sequence[str]:
        path = folder / f"{file_name(text)}.yaml"
        words = " ".join(as_written(text).split()) or "x"
        bullets = [
            Bullet(id=f"ge-0000000{n}", section="general", content=f"{n} {words}", source=(Provenance(by=words),))
            for n in (1, 2)
        ]
        try:
            create(path, Playbook(words, sections=(Section("general", words),), bullets=tuple(bullets)), time=_TIME)
        except Exception:  # the text is refused there
            plain = Bullet(id="ge-00000001", section="general", content="x")
            create(path, Playbook("x", sections=(Section("general", "x"),), bullets=(plain,)), time=_TIME)
        _file(folder, "odd", text)
        return ("playbook", *(each.format(text=as_written(text), book=path.name) for each in arguments))

    return line


_TIME = "2026-01-01T00:00:00Z"


def _in_repository(*arguments: str) -> Line:
    """In a repository that is called like the text."""

    def line(text: str, folder: Path) -> Sequence[str]:
        inside = folder / (file_name(text).strip(".") or "x")
        inside.mkdir()
        os.chdir(inside)
        subprocess.run(["git", "init", "-q"], check=True)
        return arguments

    return line


def _pair(text: str, folder: Path, names: tuple[str, str] = ("old", "new")) -> tuple[str, str]:
    return _file(folder, names[0], _sound("x")), _file(folder, names[1], _sound(text))


def _driven(text: str, folder: Path) -> Sequence[str]:
    old, new = _pair(text, folder)
    name = f"{as_written(text)}.acdl"
    return "git", "driver", name, old, "0" * 40, "100644", new, "1" * 40, "100755", f"{name}2", as_written(text)


def _shown_by_tool(text: str, folder: Path) -> Sequence[str]:
    return "git", "difftool", *_pair(text, folder), f"{as_written(text)}.acdl"


def _merged(text: str, folder: Path) -> Sequence[str]:
    names = [_file(folder, name, _sound_book(text)) for name in ("base", "ours", "theirs")]
    _file(folder, "theirs", _book(text))
    return "playbook", "merge", *names, as_written(text)


def _recorded_state(text: str, folder: Path) -> Sequence[str]:
    run = _file(folder, "run.jsonl", json.dumps({"messages": [{"role": "user", "content": text}]}) + "\n")
    spec = _file(folder, "a.acdl", "A[@T]: { U: env.q[@T] }\n")
    return "check-run", spec, run, "--emit-state", f"{file_name(text)}.yaml"


def _options(*arguments: str) -> Line:
    """What the arguments leave open is the text."""
    return lambda text, folder: [each.format(as_written(text)) for each in arguments]


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
    "infer": _inferred(),
    "infer, with a report": _inferred("-o", "made.acdl", "--report", "-", "--force"),
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
    "a command": _options("{}"),
    "a command of the help": _options("help", "{}"),
    "settings": _options("check", "--config", "{}", "a.acdl"),
    "an option": _options("check", "--{}"),
    "a choice": _options("check", "--format", "{}"),
    "one argument too many": _options("convert", "a", "{}"),
    "check, as much as can be said": lambda text, folder: (
        "check",
        "-v",
        _file(folder, f"{file_name(text)}.acdl", _spec(text)),
    ),
    "check, fixed": lambda text, folder: ("check", "--fix", _file(folder, f"{file_name(text)}.acdl", _spec(text))),
    "completion": _options("completion", "{}"),
    "embed": _embedded(),
    "embed, what is out of date": _embedded("--check"),
    "embed, where to": _embedded("--assets", "{}", "--link", "{}"),
    "embed a page with errors": _embedded(kind="errors"),
    "embed a page with marks": _embedded(kind="mark"),
    "git setup": _in_repository("git", "setup", "--print"),
    "git driver": _driven,
    "git driver of a conflict": _options("git", "driver", "{}"),
    "git difftool": _shown_by_tool,
    "lsp": _options("lsp", "{}"),
    "mcp": _options("mcp", "--root", "{}", "--timeout", "{}"),
    "new site": lambda text, folder: ("new", "site", f"{file_name(text)}"),
    "new spec": lambda text, folder: ("new", "spec", f"{file_name(text)}.acdl"),
    "new skill": lambda text, folder: ("new", "skill", file_name(text)),
    "playground": lambda text, folder: ("playground", f"{_file(folder, file_name(text), 'a file')}/x"),
    "render to a file": lambda text, folder: (
        "render",
        "-v",
        _file(folder, "a.acdl", _sound("x")),
        "-o",
        f"{file_name(text)}.svg",
    ),
    "state new": lambda text, folder: (
        "state",
        "new",
        _file(folder, "a.acdl", _sound("x")),
        "-o",
        f"{file_name(text)}.yaml",
    ),
    "state new, printed": _on_sound("state", "new"),
    "state from-pml": lambda text, folder: (
        "state",
        "from-pml",
        _file(folder, "a.pml.xml", _prompt(text)),
        "-o",
        f"{file_name(text)}.yaml",
    ),
    "state of a run": _recorded_state,
    "pml format": _prompted("format", "--lenient"),
    "pml instructions": _prompted("instructions", "--lenient"),
    "pml remove": lambda text, folder: ("pml", "remove", _file(folder, "a.xml", _prompt(text)), as_written(text)),
    "pml replace": lambda text, folder: (
        "pml",
        "replace",
        _file(folder, "a.xml", _prompt(text)),
        as_written(text),
        "--with",
        _file(folder, "b.xml", text),
    ),
    "playbook approve": _kept("approve", "{book}", "{text}"),
    "playbook blame": _kept("blame", "{book}"),
    "playbook blame a bullet": _kept("blame", "{book}", "ge-00000001"),
    "playbook blame an unknown bullet": _kept("blame", "{book}", "{text}"),
    "playbook curate": _kept("curate", "{book}", "odd"),
    "playbook diff": _kept("diff", "{book}", "0..1"),
    "playbook diff of odd revisions": _kept("diff", "{book}", "{text}"),
    "playbook evaluate": _kept("evaluate", "odd", "--playbook", "{book}", "--scorer", "{text}"),
    "playbook import": _kept("import", "{book}", "odd"),
    "playbook import, tried": _kept("import", "new{book}", "{book}", "--dry-run"),
    "playbook import, made": _kept("import", "new{book}", "{book}"),
    "playbook init": _kept("init", "new{book}", "--name", "{text}"),
    "playbook learn": _kept("learn", "odd", "--playbook", "{book}", "--run", "{text}", "--model", "{text}"),
    "playbook log of a history": _kept("log", "{book}"),
    "playbook log of a bullet": _kept("log", "{book}", "--bullet", "{text}"),
    "playbook merge": _merged,
    "playbook pin": _kept("pin", "{book}", "ge-00000001", "--reason", "{text}", "--time", _TIME),
    "playbook refine": _kept("refine", "{book}"),
    "playbook repair": _kept("repair", "{book}"),
    "playbook review of near lessons": _kept("review", "{book}"),
    "playbook show, kept": _kept("show", "{book}"),
    "playbook tag": _kept("tag", "{book}", "ge-00000001", "helpful", "--actor", "{text}"),
    "playbook undo": _kept("undo", "{book}", "1"),
    "playbook undo nothing": _kept("undo", "{book}", "--to", "1"),
    "playbook verify, kept": _kept("verify", "{book}"),
    "playbook of a missing file": lambda text, folder: ("playbook", "show", as_written(text)),
}
"""All of them."""
