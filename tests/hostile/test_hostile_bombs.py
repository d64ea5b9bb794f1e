"""Small files that ask for much: read with little memory and in little time, or refused with a sentence."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
    import base64

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


def is_told(ran: subprocess.CompletedProcess[str]) -> bool:
    """Whether it ended in peace: fine, or with a sentence."""
    said = ran.stdout + ran.stderr
    is_fault = any(each in said for each in ("Traceback", "please report it", "MemoryError"))
    return ran.returncode in (0, 1, 2) and not is_fault and len(said) < 100_000 and bool(said)


@pytest.mark.parametrize("name", STATES)
def test_states(name: str, tmp_path: Path) -> None:
    """A state, as YAML or JSON."""
    (tmp_path / "a.acdl").write_text(_SPEC)
    (tmp_path / "a.yaml").write_text(STATES[name])
    ran = acdl(tmp_path, "unroll", "a.acdl", "--state", "a.yaml")
    assert is_told(ran), (ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])
    assert "pwned" not in ran.stdout.splitlines()


@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str, tmp_path: Path) -> None:
    """A recording, packed or not."""
    (tmp_path / "a.acdl").write_text(_SPEC)
    (tmp_path / "a.run").write_bytes(RUNS[name]())
    for words in (("check-run", "a.acdl", "a.run"), ("inspect", "a.run")):
        ran = acdl(tmp_path, *words)
        assert is_told(ran), (words, ran.returncode, ran.stdout[-500:], ran.stderr[-2000:])


def test_replay(tmp_path: Path) -> None:
    """A recording that is to answer has one line that would fill the memory."""
    (tmp_path / "a.jsonl.gz").write_bytes(_zeros(1_600))
    ran = acdl(tmp_path, "record", "--replay", "a.jsonl.gz", "--", "true")
    assert is_told(ran), (ran.returncode, ran.stderr[-2000:])
    assert "a.jsonl.gz:1: has more than 128 MB" in ran.stderr


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
