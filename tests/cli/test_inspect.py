"""`acdl inspect`: what it reads, what it writes, and the status it ends with."""

import json
import sys
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli import messages
from acdl_mkdocs.frontends.cli.main import main

HELLO = {"messages": [{"role": "system", "content": "Today is Monday."}, {"role": "user", "content": "Hello?"}]}
LATER = {"messages": [{"role": "system", "content": "Today is Friday."}, {"role": "user", "content": "Hello?"}]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a recording, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.jsonl").write_text(f"{json.dumps(HELLO)}\n{json.dumps(LATER)}\n", "utf-8")
    return tmp_path


def test_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees where the prefix ends and why; colours come where they are wanted."""
    assert main(["inspect", "run.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "a date in the instructions changed (messages[0].parts[0],\n    character 9)" in out
    assert "\x1b" not in out
    main(["inspect", "run.jsonl", "--color", "always"])
    assert "\x1b[1;31m" in capsys.readouterr().out


def test_json_and_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs get one object; a folder is all recordings in it."""
    (folder / "run.jsonl").rename(folder / "1.jsonl")
    assert main(["inspect", ".", "--format", "json", "--price", "2,1", "--tokens", "estimate"]) == 0
    tree = json.loads(capsys.readouterr().out)
    assert (tree["acdl_inspect"], tree["files"], tree["is_estimate"]) == (1, ["1.jsonl"], True)
    assert tree["costs"]["without_cache"] == tree["summary"]["tokens"] * 2 / 1e6


def test_html_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file is written, and a person gets the sentence."""
    assert main(["inspect", "run.jsonl", "--format", "html", "-o", "out.html", "--no-excerpts"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("acdl: out.html: the prompt cache is lost at 1 of 1 following requests")
    html = (folder / "out.html").read_text("utf-8")
    assert "Hello?" not in html
    assert html.startswith("<!doctype html>")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording may come through a pipe, once."""
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(json.dumps(HELLO).encode()))))
    assert main(["inspect", "-"]) == 0
    assert "<stdin>:1" in capsys.readouterr().out
    assert main(["inspect", "-", "-"]) == 2
    assert "only once" in capsys.readouterr().err


def test_choosing(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Requests can be chosen, and be given points by a manifest or counted from one."""
    assert main(["inspect", "run.jsonl", "--only", "system=Friday", "--at", "3"]) == 0
    out = capsys.readouterr().out
    assert "1 request of 1 run" in out
    assert "@3" in out
    (folder / "points.json").write_text('[{"at": "7", "episode": "a"}, {"at": "7.1", "episode": "a"}]', "utf-8")
    assert main(["inspect", "run.jsonl", "--manifest", "points.json"]) == 0
    marked = b"\xef\xbb\xbf" + (folder / "points.json").read_bytes()
    assert "@7.1" in capsys.readouterr().out
    (folder / "points.json").write_bytes(marked)
    assert main(["inspect", "run.jsonl", "--manifest", "points.json"]) == 0, "a byte order mark is no mistake"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("none.jsonl", "none.jsonl: there is no such file"),
        ("empty.jsonl", "there is no request in it"),
        ("run.jsonl --from openia", "did you mean `openai`?"),
        ("run.jsonl --only modl=x", "did you mean `model=...`?"),
        ("run.jsonl --tokens o200k", "did you mean `o200k_base`?"),
        ("run.jsonl --at x", "x"),
        ("run.jsonl --manifest none.json", "none.json: there is no such file"),
    ],
)
def test_what_cannot_be(words: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is one sentence with a cure, and status 2."""
    (folder / "empty.jsonl").write_text('{"a": 1}\n', "utf-8")
    assert main(["inspect", *words.split()]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("price", ["1", "1,2", "a,b", "-1,-2", "inf,1", "nan,1", "1,2,3"])
def test_prices(price: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A price is two numbers, the larger one first."""
    with pytest.raises(SystemExit):
        main(["inspect", "run.jsonl", f"--price={price}"])
    assert "2.50,0.25" in capsys.readouterr().err


def test_damage_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What could not be read is in the report."""
    with (folder / "run.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"messages": [\n')
    assert main(["inspect", "run.jsonl"]) == 0
    assert "skipped" in capsys.readouterr().out
    main(["inspect", "run.jsonl", "--format", "json"])
    (skipped,) = json.loads(capsys.readouterr().out)["skipped"]
    assert skipped.startswith("run.jsonl:3: cannot be read: not JSON")


def test_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal, the number of requests is shown when it takes long, and gone at the end; in a pipe nothing is."""
    monkeypatch.setattr(messages, "SILENT_S", -1.0)
    monkeypatch.setattr(messages, "EVERY_S", 0.0)
    main(["inspect", "run.jsonl"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(["inspect", "run.jsonl"])
    assert capsys.readouterr().err == "\r1 request\r2 requests\r\x1b[K"
