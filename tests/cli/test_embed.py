"""`acdl embed`: what it writes beside and into pages, what it leaves alone, and how it ends."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest

from acdl_mkdocs.foundation import atomic
from acdl_mkdocs.frontends.cli import embedding
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.pages.embedded import without_parts

ROOT = Path(__file__).parents[2]
CHAT = "Chat[@T]: { S: RULES  U: env.question[@T] }"
PAGE = f"""\
# Agents

```acdl title="A [chat]" caption="With *rules*"
{CHAT}
```
Text.

> - an item
>
>   ~~~acdl
>   Chat[@T]: {{ U: env.question[@T] }}
>   ~~~

````md
```acdl
Shown[@T]: {{ U: A }}
```

<!-- acdl-embed end -->
````

    ```acdl
    Code[@T]: {{ U: A }}
    ```
"""
EMBEDDED = f"""\
# Agents

```acdl title="A [chat]" caption="With *rules*"
{CHAT}
```

<!-- acdl-embed 30b6f47c1e9b README.Chat.svg README.Chat.dark.svg -->

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="./README.Chat.dark.svg" />
  <img src="./README.Chat.svg" alt="A [chat]. Chat is a chat prompt. It is built once for each turn T. Its text has 2 \
messages; 2 of them are always sent, once." />
</picture>

_With \\*rules\\*_

<!-- acdl-embed end -->
Text.

> - an item
>
>   ~~~acdl
>   Chat[@T]: {{ U: env.question[@T] }}
>   ~~~
>
>   <!-- acdl-embed 2b1f2c5f8a6e README.Chat-2.svg README.Chat-2.dark.svg -->
>
>   <picture>
>     <source media="(prefers-color-scheme: dark)" srcset="./README.Chat-2.dark.svg" />
>     <img src="./README.Chat-2.svg" alt="Chat is a chat prompt. It is built once for each turn T. Its text has 1 \
message; 1 of them is always sent, once." />
>   </picture>
>
>   <!-- acdl-embed end -->
"""
DIGEST = re.compile("acdl-embed [0-9a-f]{12}")


@pytest.fixture
def page(folder: Path) -> Path:
    """A page with one block, in a project."""
    (folder / "acdl.toml").write_text("")
    path = folder / "README.md"
    path.write_text(f"```acdl\n{CHAT}\n```\n")
    return path


def names(folder: Path) -> list[str]:
    """The files of a folder and below it, but for the settings."""
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in paths if path != "acdl.toml")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file with its contents."""
    return {name: (folder / name).read_bytes() for name in names(folder)}


