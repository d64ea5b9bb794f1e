"""Every command that reads text takes time in proportion to it, whatever piece the text repeats.

Each case is a command, a way to put text into a file, and a piece of text, or two in turn. The processor's time is
measured for a text and for one that is four times as long. `python tests/test_growth_families.py 500 7` measures 500 of
the cases, chosen by the seed 7, and lists those that grow faster than their text.
"""

import contextlib
import io
import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.editor.complete import complete_at
from acdl_mkdocs.frontends.editor.documents import Document, Language
from acdl_mkdocs.frontends.editor.highlight import list_tokens
from acdl_mkdocs.frontends.editor.hover import hover_at
from acdl_mkdocs.frontends.editor.symbols import list_symbols
from acdl_mkdocs.frontends.editor.workspace import Workspace

ATOMS: dict[str, str] = {
    "open braces": "{",
    "open brackets": "[",
    "open parentheses": "(",
    "close braces": "}",
    "quotes": '"',
    "apostrophes": "'",
    "backquotes": "`",
    "tildes": "~",
    "dashes": "-",
    "blanks": " ",
    "tabs": "\t",
    "line ends": "\n",
    "returns": "\r",
    "at": "@",
    "digits": "7",
    "letters": "a",
    "less": "<",
    "ampersands": "&",
    "backslashes": "\\",
    "colons": ": ",
    "commas": ", ",
    "dots": ".",
    "bars": "|",
    "stars": "*",
    "hashes": "#",
    "slashes": "//",
    "dollars": "$x ",
    "equals": "a := b ",
    "times": "[@t.i]",
    "blocks": "If a { ",
    "closed blocks": "If a { U: x }\n",
    "messages": "U: env.q[@T]\n",
    "words": "word ",
    "templates": "TASK ",
    "definitions": "StrFrag F{n}[@t]: {{ X }}\n",
    "uses": "Frag F{n}[@t] ",
    "comments": "/* ",
    "comments in lines": "// c\n",
    "combining": "\u0301",
    "invisible": "\u200b",
    "emoji": "😀",
    "tags": "<a>",
    "entities": "&lt;",
    "fences": "```acdl\n",
    "options": 'title="a" ',
    "directives": ".. acdl::\n\n",
    "list items": "- a\n",
    "keys": "k{n}: v\n",
    "pairs": '{{"k": 1}}, ',
    "marks": "<!-- acdl-embed 0123456789ab -->\n",
    "secrets": "sk-proj-a1B2c3D4",
    "calls": "@{{tool(a=1)}} ",
}
"""Pieces of text; `{n}` is the number of the piece where it is repeated."""


def repeat(pieces: Sequence[str], size: int) -> str:
    """So many characters, about, of some pieces in turn."""
    times = max(1, size // sum(map(len, pieces)))
    if not any("{n}" in each or "{{" in each for each in pieces):
        return "".join(pieces) * times
    return "".join(_numbered(each, n) for n in range(times) for each in pieces)


def _numbered(piece: str, n: int) -> str:
    return piece.format(n=n) if "{n}" in piece or "{{" in piece else piece


@dataclass(frozen=True)
class Entry:
    """A command, and where it meets the text."""

    arguments: tuple[str, ...]
    """What it is called with; `IN` is the file with the text."""
    name: str
    """What the file is called."""
    around: Callable[[str], str] = str
    """Makes the content of the file of the text."""
    beside: Mapping[str, str] | None = None
    """Other files."""


SPEC = "A[@T]: {\n    S: { RULES }\n    U: env.q[@T]\n}\n"
STATE = 'acdl_state: 1\nat: 1\ntemplates: {RULES: "be kind"}\nsteps: {1: {env: {q: "hello"}}}\n'
BOOK = json.dumps(
    {
        "schema_version": 1,
        "name": "b",
        "revision": 1,
        "sections": [{"id": "general", "title": "General"}],
        "bullets": [],
    }
)
_TIMES = ("--time", "2024-01-01T00:00:00Z")


def _in_prompt(text: str) -> str:
    return f"A[@T]: {{\n    U: {text}"


def _quoted(text: str) -> str:
    return f"A[@T]: {{\n    U: {json.dumps(text, ensure_ascii=False)}\n}}\n"


def _state(text: str) -> str:
    values = {"acdl_state": 1, "at": 1, "templates": {"RULES": text}, "steps": {"1": {"env": {"q": text}}}}
    return json.dumps(values, ensure_ascii=False)


def _state_list(text: str) -> str:
    parts = text[: len(text) // 2 * 2]
    return _state("x").replace('"x"', json.dumps([parts[n : n + 8] for n in range(0, len(parts), 8)]))


def _messages(text: str) -> list[dict[str, object]]:
    return [{"role": "system", "content": text}, {"role": "user", "content": text}]


def _request(text: str) -> str:
    return json.dumps({"model": "m", "messages": _messages(text)}) + "\n"


def _requests(text: str) -> str:
    """A conversation that grows by a piece with each request."""
    pieces = [text[n : n + 400] for n in range(0, min(len(text), 40_000), 400)]
    lines = [{"model": "m", "messages": [{"role": "user", "content": one} for one in pieces[: n + 1]]} for n in (0, 1)]
    return "\n".join(map(json.dumps, lines)) + "\n" + _request(text)


def _har(text: str) -> str:
    post = {"mimeType": "application/json", "text": _request(text)}
    asked = {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "postData": post, "headers": []}
    return json.dumps(
        {"log": {"entries": [{"request": asked, "response": {"status": 200, "content": {"text": text}}}]}}
    )


def _otlp(text: str) -> str:
    keys = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(_messages(text)), "a": text}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in keys.items()]
    span = {"traceId": "1", "spanId": "2", "name": "chat", "attributes": attributes, "startTimeUnixNano": "1"}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})


