"""`acdl check` on what pages have beside blocks: references to figures, galleries; and folders that are left out."""

import io
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

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


def test_links_with_a_target(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are checked like references in brackets, as are the targets of link definitions."""
    text = (
        "[](acdl:Chat), [a\nb](acdl:Chatt 'x') `[c](acdl:Code)` \\[d](acdl:Escaped) ![e](acdl:Image) (acdl:Text)\n\n"
        "[f]: acdl:Chat#nope\n[g]: https://example.org/acdl:None\n"
    )
    write(folder, {"docs/a.md": text, "specs/chat.acdl": SPEC})
    status, shown = check(capsys, "--strict", "docs")
    assert status == 1
    assert shown.count("error[unknown-reference]") == 2
    assert "docs/a.md:2:4" in shown
    assert "did you mean `acdl:Chat`?" in shown
    assert "docs/a.md:4:6" in shown


def test_reference_to_another_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What another folder of the project defines is known, even if one file is checked."""
    write(folder, {"docs/a.md": "[[acdl:Chat]]\n", "specs/chat.acdl": SPEC})
    assert check(capsys, "--strict", "docs/a.md")[0] == 0


NO_PROSE = """\
---
title: "[](acdl:Chatt)"
---
<!--
[](acdl:Chatt) [[acdl:Chatt]]
-->

<pre>
[](acdl:Chatt) [[acdl:Chatt]]
</pre>

    [](acdl:Chatt) [[acdl:Chatt]]

- item

        [](acdl:Chatt) [[acdl:Chatt]]

text `over
[](acdl:Chatt) [[acdl:Chatt]]
lines` and

<!-- prettier-ignore --> [](acdl:Chatt)

    - [](acdl:Chatt)

- one ` sign
    [[acdl:Chatt]]
- and ` another
"""


def test_references_outside_of_prose(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only prose has references: neither comments nor HTML, indented code or a code span of several lines."""
    write(folder, {"docs/a.md": NO_PROSE, "specs/chat.acdl": SPEC})
    shown = check(capsys, "--format", "line", "docs")[1]
    assert [line.partition(": ")[0] for line in shown.splitlines()] == ["docs/a.md:27:5", "docs/a.md:22:29"]


@pytest.mark.parametrize("checked", [".", "docs/a.md"])
def test_ambiguous_reference(checked: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name with two meanings is a warning with both places, also in files that were not given."""
    files = {"a.acdl": SPEC, "b.acdl": SPEC.replace("question", "query")}
    write(folder, {"docs/a.md": "[[acdl:Chat]]\n", **files})
    status, shown = check(capsys, "--strict", checked)
    assert status == 1
    assert "warning[ambiguous-reference]: `Chat` is defined in 2 places: a.acdl:1, b.acdl:1\n" in shown


@pytest.mark.parametrize("words", ["[[acdl:]]", "[[acdl:Evil|[x](y)]]", "[[acdl:Chat", "[[acdl:a\\b]]"])
def test_what_only_begins_like_a_reference(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would stay in the page as it is, so it is an error; not with a backslash before it."""
    write(folder, {"docs/a.md": f"See {words}.\n\n\\[[acdl:]] `[[acdl:]]`\n", "specs/chat.acdl": SPEC})
    status, shown = check(capsys, "docs")
    assert status == 1
    assert shown.count("is not a reference") == 1
    assert "docs/a.md:1:5" in shown
    assert "write `[words](acdl:Name)` or `[words](acdl:Name#mark-2)`" in shown


@pytest.mark.parametrize(
    ("language", "near"), [("acdl-galery", "acdl-gallery"), ("acdlgallery", "acdl-gallery"), ("acld", "acdl")]
)
def test_misspelled_fence(language: str, near: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A block that docs tools would show as code, for a letter, is an error."""
    other = "```acl\nU: X\n```\n\n```acdl-code\nU: {\n```\n\n```yaml\na: b\n```\n\n    ```acld\n    ```\n"
    write(folder, {"docs/a.md": f"# A\n\n```{language} title=x\nU: X\n```\n\n{other}"})
    status, shown = check(capsys, "docs")
    assert status == 1
    assert shown.count(" --> ") == 1
    assert "docs/a.md:3:4" in shown
    assert f"did you mean `{near}`?" in shown


@pytest.mark.parametrize(
    ("configuration", "n_found"),
    [
        ("format: !!python/object/apply:acdl_mkdocs.fence\n", 3),
        ("markdown_extensions:\n  - acdl\n  - x: acdl_mkdocs.fence\n", 0),
        ("markdown_extensions:\n  - pymdownx.superfences\n", 0),
    ],
)
def test_lines_for_superfences(
    configuration: str, n_found: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where superfences reads the blocks, an opening line that it does not understand is an error."""
    block = "\nU: X\n```\n\n"
    lines = ["acdl show=figure", "acdl #a .b", 'acdl  show="figure"', "{.acdl show=figure}", "acdl-gallery columns=2"]
    write(folder, {"mkdocs.yml": configuration, "docs/a.md": "".join(f"```{line}{block}" for line in lines)})
    status, shown = check(capsys, "docs")
    assert status == (1 if n_found else 0)
    assert shown.count("superfences does not understand this line") == n_found
    for quoted in ('acdl show="figure"', "{.acdl #a .b}", 'acdl-gallery columns="2"') if n_found else ():
        assert f"write `{quoted}`, or list `acdl` under `markdown_extensions`" in shown


def test_variants(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variant of what no file of the project defines is a warning, in files and in blocks."""
    variant = "// variant-of: Chat\nShort[@T]: { U: env.question[@T] }\n"
    files = {"specs/chat.acdl": SPEC, "specs/a.acdl": variant, "specs/b.acdl": variant.replace("Chat", "Chta")}
    write(folder, {**files, "docs/a.md": f"```acdl\n{variant.replace('Chat', 'Chatt')}```\n"})
    for arguments in (["."], ["specs/b.acdl", "docs"]):
        status, shown = check(capsys, "--strict", *arguments)
        assert status == 1
        assert shown.count("warning[unknown-variant]") == 2
        assert shown.count("did you mean `Chat`?") == 2
        assert "specs/b.acdl:1:16" in shown
        assert "docs/a.md:2:16" in shown
    assert check(capsys, "--strict", "specs/a.acdl")[0] == 0


def test_variants_on_standard_input(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard input belongs to the project of the working folder: what is outside of it is not read."""
    write(folder, {"site/mkdocs.yml": "", "site/specs/short.acdl": SPEC.replace("Chat", "Short"), "chat.acdl": SPEC})
    monkeypatch.chdir(folder / "site")
    for name, status in (("Short", 0), ("Chat", 1)):
        text = f"// variant-of: {name}\nOther[@T]: {{ U: env.question[@T] }}\n"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert check(capsys, "--strict", "-")[0] == status


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


def test_states_of_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The states that blocks are shown with are looked at like the blocks, as a build does."""
    monkeypatch.chdir(tmp_path)
    Path("mkdocs.yml").touch()
    Path("chat.state.yaml").write_text("acdl_state: 1\nenv: {question: {1: Hi}, wrong: 2}\nat: 1..2\n")
    Path("docs").mkdir()
    page = Path("docs/a.md")
    page.write_text('```acdl state="chat.state.yaml"\nChat[@T]: { U: env.question[@T] }\n```\n')
    assert main(["check", "docs"]) == 1
    assert "the state has no `env.question[@2]`" in capsys.readouterr().out
    page.write_text(page.read_text().replace('yaml"', 'yaml" at=1'))
    assert main(["check", "docs"]) == 0
    page.write_text(page.read_text().replace("at=1", "at=x"))
    assert main(["check", "docs"]) == 1
    assert "`x` is not a point in time" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("n_specs", "n_others", "said"),
    [(0, 0, "0 specs"), (1, 0, "1 spec"), (0, 1, "1 block"), (2, 3, "2 specs and 3 blocks")],
)
def test_what_was_checked(
    n_specs: int, n_others: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blocks that are not specs are counted too, wherever they are the only ones of a page."""
    write(
        folder, {"a.md": f"```acdl\n{SPEC}```\n\n" * n_specs, "b.md": '```laic\n<tool name="W"/>\n```\n\n' * n_others}
    )
    assert main(["check", "a.md", "b.md"]) == 0
    assert capsys.readouterr().err == f"no problems in {said}\n"
