"""What every tool says of a careless draft: all of them the same, each mistake once, and no draft is damaged.

Beside each draft is one expected file with the report of `acdl check --strict`, what `acdl format` does, what
`acdl unroll` rejects, and where `acdl convert --from drawing` differs from `acdl format`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from editor.marked import marked

from acdl_mkdocs import check
from acdl_mkdocs import format as normal_form
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.editor.formatting import format_edits

_POINTS = ("1", "3")


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, output and messages of a command."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def _outcome(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What the commands say of a file, one after the other."""
    before = path.read_text("utf-8")
    status, out, err = _run(capsys, "check", "--strict", str(path))
    said = f"# acdl check --strict: status {status}\n\n{out}{err}"
    copy = path.with_name(f"formatted-{path.name}")
    copy.write_text(before, "utf-8")
    status, out, err = _run(capsys, "format", str(copy))
    after = copy.read_text("utf-8")
    said += f"\n# acdl format: status {status}\n\n{out}{err}"
    said += "" if after == before else f"\n{after}"
    for point in _POINTS:
        status, _, err = _run(capsys, "unroll", str(path), "--at", point, "--missing", "placeholder")
        said += f"\n# acdl unroll --at {point}: status {status}\n\n{err}"
    status, out, err = _run(capsys, "convert", "--from", "drawing", str(path))
    said += f"\n# acdl convert --from drawing: status {status}\n\n{err}"
    said += "" if out == after else f"\n{out}"
    return said.replace(f"{path.parent}/", "").replace("formatted-", "")


def test_drafts(
    case: Path, golden: Callable[[str, str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words of all commands about a draft."""
    path = tmp_path / case.name
    path.write_bytes(case.read_bytes())
    golden(_outcome(path, capsys), "outcome.txt")


def test_what_check_passes_can_be_evaluated(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`unroll` rejects what `check` calls an error, and nothing that `check --strict` passes.

    Messages that another tool would bring are something else: they cannot be sent, and are no mistake.
    """
    strict, out, _ = _run(capsys, "check", "--strict", str(case))
    status, _, _ = _run(capsys, "check", str(case))
    unrolled = [_run(capsys, "unroll", str(case), "--at", at, "--missing", "placeholder")[0] for at in _POINTS]
    if "note[unread-include]" not in out:
        assert status == 0 or set(unrolled) == {1}
        assert strict == 1 or set(unrolled) == {0}


def test_a_draft_with_errors_keeps_its_text(case: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`format` and the safe fixes of other problems change no definition that holds an error, and say so."""
    text = case.read_text("utf-8")
    if not any(each.severity == "error" for each in check(text)):
        return
    path = tmp_path / case.name
    path.write_text(text, "utf-8")
    status, _, err = _run(capsys, "format", str(path))
    assert status == 2
    assert "not formatted" in err or "in part" in err  # other definitions are formatted
    broken = [each.label.span.start for each in check(text) if each.severity == "error"]
    after = path.read_text("utf-8")
    if len(check(text)) and text.count("\n}") == 1 and min(broken) > 0:
        assert after == text


def test_editor_agrees(case: Path) -> None:
    """The language server reports what `acdl check` reports, and its formatting is that of `acdl format`."""
    text = case.read_text("utf-8")
    given = marked(text)
    (piece,) = given.workspace.pieces_of(given.uri)
    words = [(each.rule, each.severity, each.message, each.help) for each in given.workspace.list_diagnostics(piece)]
    assert words == [(each.rule, each.severity, each.message, each.help) for each in check(text)]
    assert given.edited(format_edits(given.workspace, given.uri)) == normal_form(text)


def test_formatting_twice_changes_nothing(case: Path) -> None:
    """What `format` writes is in its normal form, and says the same to every other tool."""
    made = normal_form(case.read_text("utf-8"))
    assert normal_form(made) == made