def _vcr(text: str) -> str:
    body = json.dumps(_request(text))
    return f"interactions:\n- request:\n    body: {body}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n"


def _pml(text: str) -> str:
    words = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<prompt><conversation><turn><user><text>{words}</text></user></turn></conversation></prompt>"


def _delta(text: str) -> str:
    operation = {"type": "ADD", "section": "general", "content": text}
    return json.dumps({"operations": [operation]})


def _deltas(text: str) -> str:
    parts = [text[n : n + 60] + f" {n}" for n in range(0, len(text), 60)]
    return json.dumps({"operations": [{"type": "ADD", "section": "general", "content": each} for each in parts]})


def _page(text: str) -> str:
    return f"# Page\n\n~~~acdl\n{SPEC}~~~\n\n{text}\n\n~~~acdl\n{SPEC}~~~\n"


def _option(text: str) -> str:
    return f"```acdl {text}\n{SPEC}```\n"


def _in_fence(text: str) -> str:
    return f"~~~~~acdl\n{text}\n~~~~~\n"


def _notebook(text: str) -> str:
    cell = {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def _drawing(text: str) -> str:
    return f"A[@T]:\n  System: RULES\n  User: {text}"


def _toml(text: str) -> str:
    return f"range = {json.dumps(text)}\n"


ENTRIES: dict[str, Entry] = {
    "check": Entry(("check", "IN"), "a.acdl"),
    "check in a prompt": Entry(("check", "IN"), "a.acdl", _in_prompt),
    "check a quoted text": Entry(("check", "IN"), "a.acdl", _quoted),
    "check as SARIF": Entry(("check", "--format", "sarif", "IN"), "a.acdl", _in_prompt),
    "format": Entry(("format", "--check", "--diff", "IN"), "a.acdl", _in_prompt),
    "format a quoted text": Entry(("format", "--check", "--diff", "IN"), "a.acdl", _quoted),
    **{
        f"render {kind}": Entry(("render", "--format", kind, "-o", "OUT", "IN"), "a.acdl", _in_prompt)
        for kind in ("svg", "text", "html", "json")
    },
    "render a quoted text": Entry(("render", "--format", "svg", "-o", "OUT", "IN"), "a.acdl", _quoted),
    "explain": Entry(("explain", "IN"), "a.acdl", _in_prompt),
    "unroll": Entry(("unroll", "IN", "--state", "a.yaml"), "a.acdl", _in_prompt, {"a.yaml": STATE}),
    "unroll a long state": Entry(("unroll", "a.acdl", "--state", "IN"), "a.json", _state, {"a.acdl": SPEC}),
    "unroll as HTML": Entry(
        ("unroll", "a.acdl", "--format", "html", "--state", "IN"), "a.json", _state, {"a.acdl": SPEC}
    ),
    "state of parts": Entry(("state", "check", "IN"), "a.json", _state_list),
    "state in YAML": Entry(("state", "check", "IN"), "a.yaml", lambda text: f"acdl_state: 1\nsteps: {text}"),
    "state in lines": Entry(
        ("state", "check", "IN"), "a.yaml", lambda text: f"acdl_state: 1\ntemplates:\n  A: |\n    {text}"
    ),
    "state in JSON": Entry(("state", "check", "IN"), "a.json", lambda text: f'{{"acdl_state": 1, "steps": {text}'),
    "settings": Entry(("check", "a.acdl", "--config", "IN"), "a.toml", _toml, {"a.acdl": SPEC}),
    "settings as such": Entry(("check", "a.acdl", "--config", "IN"), "a.toml", str, {"a.acdl": SPEC}),
    "inspect any text": Entry(("inspect", "IN"), "a.jsonl"),
    "inspect a request": Entry(("inspect", "IN"), "a.jsonl", _request),
    "inspect requests": Entry(("inspect", "--format", "html", "IN"), "a.jsonl", _requests),
    "inspect HAR": Entry(("inspect", "IN"), "a.har", _har),
    "inspect OTLP": Entry(("inspect", "IN"), "a.json", _otlp),
    "inspect VCR": Entry(("inspect", "IN"), "a.yaml", _vcr),
    "infer": Entry(("infer", "IN"), "a.jsonl", _requests),
    "check-run": Entry(("check-run", "a.acdl", "IN"), "a.jsonl", _request, {"a.acdl": SPEC}),
    "check-run of a long spec": Entry(("check-run", "IN", "a.jsonl"), "a.acdl", _in_prompt, {"a.jsonl": _request("x")}),
    "PML": Entry(("pml", "check", "IN"), "a.pml.xml"),
    "PML with a text": Entry(("pml", "check", "IN"), "a.pml.xml", _pml),
    "PML to a provider": Entry(("pml", "convert", "--to", "openai", "IN"), "a.pml.xml", _pml),
    "provider to PML": Entry(("pml", "convert", "--to", "pml", "--from", "openai", "IN"), "a.json", _request),
    "LAIC": Entry(("pml", "calls", "--lenient", "--tools", "t.xml", "IN"), "a.txt", str, {"t.xml": "<tools/>"}),
    "playbook": Entry(("playbook", "show", "IN"), "b.yaml"),
    "delta": Entry(("playbook", "curate", *_TIMES, "--lenient", "b.yaml", "IN"), "a.txt", str, {"b.yaml": BOOK}),
    "delta with a text": Entry(("playbook", "curate", *_TIMES, "b.yaml", "IN"), "a.json", _delta, {"b.yaml": BOOK}),
    "delta of texts": Entry(("playbook", "curate", *_TIMES, "b.yaml", "IN"), "a.json", _deltas, {"b.yaml": BOOK}),
    **{
        f"import {kind}": Entry(("playbook", "import", *_TIMES, "--from", kind, "c.yaml", "IN"), "a.txt")
        for kind in ("yaml", "text", "json", "csv", "skill", "agents-md")
    },
    "diff": Entry(("diff", "IN", "b.acdl"), "a.acdl", _in_prompt, {"b.acdl": SPEC}),
    "diff of quoted texts": Entry(("diff", "IN", "b.acdl"), "a.acdl", _quoted, {"b.acdl": _quoted("a b" * 400)}),
    "drawing": Entry(("convert", "--from", "drawing", "--to", "acdl", "IN"), "a.txt"),
    "drawing with a text": Entry(("convert", "--from", "drawing", "--to", "acdl", "IN"), "a.txt", _drawing),
    "to a drawing": Entry(("convert", "--from", "acdl", "--to", "drawing", "IN"), "a.acdl", _in_prompt),
    **{f"page {kind}": Entry(("check", "IN"), f"a.{kind}", _page) for kind in ("md", "rst", "mdx", "qmd")},
    "options of a fence": Entry(("check", "IN"), "a.md", _option),
    "a fence": Entry(("check", "IN"), "a.md", _in_fence),
    "notebook": Entry(("check", "IN"), "a.ipynb", _notebook),
    "embed": Entry(("embed", "--check", "IN"), "a.md", _page),
    "data set": Entry(("playbook", "evaluate", "--playbook", "b.yaml", "IN"), "d.jsonl", str, {"b.yaml": BOOK}),
    "hover": Entry(("EDITOR",), "a.acdl", _in_prompt),
    "hover in a page": Entry(("EDITOR",), "a.md", _page),
}

_LEAST_S = 0.1
"""What the longer text has to cost beyond the start of a command, before anything is compared."""
_SIZE, _FACTOR = 8_000, 4
"""Characters of the shorter text, and how many times as long the other one is."""
MOST = 1.2
"""The exponent that is listed: time grows as the length to this power."""
_REFUSED = 1.6
"""The exponent that fails a test: between 1, also with noise of the machine, and 2."""


def run(entry: Entry, text: str) -> float:
    """The processor's seconds that a command takes with a text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / entry.name).write_bytes(entry.around(text).encode("utf-8", "replace"))
        for other, content in (entry.beside or {}).items():
            (folder / other).write_text(content, "utf-8")
        words = [{"IN": entry.name, "OUT": "out"}.get(word, word) for word in entry.arguments]
        before = Path.cwd()
        os.chdir(folder)
        began = time.process_time()
        try:
            with contextlib.redirect_stdout(_sink()), contextlib.redirect_stderr(_sink()):
                ask_editor(folder / entry.name) if words == ["EDITOR"] else main(words)
        finally:
            spent = time.process_time() - began
            os.chdir(before)
    return spent


def _sink() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", errors="replace")


def ask_editor(path: Path) -> None:
    """What an editor asks about one document: at its begin, in its middle and at its end."""
    uri, text = path.as_uri(), path.read_bytes().decode("utf-8")
    language: Language = "acdl" if path.suffix == ".acdl" else "markdown"
    workspace = Workspace({uri: Document(uri, text, language)})
    list_symbols(workspace, uri)
    list_tokens(workspace, uri)
    for offset in (0, len(text) // 2, len(text)):
        hover_at(workspace, uri, offset)
        complete_at(workspace, uri, offset)


def exponent(entry: Entry, pieces: Sequence[str], size: int = _SIZE) -> tuple[float, float, float]:
    """How time grows with length: the power, and the seconds of both lengths; 0 if even the longer is soon over."""
    start = run(entry, "")
    many_s = run(entry, repeat(pieces, size * _FACTOR)) - start
    if many_s < _LEAST_S:
        return 0.0, many_s, many_s
    few_s = max(run(entry, repeat(pieces, size)) - start, _LEAST_S / 100)
    return math.log(many_s / few_s, _FACTOR), few_s, many_s


def lasting_exponent(entry: Entry, pieces: Sequence[str], most: float) -> tuple[float, float, float]:
    """The same, measured again where it is more than something: other programs can only add to time.

    A longer text may be read once more than a short one, which looks like growth between two lengths. So the last word
    is that of longer texts, which are read equally often.
    """
    found = exponent(entry, pieces)
    for size in (_SIZE, _SIZE * _FACTOR):
        if found[0] > most:
            found = min(found, exponent(entry, pieces, size))
    return found


def cases() -> list[tuple[str, tuple[str, ...]]]:
    """All commands with all pieces and pairs of pieces."""
    pieces = [(one,) for one in ATOMS] + [(one, two) for one in ATOMS for two in ATOMS if one != two]
    return [(entry, each) for entry in ENTRIES for each in pieces]


def survey(chosen: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[str]:
    """A line for each case that grows faster than its text."""
    for name, names in chosen:
        power, few_s, many_s = lasting_exponent(ENTRIES[name], [ATOMS[each] for each in names], MOST)
        if power > MOST:
            yield f"{name} | {' + '.join(names)} | {power:.2f} | {few_s:.2f} s, {many_s:.2f} s"


SAMPLE = (
    ("drawing with a text", ("tags",)),
    ("drawing with a text", ("dashes", "line ends")),
    ("check as SARIF", ("words",)),
    ("infer", ("words", "dots")),
    ("to a drawing", ("tags",)),
    ("options of a fence", ("options", "backslashes")),
    ("PML", ("less", "ampersands")),
    ("state in YAML", ("open brackets", "quotes")),
)
"""Cases that once grew faster, of which the first ones always run, and one of each parser that is not that of specs."""


@pytest.mark.parametrize(("name", "names"), few([*SAMPLE, *random.Random(9).sample(cases(), 200)], 4))  # noqa: S311
def test_time_grows_with_the_length(name: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text takes about four times the time, whatever it repeats."""
    monkeypatch.setenv("ACDL_NO_CACHE", "1")
    found = lasting_exponent(ENTRIES[name], [ATOMS[each] for each in names], _REFUSED)
    assert found[0] < _REFUSED, found


if __name__ == "__main__":
    os.environ["ACDL_NO_CACHE"] = "1"
    n_cases, seed = map(int, sys.argv[1:])
    for line in survey(random.Random(seed).sample(cases(), n_cases)):  # noqa: S311
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