def test_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each block gets its picture, as it is indented and quoted; blocks that are shown as code get none."""
    (folder / "README.md").write_text(PAGE)
    assert main(["embed", "README.md"]) == 0
    assert capsys.readouterr() == ("", "1 page and 4 figures written, 0 unchanged\n")
    text = (folder / "README.md").read_text()
    assert DIGEST.sub("", text).startswith(DIGEST.sub("", EMBEDDED))
    assert text.endswith(PAGE[PAGE.index("\n````md") :])
    assert names(folder) == [f"README.{each}.svg" for each in ("Chat-2.dark", "Chat-2", "Chat.dark", "Chat")] + [
        "README.md"
    ]
    for name, color in (("README.Chat.svg", "#1b1f24"), ("README.Chat.dark.svg", "#1e2129")):
        drawn = (folder / name).read_text()
        assert "data-acdl" not in drawn
        assert "<title>A [chat]</title>" in drawn
        assert "prefers-color-scheme" not in drawn, "a picture of a pair follows nothing"
        assert "<rect" not in drawn, f"{color} would be a background"


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
@pytest.mark.parametrize("last", ["\n", ""], ids=["ended", "open"])
def test_again_and_out_again(folder: Path, ending: str, mark: str, last: str) -> None:
    """A second run touches nothing, `--check` is content, and `--remove` gives back the page, to the byte."""
    before = (mark + PAGE + f"\n- ```acdl\n  {CHAT}\n  ```{last}").replace("\n", ending).encode()
    (folder / "README.md").write_bytes(before)
    assert main(["embed", "-q", "."]) == 0
    first = tree(folder)
    assert first["README.md"].startswith(mark.encode())
    assert first["README.md"].count(b"<picture>") == 3
    assert first["README.md"].count(b"\n") == first["README.md"].count(ending.encode())
    for name in first:
        os.utime(folder / name, (1, 1))
    assert main(["embed", "-q", "."]) == 0
    assert main(["embed", "-q", "--check", "."]) == 0
    assert tree(folder) == first
    assert {(folder / name).stat().st_mtime for name in first} == {1}
    assert main(["embed", "-q", "--remove", "."]) == 0
    assert tree(folder) == {"README.md": before}


def test_check(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` writes nothing, names what is out of date and the command that updates it, and gives 1."""
    assert main(["embed", "--check", "--scheme", "auto", "README.md"]) == 1
    assert capsys.readouterr() == (
        "README.md:1: the picture of this block is missing\nREADME.Chat.svg: is missing\n",
        "1 page and 1 figure out of date, 0 unchanged; to update, run `acdl embed --scheme auto README.md`\n",
    )
    assert names(page.parent) == ["README.md"]
    main(["embed", "-q", "README.md"])
    page.write_text(page.read_text().replace("RULES", "OTHER"))
    before = tree(page.parent)
    assert main(["embed", "--check", "README.md"]) == 1
    assert capsys.readouterr().out == "README.Chat.svg: is out of date\nREADME.Chat.dark.svg: is out of date\n"
    assert tree(page.parent) == before
    page.write_text(page.read_text().replace("```acdl\n", "```text\n"))
    assert main(["embed", "--check", "README.md"]) == 1
    assert capsys.readouterr().out == "README.md:5: the block of this picture is gone\n"


def around(before: str, first: str = "") -> str:
    """A block that is indented, quoted or an item."""
    return f"{first or before}```acdl\n{before}{CHAT}\n{before}```"


PIECES = (
    "Text.", "", "# Heading", "<!-- a comment -->", "| a |\n|---|", "    ```acdl\n    code\n    ```",
    f"````md\n{around('')}\n````", f"<details>\n\n{around('')}\n\n</details>", around(""), around("  "), around("> "),
    around(">"), around("> > "), around("  ", "- "), around("   ", "1. "), around(">   ", "> - "),
    f"- item\n\n{around('    ')}", f"\t- item\n\n{around(chr(9))}", f"!!! note\n\n{around('    ')}",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(24))
def test_any_page(folder: Path, seed: int) -> None:
    """Whatever stands around blocks, they are the same blocks with pictures below them, and can be as before again."""
    choose = random.Random(seed).choice  # noqa: S311 - nothing is secret
    page = folder / choose(("page.md", "page.mdx", "page.qmd"))
    before = "\n".join(choose(PIECES) for _ in range(8))
    page.write_text(before)
    words = ["-q", *choose(([], ["--scheme", "auto"], ["--assets", "img/acdl"])), page.name]
    assert main(["embed", *words]) == 0
    first = tree(folder)
    assert main(["embed", *words]) == 0
    assert tree(folder) == first
    assert main(["embed", "--check", *words]) == 0
    assert main(["embed", "--remove", *words]) == 0
    assert tree(folder) == {page.name: before.encode()}
    assert [path.name for path in folder.iterdir()] == [page.name]


def test_line_ends_of_git(page: Path) -> None:
    """A figure that git has checked out with CRLF is up to date, and is still one of ours."""
    main(["embed", "-q", "."])
    figure = page.with_name("README.Chat.svg")
    figure.write_bytes(figure.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["embed", "--check", "."]) == 0
    assert main(["embed", "--remove", "."]) == 0
    assert names(page.parent) == ["README.md"]


