"""Small files that ask for much: read with little memory and in little time, or refused with a sentence."""

import base64
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.lsp import message_queue

resource = pytest.importorskip("resource", reason="needs limits of processes, which Windows does not have")

_MOST_MB = 1500
"""Of address space for the program: what a bomb would fill is a hundred times as much."""
_MOST_CPU_S = 60
_SPEC = "A[@T]: {\n    U: env.q[@T]\n}\n"


def _aliases(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "acdl_state: 1\n" + "\n".join(lines) + f"\nsteps: {{1: {{env: {{q: *a{levels - 1}}}}}}}\n"


def _merges(levels: int) -> str:
    lines = ["m0: &m0 {k: x}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}" for n in range(1, levels)]
    return "acdl_state: 1\n" + "\n".join(lines) + f"\nsteps: {{1: {{env: {{q: *m{levels - 1}}}}}}}\n"


def _entities() -> str:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    document = "<prompt><conversation><turn><user>&e11;</user></turn></conversation></prompt>"
    return f'<!DOCTYPE prompt [<!ENTITY e0 "ha">{levels}]>{document}'


def _zeros(n_megabytes: int) -> bytes:
    """Zeros that are packed into a thousandth of their size, by repeating one packed member of 16 MB."""
    return gzip.compress(b"0" * 16_000_000, 9, mtime=0) * (n_megabytes // 16)


STATES: dict[str, str] = {
    "aliases": _aliases(12),
    "merges": _merges(12),
    "itself": "acdl_state: 1\nsteps: {1: {env: &a {q: *a}}}\n",
    "deep lists": "acdl_state: 1\nsteps: {1: {env: {q: " + "[" * 50_000 + "]" * 50_000 + "}}}\n",
    "deep maps": "acdl_state: 1\nsteps:\n" + "".join(f"{' ' * n}a:\n" for n in range(2_000)),
    "long number": f"acdl_state: 1\nsteps: {{1: {{env: {{q: {'9' * 20_000}}}}}}}\n",
    "large float": "acdl_state: 1\nsteps: {1: {env: {q: 1e999, r: -1e999, s: 1e-999, t: .nan}}}\n",
    "number of sixties": f"acdl_state: 1\nsteps: {{1: {{env: {{q: {':'.join(['59'] * 20_000)}}}}}}}\n",
    "large step": f"acdl_state: 1\nat: 1..{10**18}\nsteps: {{{10**18}: {{env: {{q: a}}}}}}\n",
    "many points": "acdl_state: 1\nat: 1..1000000000\nsteps: {1: {env: {q: a}}}\n",
    "tag": "acdl_state: 1\nsteps: {1: {env: {q: !!python/object/apply:os.system [echo pwned]}}}\n",
    "deep JSON": '{"acdl_state": 1, "steps": ' + '{"a":' * 100_000,
    "many documents": "---\n" * 200_000,
    "one key many times": "acdl_state: 1\n" + "a: 1\n" * 100_000,
}
RUNS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: _zeros(1_600),
    "deep": lambda: b'{"messages":' * 200_000,
    "deep lists": lambda: b"[" * 1_000_000,
    "deep JSON in texts": lambda: json.dumps(
        {"request": json.dumps({"request": json.dumps({"body": "[" * 50_000})})}
    ).encode(),
    "long number": lambda: b'{"model": "m", "messages": ' + b"9" * 1_000_000 + b"}",
    "large float": lambda: b'{"model": "m", "temperature": 1e999, "messages": [{"role": "user", "content": "a"}]}',
    "many keys": lambda: json.dumps({f"k{n}": 1 for n in range(200_000)}).encode(),
    "cut": lambda: gzip.compress(b'{"model": "m"}\n' * 9_000)[:-30],
    "archive in an archive": lambda: gzip.compress(_zeros(1_600)),
    "HAR": lambda: json.dumps({"log": {"entries": [_entry()]}}).encode(),
    "entities": lambda: _entities().encode(),
    "UTF-16": lambda: '{"messages": []}'.encode("utf-16"),
}


def _entry() -> object:
    post = {"mimeType": "application/json", "encoding": "base64", "text": base64.b64encode(_zeros(1_600)).decode()}
    request = {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "postData": post, "headers": []}
    return {"request": request, "response": {"status": 200, "content": {"text": ""}}}


def acdl(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program with little memory and little time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MB * 1_000_000,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_S,) * 2)

    command = [sys.executable, "-m", "acdl_mkdocs", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", preexec_fn=limit)


def is_told(ran: subprocess.CompletedProcess[str], most: int = 100_000) -> bool:
    """Whether it ended in peace: fine, or with a sentence; and with at most so many characters."""
    said = ran.stdout + ran.stderr
    is_fault = any(each in said for each in ("Traceback", "please report it", "MemoryError"))
    return ran.returncode in (0, 1, 2) and not is_fault and len(said) < most and bool(said)


@pytest.mark.parametrize("name", few(STATES, 4))
def test_states(name: str, tmp_path: Path) -> None:
    """A state, as YAML or JSON."""
    (tmp_path / "a.acdl").write_text(_SPEC)
    (tmp_path / "a.yaml").write_text(STATES[name])
    ran = acdl(tmp_path, "unroll", "a.acdl", "--state", "a.yaml")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert "pwned" not in ran.stdout.splitlines()


@pytest.mark.parametrize(("name", "words"), few(product(RUNS, ["check-run a.acdl a.run", "inspect a.run"]), 4))
def test_runs(name: str, words: str, tmp_path: Path) -> None:
    """A recording, packed or not."""
    (tmp_path / "a.acdl").write_text(_SPEC)
    (tmp_path / "a.run").write_bytes(RUNS[name]())
    ran = acdl(tmp_path, *words.split())
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])


