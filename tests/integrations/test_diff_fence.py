"""`acdl-diff` blocks in every docs tool: drawn alike, rebuilt when a file changes, nothing for pages without them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown import Markdown

from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from acdl_mkdocs.frontends.docs.mkdocs.plugin import AcdlPlugin
from acdl_mkdocs.frontends.docs.pages.search_text import hide_drawings
from integrations.mkdocs_site import Site, lines_of
from integrations.sphinx_project import Project

OLD = "Chat[@T]: {\n    U: env.question[@T]\n}\n"
NEW = "Kind[@T]: {\n    S: BE_KIND\n    U: env.question[@T]\n}\n"
FAMILY = f"{OLD}\n// variant-of: Chat\n// A kind one.\n{NEW}"
BLOCK = '```acdl-diff old="Chat" new="Kind"\n```\n'
PAGE = f"```acdl\n{OLD}```\n\n```acdl\n{NEW}```\n\n{BLOCK}"


def differences(html: str) -> list[str]:
    """The differences of a page, without the links to themselves."""
    found = re.findall(r'<figure class="acdl acdl-diff".*?</figure>', html, re.DOTALL)
    return [re.sub(r'<a class="acdl-permalink".*?</a>', "", each) for each in found]


def verdicts(html: str) -> list[str]:
    """The sentences above the figures of a page."""
    found = re.findall(r'<p class="acdl-verdict[^>]*>(.*?)</p>', html)
    return [re.sub("<[^>]*>", "", each) for each in found]


def test_same_everywhere(tmp_path: Path, project: Project) -> None:
    """Each tool draws the same block; only links to figures are written as each tool has them."""
    alone = differences(Markdown(extensions=["acdl"]).convert(PAGE))
    custom = [{"name": name, "class": name, "format": fence(), "validator": validate} for name in ("acdl", "acdl-diff")]
    settings = {"pymdownx.superfences": {"custom_fences": custom}}
    fenced = differences(Markdown(extensions=["pymdownx.superfences"], extension_configs=settings).convert(PAGE))
    site = Site(tmp_path, specs=[])
    site.write("docs/index.md", PAGE)
    site.build()
    project.write("index.md", f"# Home\n\n{PAGE}")
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    pages = [alone, fenced, differences(site.html()), differences(built.read())]
    assert [len(page) for page in pages] == [1, 1, 1, 1]
    plain = {
        re.sub(r"</?(?:a|b)\b[^>]*>|line \d+( → line \d+)?|index\.md|docs/|<text>|&lt;text&gt;|\d+:\d+", "", page[0])
        for page in pages
    }
    assert len(plain) == 1
    for page in (alone, differences(site.html()), differences(built.read())):
        assert '<a href="#Kind">Kind</a>' in page[0]


def test_problems_have_places(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The plugin reports them at the line of the page, behind front matter too."""
    site = Site(tmp_path, specs=[])
    site.write("docs/index.md", "---\ntitle: Home\n---\n\n```acdl-diff\nold: Nobody\nnew: specs/none.acdl\n```\n")
    site.build(strict=False)
    assert [line.partition(";")[0] for line in lines_of(caplog)] == [
        "docs/index.md:6:6: error[unknown-spec]: there is no spec named `Nobody`",
        "docs/index.md:7:6: error[missing-src]: the file `specs/none.acdl` does not exist",
    ]
    assert 'class="acdl-problem' in site.html()