def test_prose_and_comments_change_no_figure(page: Path) -> None:
    """A figure does not depend on where its block is, nor on what of it is not drawn."""
    main(["embed", "-q", "."])
    page.write_text("# More\n\n" + page.read_text().replace(CHAT, f"// about it\n{CHAT}"))
    assert main(["embed", "--check", "."]) == 0


def test_renamed_and_deleted_specs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of a spec that has another name, or is gone, are removed; figures of other pages stay."""
    main(["embed", "-q", "."])
    shutil.copy(page, page.with_name("copy.md"))
    main(["embed", "-q", "copy.md"])
    assert len(names(page.parent)) == 6, "the copy has its own figures, those of the page stay"
    page.write_text(page.read_text().replace("Chat[@T]", "Talk[@T]"))
    capsys.readouterr()
    assert main(["embed", "."]) == 0
    assert capsys.readouterr().err == "1 page and 2 figures written, 2 removed, 1 unchanged\n"
    assert "README.Talk.svg" in names(page.parent)
    assert "README.Chat.svg" not in names(page.parent)
    page.write_text(page.read_text().replace("```acdl", "```text"))
    main(["embed", "-q", "."])
    assert page.read_text() == f"```text\n{CHAT.replace('Chat', 'Talk')}\n```\n"
    assert names(page.parent) == ["README.md", "copy.Chat.dark.svg", "copy.Chat.svg", "copy.md"]


def test_renamed_page(page: Path) -> None:
    """A page that was renamed takes its figures along."""
    main(["embed", "-q", "."])
    page.rename(page.with_name("guide.md"))
    assert main(["embed", "-q", "."]) == 0
    assert names(page.parent) == ["guide.Chat.dark.svg", "guide.Chat.svg", "guide.md"]


def test_changed_figures_stay(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that we did not write, or that was changed since, is never replaced nor removed."""
    figure = page.with_name("README.Chat.svg")
    figure.write_text("<svg/>")
    before = tree(page.parent)
    assert main(["embed", "."]) == 2
    assert "README.Chat.svg: was not written by `acdl embed` for README.md" in capsys.readouterr().err
    assert tree(page.parent) == before, "nothing of the page is written"
    figure.unlink()
    main(["embed", "-q", "."])
    figure.write_text(figure.read_text().replace("RULES", "MINE"))
    assert main(["embed", "--remove", "."]) == 0
    assert (
        "README.Chat.svg: is no longer shown by README.md; it was changed by hand and stays" in capsys.readouterr().err
    )
    assert names(page.parent) == ["README.Chat.svg", "README.md"]


@pytest.mark.parametrize("format", ["svg", "png"])
def test_links_in_place_of_figures(page: Path, format: str) -> None:
    """Nothing is written through a link, nor removed."""
    secret = page.with_name("secret")
    secret.write_text("mine")
    page.with_name(f"README.Chat.{format}").symlink_to(secret)
    assert main(["embed", "--scheme", "light", "--format", format, "README.md"]) == 2
    assert secret.read_text() == "mine"
    assert page.with_name(f"README.Chat.{format}").is_symlink()


