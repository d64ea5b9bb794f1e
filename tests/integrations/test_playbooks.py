"""Playbooks on pages: the fence in every docs tool, the generated pages of a MkDocs site, links both ways."""

import json
import logging
import re
from html import unescape
from pathlib import Path

import pytest
from markdown import Markdown

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.markdown.superfences import fence
from acdl_mkdocs.playbook.model.curate import curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.store import create, history_path, update
from acdl_mkdocs.playbook.store.read_playbook import read_playbook
from acdl_mkdocs.prompts.prompt import Json
from integrations.mkdocs_site import Site, lines_of
from integrations.sphinx_project import Project
from integrations.test_superfences import markdown_with

BOOK = """\
schema_version: 1
name: docs-agent
revision: 1
sections:
- {id: general, title: General}
- {id: tool_usage, title: Tool usage}
bullets:
- id: ge-00000001
  section: general
  content: Begin every turn with the rules of the house.
  helpful: 3
  harmful: 0
  applies_to: [acdl:Chat]
  added: 1
  updated: 1

- id: tu-00000002
  section: tool_usage
  content: Say <b>what</b> a tool is for, not how it is built.
  helpful: 0
  harmful: 0
  applies_to: [fragment:Greeting]
  added: 1
  updated: 1
"""
FENCE = "```acdl-playbook src=books/docs.yaml\n```\n"
MORE: Json = {"operations": [{"type": "ADD", "section": "general", "content": "Name the file that a claim is about."}]}
BROKEN = BOOK.replace("helpful: 3", "helpful: many")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a playbook, which is the working folder."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "docs.yaml").write_text(BOOK, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def anchors(html: str) -> list[str]:
    """The ids of the bullets of a page."""
    return re.findall(r'<article[^>]* id="([^"]+)"', html)


def start(site: Site, book: str = BOOK) -> None:
    """Give a site a playbook."""
    site.write("books/docs.yaml", book)
    site.options["playbooks"] = ["books/*.yaml"]


def grow(path: Path) -> None:
    """Write the playbook anew with a history."""
    playbook = read_playbook(path.read_text("utf-8")).playbook
    assert playbook is not None
    path.unlink()
    history_path(path).unlink(missing_ok=True)
    create(path, playbook, time="2026-11-20T08:00:00Z", actor="person")
    assert history_path(path).is_file()


@pytest.mark.usefixtures("folder")
def test_markdown_alone() -> None:
    """The extension shows all bullets, and what they say is only text."""
    html = Markdown(extensions=["acdl"]).convert(FENCE)
    assert anchors(html) == ["ge-00000001", "tu-00000002"]
    assert "&lt;b&gt;what&lt;/b&gt;" in html
    assert "<b>what" not in html


@pytest.mark.usefixtures("folder")
def test_same_everywhere(project: Project) -> None:
    """The custom fence and Sphinx show the same as the extension."""
    html = Markdown(extensions=["acdl"]).convert(FENCE).strip()
    quoted = FENCE.replace("src=books/docs.yaml", 'src="books/docs.yaml"')
    custom = [{"name": "acdl-playbook", "class": "acdl-playbook", "format": fence(), "validator": _any_option}]
    md = Markdown(
        extensions=["pymdownx.superfences"], extension_configs={"pymdownx.superfences": {"custom_fences": custom}}
    )
    assert md.convert(quoted).strip() == html
    project.write("books/docs.yaml", BOOK.replace("acdl:Chat", "acdl:A").replace("fragment:Greeting", "acdl:A"))
    project.write("index.md", f"# Home\n\n{FENCE}\n```acdl\nA[@T]: {{ U: env.q }}\n```\n")
    built = project.build("html", "-W")
    assert (built.code, built.warned) == (0, "")
    shown = re.sub(r"<(a|span) class=\"acdl-[a-z]*target.*?</\1>", "", built.read())
    assert anchors(shown) == anchors(html)
    assert 'href="#A"' in built.read()


def _any_option(*given: object) -> bool:
    """Take every option, as `validate` does."""
    options, inputs = given[2], given[1]
    assert isinstance(options, dict)
    assert isinstance(inputs, dict)
    options.update(inputs)
    return True


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("section=tool_usage", ["tu-00000002"]),
        ("bullet=ge-00000001", ["ge-00000001"]),
        ("status=archived", []),
    ],
)
def test_options(options: str, expected: list[str]) -> None:
    """A block shows a section or single bullets."""
    assert anchors(Markdown(extensions=["acdl"]).convert(FENCE.replace("yaml", f"yaml {options}"))) == expected


