"""Commands in a project of somebody else write only where a person wants it, whatever links and names lie there."""

import json
import os
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from acdl_mkdocs.foundation.real_path import fold_name
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.pages.embedded import WORD
from acdl_mkdocs.frontends.playground.site import list_former_files
from hostile.attacks import HTML
from hostile.outside import MINE, is_kept
from hostile.surfaces import value

_SPEC = "Chat[@T]: { U: env.q[@T] }\n"
_PAGE = f"```acdl\n{_SPEC}```\n"


@pytest.fixture
def project(clone: Path) -> Path:
    """A project in the working folder; beside it lies a file that nobody has named."""
    (clone / "pyproject.toml").touch()
    (clone / "chat.acdl").write_text(_SPEC)
    (clone / "page.md").write_text(_PAGE)
    return clone


LINKS = {
    "figure": ("out/chat.svg", "../../outside/mine"),
    "figure that is not there": ("out/chat.svg", "../../outside/new"),
    "folder": ("out", "../outside"),
    "ring": ("out/chat.svg", "chat.svg"),
}
"""Where the link is, and where it leads."""


@pytest.mark.parametrize("link", [name for name in LINKS if name != "folder"])
@pytest.mark.parametrize(
    "command",
    [
        ("render", "chat.acdl", "chat.acdl", "page.md", "-o", "out"),
        ("render", ".", "-o", "out"),
        ("diff", "old", "new", "--format", "svg", "-o", "out"),
    ],
)
def test_figures(command: tuple[str, ...], link: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A figure of many goes into the folder that was named, and through no link in it."""
    for name, spec in (("old", _SPEC), ("new", _SPEC.replace(".q", ".p"))):
        (project / name).mkdir()
        (project / name / "chat.acdl").write_text(spec)
    (project / "out").mkdir()
    place, target = LINKS[link]
    (project / place).symlink_to(target)
    assert main(command) == 2
    assert "out/chat.svg: is a link that leads out of out" in capsys.readouterr().err
    assert is_kept(project)
    (project / place).unlink()
    assert main(command) in (0, 1)
    assert (project / place).is_file()


@pytest.mark.parametrize("names", [("Chat", "chat"), ("caf\u00e9", "cafe\u0301"), ("\u1e9e", "ss")])
def test_names_that_are_one(names: tuple[str, str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two figures that a disk of Windows or macOS would take for one are not written."""
    (project / "two").mkdir()
    for name in names:
        (project / "two" / f"{name}.acdl").write_text(_SPEC)
    assert fold_name(names[0]) == fold_name(names[1])
    assert main(["render", "two", "-o", "out"]) == 2
    assert "would both be written to" in capsys.readouterr().err


@pytest.mark.parametrize("link", LINKS)
def test_embedded_figures(link: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No figure of a page goes through a link."""
    place, target = LINKS[link]
    path = project / place.replace("chat.svg", "page.Chat.svg")
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)
    assert main(["embed", "--scheme", "light", "--assets", "out", "page.md"]) == 2
    assert "page.md" in capsys.readouterr().err
    assert (project / "page.md").read_text() == _PAGE
    assert is_kept(project)


_OURS = re.compile(
    r'</?(?:picture|source|img)(?: (?:media|srcset|src|alt)="[^"<>]*")*(?: /)?>|<!-- acdl-embed [\w. -]+ -->'
)


@pytest.mark.parametrize("scheme", ["both", "light"])
def test_words_of_embedded_figures(scheme: str, project: Path) -> None:
    """Titles and captions stay words: they end neither the alternative text nor the marks, and a second run agrees."""
    n_refused = 0
    for text in (
        *HTML.values(),
        "--> <!-- acdl-embed end -->",
        "*/} {/* acdl-embed end */}",
        '" alt="x',
        "a](b) ![c](d)",
    ):
        words = value(text)
        (project / "page.md").write_text(f"~~~acdl title={words} caption={words}\n{_SPEC}~~~\n", "utf-8", "replace")
        if main(["embed", "--scheme", scheme, "page.md"]) or WORD not in (project / "page.md").read_text("utf-8"):
            n_refused += 1
            continue
        _, _, part = (project / "page.md").read_text("utf-8").partition("\n~~~\n")
        tokens = MarkdownIt("commonmark", {"html": True}).parse(part)
        every = [each for token in tokens for each in (token, *(token.children or ()))]
        html = "".join(each.content for each in every if each.type.startswith("html_"))
        assert _OURS.sub("", html).strip() == ""
        assert [each.type for each in every if each.type == "link_open"] == []
        images = [each.attrs["src"] for each in every if each.type == "image"]
        assert images == ([] if scheme == "both" else ["./page.Chat.svg"])
        assert main(["embed", "--check", "--scheme", scheme, "page.md"]) == 0
    assert n_refused < len(HTML) / 4  # a line that begins no block for every tool, and values that no option has


_ROOTS = "extensions = ['acdl_mkdocs']\nacdl = {'root': '%s'}\n"


@pytest.mark.parametrize(
    ("assets", "files"),
    [
        ("../outside", {}),
        ("{outside}", {}),
        ("a/../../outside", {}),
        ("../outside", {"conf.py": _ROOTS % ".."}),
        ("{outside}", {"conf.py": _ROOTS % "/"}),
        ("../outside", {"acdl.toml": '[embed]\nassets = "../outside"\n'}),
    ],
)
def test_folder_of_embedded_figures(assets: str, files: dict[str, str], project: Path) -> None:
    """It lies in the project, whatever its files say: they can be of a stranger."""
    (project / ".git").mkdir()
    for name, text in files.items():
        (project / name).write_text(text)
    given = [] if "acdl.toml" in files else ["--assets", assets.format(outside=project.parent / "outside")]
    assert main(["embed", *given, "page.md"]) == 2
    assert (project / "page.md").read_text() == _PAGE
    assert is_kept(project)


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "javascript://a/%0aalert", "data:x", "https://a) ![x](y", "a b"]
)
def test_addresses_of_sources(link: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the settings of a project say of links is an address of the web or a path."""
    (project / "acdl.toml").write_text(f"[embed]\nlink = {json.dumps(link)}\n")
    assert main(["embed", "page.md"]) == 2
    assert "the link cannot be" in capsys.readouterr().err
    assert (project / "page.md").read_text() == _PAGE
    for good in ("https://a.example/b/", "http://a.example/", "../blob", "none", ""):
        assert main(["embed", "--link", good, "page.md"]) == 0


def test_figures_that_a_page_names(project: Path) -> None:
    """What a mark names is removed only if it is a figure of this page, in the project."""
    outside = project.parent / "outside"
    assert main(["embed", "--scheme", "light", "page.md"]) == 0
    figure = (project / "page.Chat.svg").read_bytes()
    (outside / "page.Chat.svg").write_bytes(figure)  # sealed, and its page is gone
    (project / "other.svg").write_text(MINE)
    (project / "link.svg").symlink_to(outside / "page.Chat.svg")
    names = "../outside/page.Chat.svg", str(outside / "page.Chat.svg"), "other.svg", "link.svg", "chat.acdl", "."
    for name in names:
        page = (project / "page.md").read_text()
        (project / "page.md").write_text(page.replace(" page.Chat.svg -->", f" {name} page.Chat.svg -->"))
        assert main(["embed", "--remove", "page.md"]) == 0
        assert (project / "page.md").read_text() == _PAGE
        assert main(["embed", "--scheme", "light", "page.md"]) == 0
    assert (outside / "page.Chat.svg").read_bytes() == figure
    assert (project / "other.svg").read_text() == MINE
    assert (project / "link.svg").is_symlink()
    assert (project / "chat.acdl").read_text() == _SPEC


def test_pages_that_are_links(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that is a link out of the project is left alone."""
    (project.parent / "outside" / "mine").write_text(_PAGE)
    (project / "link.md").symlink_to("../outside/mine")
    (project / "linked").symlink_to("../outside")
    assert main(["embed", "."]) == 2
    assert "link.md: is a link that leads out of the project" in capsys.readouterr().err
    assert (project.parent / "outside" / "mine").read_text() == _PAGE
    assert os.listdir(project.parent / "outside") == ["mine"]


@pytest.mark.parametrize("command", [("format",), ("check", "--fix")])
@pytest.mark.parametrize("name", ["link.acdl", "link.md"])
def test_texts_that_are_links(
    command: tuple[str, ...], name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link that is only found in a folder is not followed out of the project; one that is named is."""
    crooked = "Chat[@T]:{User: env.q[@T]}\n"
    text = crooked if name == "link.acdl" else f"```acdl\n{crooked}```\n"
    outside = project.parent / "outside" / "mine"
    outside.write_text(text)
    (project / "link").mkdir()
    (project / "link" / name).symlink_to(outside)
    (project / "link" / "inner.acdl").symlink_to(project / "chat.acdl")
    (project / "chat.acdl").write_text(crooked)
    assert main([*command, "link"]) == 2
    assert f"link/{name}: is a link that leads out of the project" in capsys.readouterr().err
    assert outside.read_text() == text
    assert (project / "chat.acdl").read_text() != crooked
    assert main([*command, f"link/{name}"]) == 0
    assert outside.read_text() != text


@pytest.mark.parametrize("ids", [("A", "a"), ("..", "."), ("CON", "con.")])
def test_ids_that_are_one(ids: tuple[str, str], project: Path) -> None:
    """Blocks of a page whose ids a disk takes for one, or for a path, have a figure each, beside the page."""
    page = "".join(f"```acdl id={each}\n{_SPEC.replace('q', f'q{number}')}```\n" for number, each in enumerate(ids))
    (project / "page.md").write_text(page)
    assert main(["embed", "--scheme", "light", "page.md"]) == 0
    figures = [path.name for path in project.glob("*.svg")]
    assert len({fold_name(name) for name in figures}) == len(ids)
    assert is_kept(project)


def test_pages_that_share_figures(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pages whose names a disk takes for one have no figures in one folder."""
    for folder, name in (("a", "caf\u00e9.md"), ("b", "cafe\u0301.md")):
        (project / folder).mkdir()
        (project / folder / name).write_text(_PAGE)
    assert main(["embed", "--scheme", "light", "--assets", "../img", "a", "b"]) == 2
    assert "would be a figure of" in capsys.readouterr().err
    assert len(os.listdir(project / "img")) == 1


@pytest.mark.parametrize(
    "name", ["../mine", "abc/../mine", "/etc/passwd", "abc/../../outside/mine", "abc\\..\\mine", "abc/link", "", "abc"]
)
def test_former_playground(name: str, project: Path) -> None:
    """The list of files of an older playground, which lies in the folder, removes nothing else."""
    (project / "abc").mkdir()
    (project / "abc" / "own.js").touch()
    (project / "abc" / "link").symlink_to("../../outside/mine")
    said = {"version": "abc", "files": [name, "abc/own.js"], "later": []}
    (project / "manifest.json").write_text(json.dumps(said))
    found = list_former_files(project, "def")
    assert [path for path in found if path.name != "own.js" and path.exists()] == []
    (project / "abc").rename(project.parent / "outside" / "abc")
    (project / "abc").symlink_to("../outside/abc")
    assert list_former_files(project, "def") == ()
