"""The format of a file that a command writes follows its name."""

from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

SPEC = "Chat[@T]: {\n    U: env.q[@T]\n}\n"
STATE = "acdl_state: 1\nat: 1\nenv:\n  q: {1: Hello}\n"
RUN = '{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}\n'

CASES = [
    ("render", "figure.svg", b"<svg"),
    ("render", "figure.txt", b"Chat"),
    ("render", "figure.html", b"<"),
    ("render", "figure.JSON", b"{"),
    ("render", "figure.png", b"\x89PNG"),
    ("render", "figure.pdf", b"%PDF"),
    ("render", "figure.xyz", b"<svg"),
    ("render", "figure", b"<svg"),
    ("unroll", "sent.json", b"{"),
    ("unroll", "sent.html", b"<"),
    ("unroll", "sent.pml", b"<"),
    ("unroll", "sent.txt", b"Chat"),
    ("explain", "words.json", b"{"),
    ("explain", "words.md", b"# Chat"),
    ("inspect", "run.html", b"<!doctype html>"),
    ("inspect", "run.json", b"{"),
    ("diff", "changes.md", b"#"),
    ("diff", "changes.svg", b"<svg"),
    ("diff", "changes.html", b"<"),
    ("check-run", "result.json", b"{"),
    ("check-run", "result.xml", b"<?xml"),
    ("check-run", "result.md", b"#"),
]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a spec, another one, a state and a recording."""
    monkeypatch.chdir(tmp_path)
    Path("chat.acdl").write_text(SPEC)
    Path("other.acdl").write_text(SPEC.replace("env.q[@T]", "env.question[@T]"))
    Path("chat.state.yaml").write_text(STATE)
    Path("run.jsonl").write_text(RUN)


def command(name: str) -> list[str]:
    """A command line without what it writes."""
    inputs = {
        "diff": ["chat.acdl", "other.acdl"],
        "inspect": ["run.jsonl"],
        "check-run": ["chat.acdl", "run.jsonl"],
        "unroll": ["chat.acdl", "--missing", "placeholder"],
    }
    return [name, *inputs.get(name, ["chat.acdl"])]


@pytest.mark.parametrize(("name", "file", "start"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_ending_decides(name: str, file: str, start: bytes) -> None:
    """Without --format, the ending of the file decides; one that says nothing leaves the usual format."""
    assert main([*command(name), "-o", file]) in (0, 1)
    assert Path(file).read_bytes().lstrip().lower().startswith(start.lower())


@pytest.mark.parametrize(
    ("name", "file", "format", "ends_in"),
    [
        ("render", "figure.png", "svg", "png"),
        ("render", "figure.svg", "pdf", "svg"),
        ("unroll", "sent.html", "openai", "html"),
        ("diff", "changes.json", "svg", "json"),
        ("check-run", "result.xml", "json", "junit"),
    ],
)
def test_contradiction_is_an_error(
    capsys: pytest.CaptureFixture[str], name: str, file: str, format: str, ends_in: str
) -> None:
    """Nothing is written under a name that says something else."""
    assert main([*command(name), "-o", file, "--format", format]) == 2
    assert f"{file}: is the name of a {ends_in} file, but `--format {format}` asks" in capsys.readouterr().err
    assert not Path(file).exists()


@pytest.mark.parametrize(
    ("name", "file", "written"),
    [
        ("diff", "changes.PNG", ".txt, .diff, .json, .jsonl, .md, .svg, .html, .htm"),
        ("explain", "words.html", ".txt, .md, .json"),
        ("check-run", "result.html", ".txt, .json, .xml, .md"),
    ],
)
def test_a_format_of_other_commands(capsys: pytest.CaptureFixture[str], name: str, file: str, written: str) -> None:
    """Text in a file named as a picture or page could not be opened."""
    assert main([*command(name), "-o", file]) == 2
    assert f"{file}: this command writes no {Path(file).suffix.lower()} file; it writes {written}\n" in (
        capsys.readouterr().err
    )
    assert not Path(file).exists()


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["render", "chat.acdl"], "./chat.acdl"),
        (["explain", "chat.acdl#Chat"], "chat.acdl"),
        (["diff", "chat.acdl", "other.acdl"], "other.acdl"),
        (["unroll", "chat.acdl", "--state", "chat.state.yaml"], "chat.state.yaml"),
        (["inspect", "run.jsonl"], "run.jsonl"),
        (["check-run", "chat.acdl", "run.jsonl"], "run.jsonl"),
    ],
)
def test_what_is_read_is_not_overwritten(capsys: pytest.CaptureFixture[str], words: list[str], output: str) -> None:
    """A command never replaces a spec, state or recording by what it says about it."""
    before = Path(output).read_bytes()
    assert main([*words, "-o", output]) == 2
    assert capsys.readouterr().err == (
        f"acdl: {output}: is what this command reads, and would be overwritten: write to another file\n"
    )
    assert Path(output).read_bytes() == before


@pytest.mark.parametrize("name", ["render", "explain", "unroll", "diff", "check-run"])
def test_no_spec_is_lost(capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A figure or a report never takes the place of another spec."""
    for more in ([], ["--format", "json"]):
        assert main([*command(name), "-o", "another.acdl", *more]) == 2
        assert "another.acdl: is the name of a spec, which this command does not write" in capsys.readouterr().err


def test_a_provider_goes_into_json() -> None:
    """`.json` fits every format that is JSON; without --format it is ours."""
    assert main([*command("unroll"), "--format", "openai", "-o", "request.json"]) == 0
    assert '"messages"' in Path("request.json").read_text()