@pytest.mark.usefixtures("folder")
def test_one_bullet_by_its_address() -> None:
    """`src` may name one bullet behind the file."""
    html = Markdown(extensions=["acdl"]).convert(FENCE.replace("yaml", "yaml#tu-00000002"))
    assert anchors(html) == ["tu-00000002"]


@pytest.mark.parametrize(
    ("page", "book", "expected"),
    [
        (
            "```acdl-playbook\n```\n",
            BOOK,
            "docs/page.md:3:1: error[empty-block]: the block names no playbook; add `src=",
        ),
        (
            FENCE.replace("docs.yaml", "doc.yaml"),
            BOOK,
            "docs/page.md:3:22: error[missing-src]: the file `books/doc.yaml` does not exist; "
            "did you mean `books/docs.yaml`?",
        ),
        (
            FENCE.replace("yaml", "yaml sektion=general"),
            BOOK,
            "docs/page.md:3:38: error[unknown-option]: a playbook has no option `sektion`; did you mean `section`?",
        ),
        (FENCE, BROKEN, "books/docs.yaml:11:12: error["),
        (
            FENCE.replace("yaml", "yaml section=genral"),
            BOOK,
            "docs/page.md:3:46: error[unknown-section]: the playbook has no section `genral`; did you mean `general`?",
        ),
    ],
)
def test_check(page: str, book: str, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`acdl check` of a page finds what is wrong with a block and with the file that it names."""
    (folder / "books" / "docs.yaml").write_text(book, "utf-8")
    (folder / "mkdocs.yml").write_text("site_name: Test\n", "utf-8")
    (folder / "docs").mkdir()
    (folder / "docs" / "page.md").write_text(f"# Page\n\n{page}", "utf-8")
    assert main(["check", "docs/page.md", "--format", "json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"rule"' in line]
    lines = [
        f"{each['file']}:{each['line']}:{each['column']}: {each['severity']}[{each['rule']}]: {each['message']}; "
        + "; ".join(each["help"])
        for each in told
    ]
    assert [line[: len(expected)] for line in lines] == [expected]


def test_unknown_bullet_is_told(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A block that asks for a bullet that is not there says so, with its place."""
    start(site)
    site.options["playbooks"] = []
    site.write("docs/index.md", f"# Home\n\n{FENCE.replace('yaml', 'yaml bullet=ge-00000009')}")
    with caplog.at_level(logging.INFO):
        site.build(strict=False)
    assert lines_of(caplog) == [
        "docs/index.md:3:45: error[unknown-bullet]: the playbook has no bullet `ge-00000009`; "
        "did you mean `ge-00000001`?"
    ]


def test_generated_pages(site: Site) -> None:
    """A playbook has a page, its changes, and files that the head of the page names."""
    start(site)
    grow(site.root / "books/docs.yaml")
    site.config["site_url"] = "https://docs.example.org/"
    site.write("theme/main.html", "<head></head>{{ page.content }}")
    site.build()
    html = site.html("playbooks/docs-agent/index.html")
    assert anchors(html) == ["ge-00000001", "tu-00000002"]
    for name in ("playbook.json", "playbook.yaml", "playbook.txt", "prompt.txt", "AGENTS.md", "feed.json", "feed.xml"):
        assert f'href="../{name}"' in html or f'href="{name}"' in html, name
        assert (site.root / "out/playbooks/docs-agent" / name).is_file(), name
    assert html.index('<link rel="alternate "') < html.index("</head>")
    changes = site.html("playbooks/docs-agent/changes/index.html")
    assert 'href="../#ge-00000001"' in changes
    feed = json.loads((site.root / "out/playbooks/docs-agent/feed.json").read_text("utf-8"))
    assert feed["home_page_url"] == "https://docs.example.org/playbooks/docs-agent/"
    assert not (site.root / "out/playbooks/docs-agent/AGENTS").exists()


def test_links_of_generated_pages_lead_somewhere(site: Site) -> None:
    """Every link of the page and of its changes leads to a file of the site, however pages are addressed."""
    for has_directories in (True, False):
        start(site)
        grow(site.root / "books/docs.yaml")
        site.config["use_directory_urls"] = has_directories
        site.build()
        out = site.root / "out"
        pages = list((out / "playbooks").rglob("*.html"))
        assert len(pages) == 2
        for page in pages:
            for href in re.findall(r'href="([^"#:]+)', page.read_text("utf-8")):
                target = (page.parent / unescape(href)).resolve()
                assert target.is_file() or (target / "index.html").is_file(), (page, href)


def test_both_ways(site: Site) -> None:
    """Bullets lead to the specs that they are about, and pages of specs to their lessons."""
    start(site)
    site.build()
    assert 'href="../../specs/Chat/"' in site.html("playbooks/docs-agent/index.html")
    chat = site.html("specs/Chat/index.html")
    assert "Lessons for this spec" in chat
    assert 'href="../../playbooks/docs-agent/#ge-00000001"' in chat
    assert "tu-00000002" not in chat
    assert 'href="../../playbooks/docs-agent/#tu-00000002"' in site.html("specs/Greeting/index.html")


def test_unknown_target_is_a_warning(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A bullet about a spec that the site does not have is told once, with its place, however many blocks show it."""
    start(site, BOOK.replace("acdl:Chat", "acdl:Chatt"))
    site.write("docs/index.md", f"# Home\n\n{FENCE}\n{FENCE}")
    site.build(strict=False)
    assert lines_of(caplog) == [
        "books/docs.yaml:13:16: warning[unknown-target]: the bullet `ge-00000001` applies to `acdl:Chatt`, which this "
        "site does not have; write `acdl:` and the name of a spec, or `fragment:` and the name of a fragment"
    ]


def test_broken_playbook(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A playbook with an error has no page, a block of it shows the error, and the log has its place."""
    start(site, BROKEN)
    site.write("docs/index.md", f"# Home\n\n{FENCE}")
    site.build(strict=False)
    (line,) = lines_of(caplog)
    assert line.startswith("books/docs.yaml:11:12: error[")
    assert "many" in site.html()
    assert not (site.root / "out/playbooks").exists()


def test_option_that_names_nothing(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A pattern without a file is a warning."""
    site.options["playbooks"] = ["nowhere/*.yaml"]
    site.build(strict=False)
    assert lines_of(caplog) == [
        "the option `playbooks` of `acdl` names `nowhere/*.yaml`, which is not a playbook file of the project"
    ]


def test_accuracy(site: Site) -> None:
    """What a run beside the playbook measured is in the plot of its page."""
    start(site)
    path = site.root / "books/docs.yaml"
    grow(path)
    update(path, lambda book: curate(book, delta_of(MORE), curation_of(book, "person")), time="2026-11-21T08:00:00Z")
    points = [{"revision": 1, "accuracy": 0.25}, {"revision": 2, "accuracy": 0.75}]
    site.write("books/docs.run/run.json", json.dumps({"points": points}))
    site.build()
    html = site.html("playbooks/docs-agent/index.html")
    assert "How it grew" in html
    assert "75 %" in html
    site.write("docs/index.md", f"# Home\n\n{FENCE.replace('yaml', 'yaml growth=on')}\n{FENCE}")
    site.build()
    assert site.html().count("<svg") == 1
    assert "75 %" in site.html()


def test_evaluation(site: Site) -> None:
    """What an evaluation beside the playbook found is on its page, as text only."""
    start(site)
    sides = {"before": {"accuracy": 0.25, "n_samples": 8}, "after": {"accuracy": 0.75, "n_samples": 8}}
    report = {**sides, "model": "<b>m</b>", "change": {"fixed": 4, "broken": 0, "p_value": 0.125}}
    site.write("books/docs.evaluation.json", json.dumps(report))
    site.build()
    html = site.html("playbooks/docs-agent/index.html")
    assert "<td>25.0 %</td><td>75.0 %</td>" in html
    assert "4 fixed" in html
    assert "<b>m" not in html


@pytest.mark.parametrize("options", [{"playbooks": ["docs/books/*.yaml"]}, {}])
def test_nothing_of_a_playbook_among_the_pages_is_published_raw(options: dict[str, object], site: Site) -> None:
    """A bullet that is not published is nowhere in the site, though its playbook and history stand among the pages."""
    site.options |= options
    secret = BOOK.replace("Say <b>what</b> a tool is for", "Keep this to yourself").replace(
        "applies_to: [fragment:Greeting]", "publish: false"
    )
    site.write("docs/books/docs.yaml", secret)
    grow(site.root / "docs/books/docs.yaml")
    site.write("docs/books/docs.run/trajectory.jsonl", "Keep this to yourself")
    site.write("docs/books/other.txt", "stays")
    site.write("docs/index.md", f"# Home\n\n{FENCE.replace('books/', 'docs/books/')}")
    site.build()
    out = site.root / "out"
    found = [path.name for path in out.rglob("*") if path.is_file() and b"Keep this to yourself" in path.read_bytes()]
    assert found == []
    assert (out / "books/other.txt").is_file()


def test_navigation(site: Site) -> None:
    """The page of a playbook is in the navigation where the site names it, with its changes behind it."""
    start(site)
    grow(site.root / "books/docs.yaml")
    site.config["nav"] = [{"Home": "index.md"}, {"Lessons": "playbooks/docs-agent/index.md"}]
    site.build()
    assert re.findall(r"\[([^\]]*)\]\(([^)]*)\)", site.html()) == [
        ("Home", ""),
        ("docs-agent", "playbooks/docs-agent/"),
        ("Changes", "playbooks/docs-agent/changes/"),
    ]


def test_twins(site: Site) -> None:
    """For language models, the page of a playbook is the text that prompts have."""
    start(site)
    site.options["llms"] = True
    site.build()
    twin = (site.root / "out/playbooks/docs-agent/index.md").read_text("utf-8")
    assert "[ge-00000001] helpful=3 harmful=0 :: Begin every turn" in twin
    assert "<article" not in twin


def test_twins_of_other_pages(site: Site) -> None:
    """There, a block is a list of the bullets that it shows."""
    start(site)
    site.options["llms"] = True
    site.write("docs/index.md", f"# Home\n\n{FENCE.replace('yaml', 'yaml section=tool_usage')}")
    site.build()
    twin = (site.root / "out/index.md").read_text("utf-8")
    assert "- [tu-00000002] helpful=0 harmful=0 :: Say <b>what</b> a tool" in twin
    assert "ge-00000001" not in twin


def test_a_change_is_seen(site: Site) -> None:
    """A second build shows what the file says then."""
    start(site)
    site.write("docs/index.md", f"# Home\n\n{FENCE}")
    site.build()
    site.write("books/docs.yaml", BOOK.replace("rules of the house", "rules of the garden"))
    site.build()
    assert "rules of the garden" in site.html()


def test_builds_are_equal(site: Site) -> None:
    """Two builds give the same bytes."""
    start(site)
    grow(site.root / "books/docs.yaml")
    site.build()
    first = site.pages()
    site.build()
    assert site.pages() == first


@pytest.mark.parametrize(
    "block",
    [
        FENCE,
        "```{acdl-playbook} books/docs.yaml\n```\n",
        "```{acdl-playbook}\n:src: books/docs.yaml\n```\n",
        "```{eval-rst}\n.. acdl-playbook:: books/docs.yaml\n```\n",
    ],
)
def test_sphinx(block: str, project: Project) -> None:
    """The directive takes the file as its argument or as an option."""
    project.write("books/docs.yaml", re.sub("  applies_to: .*\n", "", BOOK))
    project.write("index.md", f"# Home\n\n{block}")
    built = project.build("html", "-W")
    assert (built.code, built.warned) == (0, "")
    assert anchors(built.read()) == ["ge-00000001", "tu-00000002"]


def test_sphinx_text(project: Project) -> None:
    """Formats without HTML have a list of the bullets."""
    project.write("books/docs.yaml", re.sub("  applies_to: .*\n", "", BOOK))
    project.write("index.md", f"# Home\n\n{FENCE}")
    built = project.build("text", "-W")
    assert (built.code, built.warned) == (0, "")
    words = " ".join(built.read("index.txt").split())
    assert 'Begin every turn with the rules of the house. "ge-00000001"' in words
    assert "Say <b>what</b> a tool is for" in words


def test_sphinx_rebuilds(project: Project) -> None:
    """A page is written again when its playbook has changed."""
    plain = re.sub("  applies_to: .*\n", "", BOOK)
    project.write("books/docs.yaml", plain)
    project.write("index.md", f"# Home\n\n{FENCE}")
    project.build("html", "-W")
    project.write("books/docs.yaml", plain.replace("rules of the house", "rules of the garden"))
    built = project.build("html", "-W")
    assert built.written == ["index"]
    assert "rules of the garden" in built.read()


def test_sphinx_problems(project: Project) -> None:
    """What is wrong has its place, and a strict build fails."""
    project.write("books/docs.yaml", BOOK)
    project.write("index.md", f"# Home\n\n{FENCE.replace('yaml', 'yaml section=genral')}")
    built = project.build("html", "-W")
    assert built.code == 1
    assert "index.md:3:46: ERROR: the playbook has no section `genral`; did you mean `general`?" in built.warned


@pytest.mark.usefixtures("folder")
def test_fence_beside_others() -> None:
    """A custom fence of the kind `acdl` alone leaves other blocks to superfences."""
    html = markdown_with(fence()).convert(FENCE)
    assert "<article" not in html