def test_replay(tmp_path: Path) -> None:
    """A recording that is to answer has one line that would fill the memory."""
    (tmp_path / "a.jsonl.gz").write_bytes(_zeros(1_600))
    ran = acdl(tmp_path, "record", "--replay", "a.jsonl.gz", "--", "true")
    assert is_told(ran), (ran.returncode, ran.stderr[-2000:])
    assert "a.jsonl.gz:1: the line has more than 128 MB" in ran.stderr


@pytest.mark.parametrize(
    "text", [_aliases(12), _merges(12), "[" * 100_000, "a: &a [*a]", "1e999", "9" * 100_000, "---\n" * 9_000]
)
def test_playbooks(text: str, tmp_path: Path) -> None:
    """A playbook."""
    (tmp_path / "b.yaml").write_text(text)
    ran = acdl(tmp_path, "playbook", "show", "b.yaml")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert ran.returncode != 0


@pytest.mark.parametrize(
    "text", [_aliases(10), _merges(10), "[" * 50_000, "specs: &a [*a]", f"specs: [{'9' * 20_000}]"]
)
def test_variants(text: str, tmp_path: Path) -> None:
    """A block of variants, which is YAML in a page."""
    (tmp_path / "a.md").write_text(f"~~~acdl-variants\n{text}\n~~~\n")
    ran = acdl(tmp_path, "check", "a.md")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])


@pytest.mark.parametrize("text", [_entities(), "<prompt>" * 200_000, "<prompt " + "a='1' " * 100_000 + "/>"])
def test_prompts(text: str, tmp_path: Path) -> None:
    """A prompt in XML."""
    (tmp_path / "a.pml.xml").write_text(text)
    ran = acdl(tmp_path, "pml", "check", "a.pml.xml")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert ran.returncode == 1


def _cells(*sources: str | list[str], outputs: str = "") -> str:
    """A notebook of Markdown cells, and of one with a picture as its output."""
    cells: list[object] = [{"cell_type": "markdown", "metadata": {}, "source": each} for each in sources]
    data = {"output_type": "display_data", "metadata": {}, "data": {"image/png": outputs}}
    cells.append({"cell_type": "code", "metadata": {}, "source": "x", "outputs": [data], "execution_count": None})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


