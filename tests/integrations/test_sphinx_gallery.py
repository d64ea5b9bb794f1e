"""Galleries in Sphinx: what they show in each format, what they say is wrong, and when they are written again."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from integrations.sphinx_project import CHAT, Project

HEADED = f"// title: The chat\n// tags: chat\n// Every turn sends *everything*.\n{CHAT}"
GREETING = "StrFrag Greeting[@t]: { HELLO }\n"


def started(project: Project, gallery: str = "```acdl-gallery\n```\n", index: str = "# Home\n") -> None:
    """Two pages with specs and one with a gallery."""
    project.write("index.md", f"{index}\n```{{toctree}}\nguide/chat\nfragments\nall\n```\n")
    project.write("guide/chat.md", f"# Chat\n\n```acdl\n{HEADED}```\n")
    project.write(
        "fragments.md", f"# Fragments\n\n```acdl #greet\n{GREETING}```\n\n```acdl src=specs/other.acdl\n```\n"
    )
    project.write("specs/other.acdl", "// tags: other\nOther[@T]: { U: env.other[@T] }\n")
    project.write("all.md", f"# All\n\n{gallery}")


def cards(html: str) -> list[tuple[str, str]]:
    """Address and title of each card."""
    return re.findall(r'<p class="acdl-card-title"><a href="([^"]*)">([^<]*)</a>', html)


@pytest.mark.parametrize(
    ("builder", "chat"), [("html", "guide/chat.html#Chat"), ("dirhtml", "../guide/chat/#Chat"), ("singlehtml", "#Chat")]
)
def test_cards(builder: str, chat: str, project: Project) -> None:
    """Each spec of the project has a card that leads to its figure, wherever its page is."""
    started(project)
    result = project.build(builder, "-W")
    assert (result.code, result.warned) == (0, "")
    path = {"html": "all.html", "dirhtml": "all/index.html", "singlehtml": "index.html"}[builder]
    found = cards(result.read(path))
    assert [title for _, title in found] == ["Other", "The chat"]
    assert found[1][0] == chat
    assert "<p>Every turn sends *everything*.</p>" in result.read(path)


@pytest.mark.parametrize(
    ("gallery", "titles"),
    [
        ("```acdl-gallery kinds=all sort=name\n```\n", ["The chat", "Greeting", "Other"]),
        ("```{acdl-gallery}\n:from: files\n```\n", ["Other"]),
        ("```{acdl-gallery} from=pages\n:kinds: fragments\n```\n", ["Greeting"]),
        ('```acdl-gallery folder="guide" tags=chat\n```\n', ["The chat"]),
        ("```{eval-rst}\n.. acdl-gallery:: sort=title\n   :kinds: all\n```\n", ["Greeting", "Other", "The chat"]),
    ],
)
def test_options(gallery: str, titles: list[str], project: Project) -> None:
    """Options are words behind the name or lines below it."""
    started(project, gallery)
    result = project.build("html", "-W")
    assert (result.code, result.warned) == (0, "")
    assert [title for _, title in cards(result.read("all.html"))] == titles


@pytest.mark.parametrize(
    ("gallery", "expected"),
    [
        (
            "```acdl-gallery colums=2\n```\n",
            ["3:17: ERROR: a gallery has no option `colums`; did you mean `columns`? [acdl.unknown-option]"],
        ),
        ("```{acdl-gallery}\n:columns: 9\n```\n", ["4:10: ERROR: `columns` cannot be `9` [acdl.bad-option-value]"]),
        (
            "> ```acdl-gallery tags=chap\n> ```\n",
            [
                "3:24: WARNING: this gallery is empty: no spec has the tag `chap`; "
                "did you mean `chat`? [acdl.empty-gallery]"
            ],
        ),
        (
            "```acdl-gallery #g\n```\n\n```acdl-gallery id=g\n```\n",
            [
                '6: WARNING: Duplicate explicit target name: "g".',
                "6:20: WARNING: another block of this page has the id `g`; "
                "give each gallery of a page its own `id` [acdl.repeated-id]",
            ],
        ),
    ],
)
@pytest.mark.parametrize("builder", ["html", "text"])
def test_what_is_wrong(builder: str, gallery: str, expected: list[str], project: Project) -> None:
    """Wrong options, empty galleries and repeated ids are told with their place, in every format."""
    started(project, gallery)
    result = project.build(builder, "-W", "--keep-going")
    assert result.code == 1
    assert [line.split(" [docutils]")[0] for line in result.warned.splitlines()] == [
        f"all.md:{each}" for each in expected
    ]


def test_ids_are_unique(project: Project) -> None:
    """Several galleries of a page, and of pages that become one file, have ids of their own; a name is a target."""
    gallery = "```acdl-gallery\n```\n\n```{acdl-gallery}\n:name: my-own\n:class: wide\n```\n\n```acdl-gallery\n```\n"
    started(project, f"{gallery}\n[here](#my-own)\n", "# Home\n\n```acdl-gallery\n```\n")
    result = project.build("html", "-W")
    assert (result.code, result.warned) == (0, "")
    page = result.read("all.html")
    galleries = r'<div class="acdl-gallery[^"]*" id="([^"]*)"'
    assert re.findall(galleries, page) == ["acdl-gallery", "my-own", "acdl-gallery-2"]
    assert '<div class="acdl-gallery wide" id="my-own"' in page
    assert 'href="#my-own"' in page
    single = project.build("singlehtml", "-W").read()
    for html in (page, single):
        ids = re.findall(r'\sid="([^"]*)"', html)
        assert sorted(ids) == sorted(set(ids))
    assert re.findall(galleries, single) == ["acdl-gallery", "all-acdl-gallery", "my-own", "acdl-gallery-2"]


def test_second_versions_are_left_out(project: Project) -> None:
    """A block that is not listed is not in a gallery, and a file that two pages show is there once."""
    started(project)
    project.write("index.md", "# Home\n\n```{toctree}\nguide/chat\nfragments\nall\ntwice\n```\n")
    block = "```{acdl}\n:no-index:\n\nSecond[@T]: { U: X }\n```\n"
    project.write("twice.md", f"# Twice\n\n```acdl src=specs/other.acdl\n```\n\n{block}")
    result = project.build("html", "-W")
    assert cards(result.read("all.html")) == [("fragments.html#Other", "Other"), ("guide/chat.html#Chat", "The chat")]


def test_script(project: Project) -> None:
    """Pages with a gallery load its script, others do not; none does if the project wants no scripts."""
    started(project)
    result = project.build("html", "-W")
    assert re.search(
        r'<script defer="defer" src="_static/acdl-gallery\.js(\?v=\w+)?"></script>', result.read("all.html")
    )
    assert "acdl-gallery.js" not in result.read("fragments.html")
    assert (result.out / "_static" / "acdl-gallery.js").is_file()
    project.conf('acdl = {"script": False}')
    again = project.build("html", "-W")
    assert "acdl-gallery.js" not in again.read("all.html")
    assert cards(again.read("all.html"))


@pytest.mark.parametrize("builder", ["text", "man", "texinfo", "latex"])
def test_list(builder: str, project: Project) -> None:
    """Formats without cards have a list of links with what is said of each spec."""
    started(project)
    project.write("index.md", "# Home\n\n```{toctree}\nall\nguide/chat\nfragments\n```\n")
    result = project.build(builder, "-W")
    assert (result.code, result.warned) == (0, "")
    text = "\n".join(
        path.read_text("utf-8") for path in sorted(result.out.rglob("*.t*")) + sorted(result.out.rglob("*.1"))
    )
    plain = re.sub(r"@emph\{|\\X'tty: link[^']*'", "", text)  # some versions of docutils make links of a terminal
    assert re.search(r"The chat[^:]*(<#[^>]*>)?: Every turn sends\s*\*?everything", plain)
    assert "acdl-card" not in text
    if builder == "latex":
        links = re.findall(r"\\hyperref\[\\detokenize\{([^}]+)\}\]\{\\sphinxcrossref\{(?:Other|The chat)\}\}", text)
        assert links == ["fragments:Other", "guide/chat:Chat"]
        assert all(f"\\label{{\\detokenize{{{each}}}}}" in text for each in links)


def test_epub(project: Project) -> None:
    """A book has cards without drawings and scripts, as XML."""
    started(project)
    project.conf('epub_show_urls = "no"', 'version = "1"', 'copyright = "x"', 'epub_basename = "book"')
    result = project.build("epub")
    assert result.code == 0
    with zipfile.ZipFile(result.out / "book.epub") as book:
        page = book.read("all.xhtml").decode()
    ElementTree.fromstring(page)  # noqa: S314 - our own output
    assert cards(page) == [("fragments.xhtml#Other", "Other"), ("guide/chat.xhtml#Chat", "The chat")]
    assert not re.search(r"<svg|<script|<form", page)


def test_rebuild(project: Project) -> None:
    """A page with a gallery is written again when a spec comes, changes, or goes, and only then."""
    started(project)
    project.build("html", "-W")
    assert project.build("html", "-W").written == []
    project.write("fragments.md", (project.folder / "fragments.md").read_text("utf-8") + "\nMore words.\n")
    assert project.build("html", "-W").written == ["fragments", "index"]
    project.write("guide/chat.md", f"# Chat\n\n```acdl\n{HEADED.replace('The chat', 'The talk')}```\n")
    changed = project.build("html", "-W")
    assert changed.written == ["all", "guide/chat", "index"]
    assert [title for _, title in cards(changed.read("all.html"))] == ["Other", "The talk"]
    project.write("specs/other.acdl", "// title: Another\nOther[@T]: { U: env.other[@T] }\n")
    assert [title for _, title in cards(project.build("html", "-W").read("all.html"))] == ["Another", "The talk"]
    project.write("guide/chat.md", "# Chat\n")
    gone = project.build("html", "-W")
    assert cards(gone.read("all.html")) == [("fragments.html#Other", "Another")]
    project.write("all.md", "# All\n")
    project.build("html", "-W")
    project.write("guide/chat.md", f"# Chat\n\n```acdl\n{HEADED}```\n")
    assert project.build("html", "-W").written == ["guide/chat", "index"]


def test_several_processes(project: Project, tmp_path: Path) -> None:
    """Galleries and specs that other processes read are known, and pages are the same as those of one process."""
    started(project)
    names = [f"page{idx}" for idx in range(12)]
    for idx, name in enumerate(names):
        project.write(
            f"{name}.md", f"# Page {idx}\n\n```acdl\nSpec{idx}[@T]: {{ U: X }}\n```\n\n```acdl-gallery\n```\n"
        )
    listed = "\n".join(names)
    project.write("index.md", f"# Home\n\n```{{toctree}}\n{listed}\nguide/chat\nfragments\nall\n```\n")
    result = project.build("html", "-W", "-j", "2")
    assert (result.code, result.warned) == (0, "")
    pages = {name: result.read(f"{name}.html") for name in names}
    assert {len(cards(page)) for page in pages.values()} == {14}
    project.write("page3.md", "# Page 3\n\n```acdl\nSpecX[@T]: { U: X }\n```\n")
    again = project.build("html", "-W", "-j", "2")
    assert all(("page3.html#SpecX", "SpecX") in cards(again.read(f"{name}.html")) for name in names if name != "page3")
    project.out = tmp_path / "alone"
    alone = project.build("html", "-W")
    assert [alone.read(f"{name}.html") for name in names] == [again.read(f"{name}.html") for name in names]