def test_block_with_errors(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is left as it was, with its picture; its errors are printed, and the other blocks are embedded."""
    main(["embed", "-q", "."])
    before = tree(page.parent)
    broken = page.read_text().replace("U: env.question[@T] }", "U: {")
    page.write_text(f"{broken}\n```acdl\n{CHAT}\n```\n")
    assert main(["embed", "."]) == 2
    said = capsys.readouterr().err
    assert "--> README.md:2:" in said
    assert said.endswith("1 page and 2 figures written, 0 unchanged, 1 with errors\n")
    assert page.read_text().startswith(broken)
    after = tree(page.parent)
    assert {name: after[name] for name in before if name != "README.md"} == {
        name: data for name, data in before.items() if name != "README.md"
    }
    assert "README.Chat-2.svg" in after, "the other block does not take its name"
    assert main(["embed", "-q", "--remove", "."]) == 0
    assert names(page.parent) == ["README.md"]


BEGIN = "<!-- acdl-embed [0-9a-f]+ .*-->"
END = "<!-- acdl-embed end -->"


@pytest.mark.parametrize(
    ("what", "by", "line", "said"),
    [
        (BEGIN, "", 12, "the mark before the picture is missing"),
        (END, "", 5, f"the mark `{END}` that ends this picture is missing"),
        (BEGIN, "<!-- acdl-embed -->", 5, "this mark is not as `acdl embed` wrote it"),
        (END, f"{END} more", 12, "this mark is not as `acdl embed` wrote it"),
        ("</picture>", "</picture>\n\nMy own words.", 5, "was changed by hand and would be lost"),
        (
            "alt=",
            "title=",
            5,
            "was changed by hand and would be lost; move your own text out of the marks and delete lines",
        ),
    ],
)
def test_untrusted_marks(
    page: Path, capsys: pytest.CaptureFixture[str], what: str, by: str, line: int, said: str
) -> None:
    """A half pair of marks, or text of a person between them: an error with its place and cure; nothing is written."""
    main(["embed", "-q", "."])
    page.write_text(re.sub(what, by, page.read_text().replace("RULES", "OTHER")))
    before = tree(page.parent)
    for option in ((), ("--remove",), ("--check",)):
        capsys.readouterr()
        assert main(["embed", *option, "."]) == 2
        message = capsys.readouterr().err
        assert f"acdl: README.md:{line}: " in message
        assert said in message
        assert tree(page.parent) == before


def test_removing_beside_a_block_without_end(page: Path) -> None:
    """Nothing is below it, and everything else is removed."""
    before = page.read_text()
    main(["embed", "-q", "README.md"])
    unclosed = "\n```acdl\nA[@T]: { U: X }\n"
    page.write_text(page.read_text() + unclosed)
    assert main(["embed", "--remove", "README.md"]) == 0
    assert page.read_text() == before + unclosed


def test_blocks_in_directives(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MyST reads the text inside a directive as Markdown, and so do Jupyter Book and the extension of Sphinx."""
    block = "```acdl\nA[@T]: { U: X }\n```\n"
    text = f"````{{note}}\n{block}````\n\n:::{{tip}}\n{block}:::\n\n```{{acdl}}\n:title: C\n\nC[@T]: {{ U: X }}\n```\n"
    page.write_text(text)
    assert main(["embed", "README.md"]) == 0
    assert capsys.readouterr().err == "1 page and 6 figures written, 0 unchanged\n"
    embedded = page.read_text()
    assert embedded.index("README.A.svg") < embedded.index("````\n\n:::") < embedded.index("README.A-2.svg")
    assert main(["embed", "--check", "README.md"]) == 0
    without = without_parts(embedded.split("\n"), is_myst=True)
    assert [line for line in without if line] == [line for line in text.split("\n") if line]
    assert main(["embed", "--remove", "README.md"]) == 0
    assert page.read_text() == text


def test_pages_that_are_no_markdown(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their blocks are no fences, and what looks like one is text: nothing is written into them."""
    folder = page.parent
    (folder / "a.rst").write_text(".. acdl::\n\n   A[@T]: { U: X }\n\n::\n\n   ```acdl\n   Z[@T]: { U: X }\n   ```\n")
    (folder / "m.py").write_text('"""Doc.\n\n```acdl\nB[@T]: { U: X }\n```\n"""\nX = """\n```acdl\nC\n```\n"""\n')
    before = {name: (folder / name).read_bytes() for name in ("a.rst", "m.py")}
    assert main(["embed", "."]) == 0
    for name in before:
        assert main(["embed", name]) == 2
        assert f"{name}: is not a Markdown page; `acdl embed` knows .md, .mdx and .qmd\n" in capsys.readouterr().err
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert names(folder) == ["README.Chat.dark.svg", "README.Chat.svg", "README.md", "a.rst", "m.py"]


def test_a_lost_mark_of_mdx(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cure is a mark that MDX reads."""
    page = page.rename(page.with_suffix(".mdx"))
    main(["embed", "-q", "."])
    page.write_text(page.read_text().replace("{/* acdl-embed end */}", ""))
    assert main(["embed", "."]) == 2
    assert "the mark `{/* acdl-embed end */}` that ends this picture is missing" in capsys.readouterr().err


def test_formatters_may_move_white_space(page: Path) -> None:
    """What a formatter does to blank lines and indentation is no change by hand."""
    main(["embed", "-q", "."])
    written = page.read_text()
    page.write_text(re.sub(r"\n\n(?=<picture>)", "\n", written).replace("  <", "    <"))
    assert main(["embed", "-q", "."]) == 0
    assert page.read_text() == written


def test_two_runs_with_other_options(page: Path) -> None:
    """What one run wrote and the other does not want is gone."""
    main(["embed", "-q", "--assets", "img/acdl", "."])
    assert names(page.parent) == ["README.md", "img/acdl/README.Chat.dark.svg", "img/acdl/README.Chat.svg"]
    assert 'src="./img/acdl/README.Chat.svg"' in page.read_text()
    assert main(["embed", "-q", "--scheme", "auto", "."]) == 0
    assert names(page.parent) == ["README.Chat.svg", "README.md"]
    assert not page.with_name("img").exists()
    assert "](./README.Chat.svg)" in page.read_text()
    assert "prefers-color-scheme:dark" in page.with_name("README.Chat.svg").read_text()


def test_one_scheme_has_a_background(page: Path) -> None:
    """A figure that is light whatever the page is can be read on a dark page too; the ground reaches beyond it."""
    main(["embed", "-q", "--scheme", "light", "."])
    ground = '<rect x="-16" y="-16" width="100%" height="100%" fill="#ffffff"/>'
    assert ground in page.with_name("README.Chat.svg").read_text()
    page.write_text(page.read_text().replace("```acdl", "```acdl theme=dark"))
    main(["embed", "-q", "--scheme", "light", "."])
    assert 'fill="#1e2129"' in page.with_name("README.Chat.svg").read_text()


def test_png(page: Path) -> None:
    """A png has its seal too; two schemes say how wide they are, as there are more pixels."""
    pytest.importorskip("resvg_py")
    main(["embed", "-q", "--format", "png", "."])
    assert re.search(r'<img src="./README.Chat.png" width="\d+" alt=', page.read_text())
    before = tree(page.parent)
    assert main(["embed", "-q", "--check", "--format", "png", "."]) == 0
    assert main(["embed", "-q", "--format", "png", "."]) == 0
    assert tree(page.parent) == before
    figure = page.with_name("README.Chat.dark.png")
    figure.write_bytes(figure.read_bytes().replace(b"IDAT", b"IDAX"))
    assert main(["embed", "-q", "--remove", "."]) == 0
    assert names(page.parent) == ["README.Chat.dark.png", "README.md"]


@pytest.mark.parametrize(
    ("settings", "words", "said"),
    [
        ('asset = "img"', (), "`embed` has no option `asset`; did you mean `assets`?"),
        ('format = "gif"', (), '`embed.format` cannot be \'gif\'; it can be "svg" or "png"'),
        ("assets = 1", (), "`embed.assets` cannot be 1; it can be a text in quotes"),
        ("scale = 99", (), "`embed.scale`: expected"),
        ('format = "png"', ("--scheme", "auto"), "a png cannot follow the page"),
        ('assets = "../out"', (), "the folder `../out` lies outside the project"),
        ("", ("--assets", "/out"), "the folder `/out` lies outside the project"),
    ],
)
def test_unusable_options(
    page: Path, capsys: pytest.CaptureFixture[str], settings: str, words: tuple[str, ...], said: str
) -> None:
    """An option that cannot be is an error that says what can be."""
    page.with_name("acdl.toml").write_text(f"[embed]\n{settings}\n")
    before = tree(page.parent)
    assert main(["embed", *words, "."]) == 2
    assert said in capsys.readouterr().err
    assert tree(page.parent) == before


def test_settings(page: Path) -> None:
    """Options of a project need not be repeated; the command line wins."""
    page.with_name("acdl.toml").write_text('[embed]\nassets = "img"\nscheme = "auto"\n')
    main(["embed", "-q", "."])
    assert names(page.parent) == ["README.md", "img/README.Chat.svg"]
    main(["embed", "-q", "--assets", "", "."])
    assert names(page.parent) == ["README.Chat.svg", "README.md"]


def test_names_that_addresses_cannot_have(folder: Path) -> None:
    """Paths are escaped where they are addresses, and end no comment; files have their own names."""
    (folder / "mein Überblick--a.md").write_text(f"```acdl id=über-Chat\n{CHAT}\n```\n")
    assert main(["embed", "-q", "--scheme", "auto", "."]) == 0
    text = (folder / "mein Überblick--a.md").read_text("utf-8")
    assert "](./mein%20%C3%9Cberblick-%2Da.%C3%BCber-Chat.svg)" in text
    assert (folder / "mein Überblick--a.über-Chat.svg").is_file()
    assert main(["embed", "-q", "--check", "--scheme", "auto", "."]) == 0
    assert main(["embed", "-q", "--remove", "."]) == 0
    assert names(folder) == ["mein Überblick--a.md"]


def test_names_that_collide(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No figure replaces another, not even where files differ only in case; two pages share none."""
    blocks = [f"```acdl id={name}\n{CHAT}\n```\n" for name in ("Chat", "chat", "Chat.dark", "Chat-2")]
    (folder / "a.md").write_text("\n".join(blocks))
    main(["embed", "-q", "a.md"])
    written = [name.casefold() for name in names(folder)]
    assert len(set(written)) == len(written) == 9
    (folder / "a.mdx").write_text(blocks[0])
    assert main(["embed", "a.md", "a.mdx"]) == 2
    assert "a.Chat.svg: would be a figure of a.md and of a.mdx; give a block another `id`" in capsys.readouterr().err
    assert main(["embed", "a.mdx"]) == 2


def test_options_of_blocks(folder: Path) -> None:
    """Files, other files that they use, samples of state, and text in place of figures, as in the builds."""
    (folder / "acdl.toml").write_text("")
    (folder / "specs").mkdir()
    (folder / "specs" / "parts.acdl").write_text("StrFrag Rules[@t]: { BE_BRIEF }\n")
    (folder / "specs" / "chat.acdl").write_text(
        "// acdl: use parts.acdl\nOther[@T]: { U: A }\nChat[@T]: { S: { Frag Rules[@T] } U: env.question[@T] }\n"
    )
    (folder / "specs" / "chat.state.yaml").write_text(
        "acdl_state: 1\ntemplates: {BE_BRIEF: Be brief.}\nat: '1'\nsteps:\n  1: {env: {question: 'Why ```?'}}\n"
    )
    (folder / "docs").mkdir()
    page = folder / "docs" / "agents.md"
    page.write_text(
        '```acdl src="specs/chat.acdl#Chat" state="specs/chat.state.yaml" at=1\n```\n\n'
        f"```acdl show=text\n{CHAT}\n```\n\n```acdl show=source\n{CHAT}\n```\n"
    )
    assert main(["embed", "docs"]) == 0
    text = page.read_text()
    assert "[chat.acdl](../specs/chat.acdl)" in text
    assert "<summary>What is sent at @1: 2 messages</summary>" in text
    assert "\n````text\nSystem\n  Be brief.\n\nUser\n  Why ```?\n````\n" in text
    assert "\n```text\nChat[@T]:\n  Role: System\n    RULES\n" in text
    assert text.count("acdl-embed end") == 2, "a block that shows its source alone has no picture"
    assert "Other" not in page.with_name("agents.Chat.svg").read_text()
    assert names(folder / "docs") == ["agents.Chat.dark.svg", "agents.Chat.svg", "agents.md"]
    main(["embed", "-q", "--link", "https://example.org/blob/main/", "docs"])
    assert "[chat.acdl](https://example.org/blob/main/specs/chat.acdl)" in page.read_text()
    assert "[Source](https://example.org/blob/main/docs/agents.md)" in page.read_text()
    main(["embed", "-q", "--link", "none", "docs"])
    assert "chat.acdl](" not in page.read_text()


def test_figures_come_before_the_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a figure cannot be written, no page shows it and nothing is removed."""
    main(["embed", "-q", "."])
    page.write_text(page.read_text().replace("Chat[@T]", "Talk[@T]"))
    before = page.read_text()
    monkeypatch.setattr(embedding, "replace_file", lambda path, *_: path.suffix != ".svg")
    assert main(["embed", "-q", "."]) == 2
    assert page.read_text() == before
    assert page.with_name("README.Chat.svg").exists()


@pytest.mark.parametrize("name", ["README.Chat.svg", "README.md"])
def test_what_cannot_be_written(
    name: str, page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named as the pages are, by the path that was given."""
    write = atomic.replace_file

    def refuse(path: Path, data: bytes) -> None:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        write(path, data)

    monkeypatch.setattr(atomic, "replace_file", refuse)
    before = page.read_text()
    assert main(["embed", "-q", "."]) == 2
    assert capsys.readouterr().err == f"acdl: {name}: cannot be written: permission denied\n"
    assert page.read_text() == before


def test_what_is_no_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard input, other files and pages that link out of their project are refused; no blocks are fine."""
    (folder / "notes.txt").write_text("")
    (folder / "plain.md").write_text("# Nothing\n")
    (folder / "out").mkdir()
    (folder / "project").mkdir()
    (folder / "project" / "acdl.toml").write_text("")
    (folder / "out" / "page.md").write_text(f"```acdl\n{CHAT}\n```\n")
    (folder / "project" / "link.md").symlink_to(folder / "out" / "page.md")
    for name, said in (
        ("-", "- is not a page: name a file"),
        ("notes.txt", "notes.txt: is not a Markdown page"),
        ("none.md", "none.md: does not exist"),
        ("project/link.md", "project/link.md: is a link that leads out of the project"),
    ):
        assert main(["embed", name]) == 2
        assert said in capsys.readouterr().err
    assert names(folder / "out") == ["page.md"]
    assert main(["embed", "plain.md"]) == 0
    assert capsys.readouterr().err == "0 pages and 0 figures written, 1 unchanged\n"


def test_check_and_format_of_embedded_pages(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other commands read the blocks and leave what is embedded."""
    page.write_text(f"```acdl show=text\n{CHAT}\n```\n")
    main(["embed", "-q", "."])
    part = page.read_text().partition("<!--")[2]
    capsys.readouterr()
    assert main(["check", "--strict", "."]) == 0
    assert capsys.readouterr().out == ""
    assert main(["format", "-q", "."]) == 0
    assert page.read_text().partition("<!--")[2] == part
    assert main(["embed", "--check", "."]) == 0


def test_example() -> None:
    """The page that the documentation shows is up to date."""
    before = tree(ROOT / "examples" / "embedded")
    assert main(["embed", "--check", str(ROOT / "examples" / "embedded")]) == 0
    assert tree(ROOT / "examples" / "embedded") == before