NOTEBOOKS: dict[str, Callable[[], str]] = {
    "deep": lambda: '{"cells":' + "[" * 100_000,
    "deep cell": lambda: '{"cells":[{"cell_type":"markdown","source":' + "[" * 50_000 + "]" * 50_000 + "}]}",
    "large cell": lambda: _cells("x " * 50_000 + f"\n```acdl\n{_SPEC}```\n"),
    "many cells": lambda: _cells(*(f"a{n}" for n in range(1_000))),
    "many lines": lambda: _cells(["```acdl\n", *["x\n"] * 1_000]),
    "output": lambda: _cells("x", outputs="A" * 5_000_000),
    "number": lambda: f'{{"nbformat": {"9" * 1_000_000}, "cells": []}}',
    "quotes": lambda: '{"cells":"' + '\\"' * 1_000_000 + '"}',
}
PAGES: dict[str, Callable[[], str]] = {
    "never closed": lambda: "```acdl\n" + "x {\n" * 500,
    "long marks": lambda: "`" * 2_000_000 + f"acdl\n{_SPEC}",
    "many marks": lambda: "".join("`" * (3 + n % 50) + "acdl\n" for n in range(1_000)),
    "options": lambda: "```{.acdl " + "a=b " * 5_000 + f"}}\n{_SPEC}```\n",
    "quotes": lambda: "> " * 20_000 + f"```acdl\n{_SPEC}",
    "lists": lambda: "".join(" " * (2 * n) + "- a\n" for n in range(400)) + f"```acdl\n{_SPEC}```\n",
    "directives": lambda: "".join(":" * (1_003 - n) + "{note}\n" for n in range(1_000)),
    "front matter": lambda: f"---\n{_aliases(12)}---\n```acdl\n{_SPEC}```\n",
    "deep front matter": lambda: f"---\na: {'[' * 100_000}\n---\n```acdl\n{_SPEC}```\n",
    "marks of figures": lambda: "<!-- acdl-embed 0123456789ab a -->\n" * 200 + "<!-- acdl-embed " * 20_000,
    "comments": lambda: "<!--" * 50_000,
    "references": lambda: "[[acdl:" * 20_000,
    "nested directives": lambda: "".join(" " * (3 * n) + ".. acdl::\n\n" for n in range(100)),
    "fields": lambda: ".. acdl::\n" + "   :title: x\n" * 200 + f"\n   {_SPEC}",
}
SETTINGS: dict[str, str] = {
    "arrays": "a = " + "[" * 100_000,
    "closed arrays": "a = " + "[" * 100_000 + "]" * 100_000,
    "tables": "a = " + "{a=" * 100_000,
    "parts of a key": ".".join("a" * 100_000) + " = 1",
    "parts of a header": "[" + ".".join("a" * 100_000) + "]",
    "number": "a = " + "9" * 100_000,
    "long": "# " + "a" * 2_000_000,
}


@pytest.mark.parametrize("command", [("check",), ("embed", "--check")], ids=" ".join)
def test_pages(command: tuple[str, ...], tmp_path: Path) -> None:
    """Pages and notebooks of every kind, all in one folder; each is read alone where a command fails."""
    for kind in ("md", "mdx", "qmd", "rst")[: 4 if command == ("check",) else 1]:
        for number, make in enumerate(PAGES.values()):
            (tmp_path / f"{number}.{kind}").write_text(make(), "utf-8")
    for number, make in enumerate(NOTEBOOKS.values() if command == ("check",) else ()):
        (tmp_path / f"{number}.ipynb").write_text(make(), "utf-8")
    ran = acdl(tmp_path, *command, ".")
    assert is_told(ran, 5_000_000), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert ran.returncode != 0


@pytest.mark.parametrize("name", few(SETTINGS, 2))
def test_settings(name: str, tmp_path: Path) -> None:
    """Settings in TOML, of whose parser nothing is limited."""
    (tmp_path / "a.acdl").write_text(_SPEC)
    (tmp_path / "acdl.toml").write_text(SETTINGS[name])
    ran = acdl(tmp_path, "check", "a.acdl")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert (ran.returncode, "acdl.toml: cannot be read: " in ran.stderr) == (2, True)