def test_family(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The page of a variant shows what differs from the spec that it is a variant of; that one's page does not."""
    site = Site(tmp_path, llms=True)
    site.write("specs/chat.acdl", FAMILY)
    site.build()
    assert lines_of(caplog) == []
    page = site.html("specs/Kind/index.html")
    assert verdicts(page) == ["The messages can differ: 1 change from Chat to Kind."]
    assert '<div class="acdl-title">What differs from Chat</div>' in page
    assert re.findall(r'<p class="acdl-verdict.*?<a href="([^"]+)"', page) == ["#Chat"]
    assert verdicts(site.html("specs/Chat/index.html")) == []
    twin = (tmp_path / "out" / "specs" / "Kind" / "index.md").read_text("utf-8")
    assert "```text\nWhat differs from Chat\nThe messages can differ: 1 change from Chat to Kind." in twin
    assert "acdl-diff" not in twin


def test_specs_without_figures(tmp_path: Path) -> None:
    """A spec of a file that has no page can be named too."""
    site = Site(tmp_path, spec_pages="")
    site.write("specs/chat.acdl", FAMILY)
    site.write("docs/index.md", BLOCK)
    site.build()
    assert verdicts(site.html()) == ["The messages can differ: 1 change from Chat to Kind."]


def test_files_that_change(tmp_path: Path) -> None:
    """MkDocs watches both files, and a build after a change draws the new text."""
    site = Site(tmp_path, specs=[])
    site.write("parts/old.acdl", OLD)
    site.write("parts/new.acdl", NEW)
    site.write("docs/index.md", "```acdl-diff old=parts/old.acdl new=parts/new.acdl\n```\n")
    config = site.build()
    plugin = config.plugins["acdl"]
    assert isinstance(plugin, AcdlPlugin)
    assert {path.name for path in plugin._files} == {"old.acdl", "new.acdl"}
    assert "BE_KIND" in site.html()
    site.write("parts/new.acdl", NEW.replace("BE_KIND", "BE_BRIEF"))
    site.build()
    assert "BE_BRIEF" in site.html()
    assert "BE_KIND" not in site.html()


def test_search_has_the_words_once(tmp_path: Path) -> None:
    """Other views of the figure are not for the search."""
    site = Site(tmp_path, specs=[])
    site.write("docs/index.md", PAGE)
    site.build()
    light = hide_drawings(differences(site.html())[0])
    assert light.html.count("BE_KIND") == 1
    assert "<svg" not in light.html
    assert light.restore_drawings(light.html) == light.whole


def test_sphinx_reads_a_page_again(project: Project) -> None:
    """A page is read again when either file has changed, and drawn again when a spec of another page has."""
    project.write("specs/old.acdl", OLD)
    project.write("specs/new.acdl", NEW)
    project.write("index.md", "# Home\n\n```{acdl-diff}\n:old: specs/old.acdl\n:new: specs/new.acdl\n```\n")
    project.write("other.md", "---\norphan: true\n---\n# Other\n\n```acdl-diff\nold: Chat\nnew: Third\n```\n")
    third = f"---\norphan: true\n---\n# Third\n\n```acdl\n{OLD}```\n\n```acdl\n{NEW.replace('Kind', 'Third')}```\n"
    project.write("third.md", third)
    first = project.build("html", "-W")
    assert first.code == 0, first.warned
    assert project.build().written == []
    project.write("specs/new.acdl", NEW.replace("BE_KIND", "BE_BRIEF"))
    again = project.build()
    assert again.written == ["index"]
    assert "BE_BRIEF" in again.read()
    project.write("third.md", third.replace("BE_KIND", "BE_QUICK"))
    again = project.build()
    assert {"other", "third"} <= set(again.written)
    assert "BE_QUICK" in again.read("other.html")


def test_sphinx_reads_a_page_again_for_a_used_file(project: Project) -> None:
    """Files that the compared texts use are dependencies of the page."""
    for folder, word in (("v1", "RULE_ONE"), ("v2", "RULE_TWO")):
        project.write(f"{folder}/a.acdl", "// acdl: use common.acdl\nChat[@T]: { S: Frag Rules }\n")
        project.write(f"{folder}/common.acdl", f"StrFrag Rules: {{ {word} }}\n")
    project.write("index.md", "# Home\n\n```{acdl-diff}\n:old: v1/a.acdl\n:new: v2/a.acdl\n```\n")
    first = project.build("html", "-W")
    assert first.code == 0, first.warned
    assert "The messages can differ" in first.read()
    project.write("v2/common.acdl", "StrFrag Rules: { RULE_ONE }\n")
    again = project.build()
    assert again.written == ["index"]
    assert "No difference" in again.read()


def test_sphinx_directive(project: Project) -> None:
    """Options, text and places of a directive; `ref` and `numref` lead to it, other builders have words."""
    project.conf("numfig = True")
    project.write(
        "index.rst",
        "Home\n====\n\n.. acdl-diff::\n   :name: kinder\n   :caption: A *kinder* one.\n   :class: wide\n\n"
        "   A[@T]: { U: x }\n   ---\n   A[@T]: { U: y }\n\n:numref:`kinder`\n\n"
        ".. acdl-diff:: show=text\n   :old: Nobody\n\n   A[@T]: { U: y }\n",
    )
    built = project.build()
    assert [line for line in built.warned.splitlines() if line] == [
        "index.rst:16:9: ERROR: there is no spec named `Nobody`; name a spec of this site, or a file with its path "
        "from the project's folder: `specs/chat.acdl#Chat` [acdl.unknown-spec]"
    ]
    html = built.read()
    assert '<figure class="acdl acdl-diff wide" id="kinder">' in html
    assert 'href="#kinder"><span class="std std-numref">Fig. 1</span></a>' in html
    assert "A <em>kinder</em> one." in html
    assert "line 9" in html
    text = project.build("text").read("index.txt")
    assert "The messages can differ: 1 change from old to new." in text
    book = project.build("epub").read("index.xhtml")
    assert "The messages can differ" in book
    assert "<svg" not in book


def test_nothing_for_others() -> None:
    """A page without such a block loads nothing of what compares."""
    code = (
        "import sys; from markdown import Markdown\n"
        "Markdown(extensions=['acdl']).convert('```acdl\\nChat[@T]: { U: env.q[@T] }\\n```\\n')\n"
        "print([name for name in sys.modules if 'acdl_mkdocs.compare.formats' in name or 'site.diff' in name])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
