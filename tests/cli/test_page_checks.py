"""`acdl check` on what pages have beside blocks: references to figures, galleries; and folders that are left out."""

from pathlib import Path

import pytest

from acdl_mkdocs.cli.main import main

SPEC = "Chat[@T]: { U: env.question[@T] }\n"


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files and the folders above them."""
    for name, text in {"acdl.toml": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit status and output of `acdl check`."""
    status = main(["check", *arguments])
    return status, capsys.readouterr().out


def test_references(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reference to what no text of the project defines is an error; code and escapes are no references."""
    text = "# A\n\nSee [[acdl:Chat]], [[acdl:Chatt]] and [[acdl:Chat#nope]]; `[[acdl:Code]]`, \\[[acdl:Escaped]].\n"
    write(folder, {"docs/a.md": text, "specs/chat.acdl": SPEC})
    status, shown = check(capsys, "--strict", "docs")
    assert status == 1
    assert shown.count("error[unknown-reference]") == 2
    assert "docs/a.md:3:20" in shown
    assert "did you mean `[[acdl:Chat]]`?" in shown


def test_reference_to_another_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What another folder of the project defines is known, even if one file is checked."""
    write(folder, {"docs/a.md": "[[acdl:Chat]]\n", "specs/chat.acdl": SPEC})
    assert check(capsys, "--strict", "docs/a.md")[0] == 0


def test_ambiguous_reference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name with two meanings is a warning with both places."""
    files = {"a.acdl": SPEC, "b.acdl": SPEC.replace("question", "query")}
    write(folder, {"docs/a.md": "[[acdl:Chat]]\n", **files})
    status, shown = check(capsys, "--strict", ".")
    assert status == 1
    assert "warning[ambiguous-reference]" in shown
    assert "a.acdl:1" in shown
    assert "b.acdl:1" in shown


def test_gallery_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that galleries do not have is reported where it stands."""
    write(folder, {"docs/a.md": "# A\n\n```acdl-gallery colums=2\n```\n"})
    status, shown = check(capsys, "--strict", "docs")
    assert status == 1
    assert "docs/a.md:3:17" in shown
    assert "columns" in shown


@pytest.mark.parametrize("mark", ["sitemap.xml", "search/search_index.json", "objects.inv"])
def test_built_sites_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str], mark: str) -> None:
    """A folder that a docs tool has written is not searched, but may be named."""
    write(folder, {"a.acdl": SPEC, f"site/{mark}": "", "site/specs/bad.acdl": "Chat[@T: {\n"})
    assert check(capsys, ".")[0] == 0
    assert check(capsys, "site")[0] == 1