def _message(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


_GREETING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
_GOODBYE = ({"jsonrpc": "2.0", "id": 99, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"})


def test_messages_of_an_editor(tmp_path: Path) -> None:
    """None ends the server, or is answered with a traceback."""
    bodies = (
        b"[" * 1_000_000,
        b'{"jsonrpc": "2.0", "id": 5, "method": "a", "params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jsonrpc": "2.0", "method": "a", "id": ' + b"9" * 1_000_000 + b"}",
        b"{}",
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "method": ["a"]}',
        b'{"a": "\xff"}',
        '{"jsonrpc": "2.0"}'.encode("utf-16"),
        b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": [1]}}',
        b'{"jsonrpc": "2.0", "method": "textDocument/hover", "id": 7, "params": {"textDocument": {"uri": "file:///a"}, '
        b'"position": {"line": -1, "character": 1e30}}}',
        *(b'{"jsonrpc": "2.0", "method": "shutdown", "id": %s}' % each for each in (b"[1]", b'{"a": 1}', b"true")),
        b'{"jsonrpc": "2.0", "result": 1, "id": {"a": 1}}',
    )
    headers = (b"Content-Length: -5\r\n\r\n", b"Content-Type: a\r\n\r\n", b"x" * 2_000_000 + b"\r\n")
    sent = [_message(json.dumps(_GREETING).encode()), *headers, *map(_message, bodies)]
    sent += [_message(json.dumps(each).encode()) for each in _GOODBYE]
    ran = subprocess.run(
        [sys.executable, "-m", "acdl_mkdocs", "lsp"], cwd=tmp_path, input=b"".join(sent), capture_output=True
    )
    said = ran.stderr.decode()
    assert (ran.returncode, b'"id":99' in ran.stdout.replace(b" ", b"")) == (0, True), said[-2000:]
    assert "Traceback" not in said


@pytest.mark.parametrize("length", [b"9" * 1_000_000, b"1000000000000", b"-1", b"500"])
def test_lengths_of_messages(length: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """A length that is none, or more than what follows or than any message has, ends the stream."""
    stream = io.BytesIO(b"Content-Length: %s\r\n\r\n{}" % length)
    assert list(message_queue._read_bodies(stream)) == []
    assert ("at most 256000000 are read" in caplog.text) == (length == b"1000000000000")


@exhaustive
def test_messages_of_an_agent(tmp_path: Path) -> None:
    """The server of tools goes on after lines that are no messages, or whose values are too deep or too long."""
    calls = (b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b"9" * 1_000_000, b'"\\ud800"')
    begin = b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "check", "arguments": {"text": '
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    lines = [json.dumps({**_GREETING, "params": client}).encode(), *(begin + each + b"}}}" for each in calls)]
    lines += [b"x" * 3_000_000, b"\xff", b"", b'{"jsonrpc": "2.0", "id": 99, "method": "ping"}']
    command = [sys.executable, "-m", "acdl_mkdocs", "mcp"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=-1, stdout=-1, stderr=-1) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(b"\n".join(lines) + b"\n")
        server.stdin.flush()
        answers = (json.loads(line) for line in server.stdout)
        assert any(each.get("id") == 99 for each in answers)
        server.stdin.close()
        assert b"Traceback" not in server.stderr.read()
    assert server.returncode == 0


DATA: dict[str, str] = {
    "deep": "[" * 200_000,
    "deep line": '{"question": "a", "answer": "b", "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n",
    "number": '{"question": "a", "answer": ' + "9" * 1_000_000 + "}\n",
    "many keys": json.dumps({f"k{n}": 1 for n in range(20_000)}),
}


@pytest.mark.parametrize("name", few(DATA))
def test_data_sets(name: str, tmp_path: Path) -> None:
    """Questions and answers of `acdl playbook evaluate`."""
    (tmp_path / "d.jsonl").write_text(DATA[name])
    assert acdl(tmp_path, "playbook", "init", "b.yaml").returncode == 0
    ran = acdl(tmp_path, "playbook", "evaluate", "--playbook", "b.yaml", "--agent", "true", "d.jsonl")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert ran.returncode != 0
