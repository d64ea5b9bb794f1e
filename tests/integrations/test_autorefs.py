"""Specs, fragments and marks as targets of the real plugin `autorefs`."""

import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

from acdl_mkdocs.frontends.docs.mkdocs.autorefs import AutorefsTargets
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.catalog import Catalog

LOOP = (
    "Loop[@T]: {\n  Frag Rules[@T]\n  Mark 2 {\n    U: env.question[@T]\n  }\n}\nRolesFrag Rules[@t]: { S: BE_KIND }\n"
)
SPEC = "// title: From a file\nFiled[@T]: {\n  Mark 1 { U: env.question[@T] }\n}\n"


class Site:
    """A project in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugins: list[object] = [{"acdl": {"specs": ["specs"], "downloads": []}}, "autorefs"]
        self.write("theme/main.html", "{{ page.content }}")
        self.write("docs/agents.md", f"# Agents\n\n```acdl\n{LOOP}```\n")
        self.write("specs/filed.acdl", SPEC)

    def write(self, path: str, text: str) -> None:
        """Put a file into the project."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def links(self, page: str, blocks: str = "") -> dict[str, str]:
        """Build the site with a page; the words and addresses of the links in its first paragraph."""
        self.write("docs/index.md", f"# Home\n\n{page}\n\n{blocks}\n")
        config = {
            "site_name": "Test",
            "theme": {"name": None, "custom_dir": "theme"},
            "plugins": self.plugins,
            "markdown_extensions": ["attr_list"],
        }
        self.write("mkdocs.yml", yaml.safe_dump(config))
        build(load_config(str(self.root / "mkdocs.yml")))
        html = (self.root / "site" / "index.html").read_text("utf-8")
        first = html[html.index("<p>") : html.index("</p>")]
        return {words: address for address, words in re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', first)}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with a block and a spec file; MkDocs' counting of warnings is undone afterwards."""
    logger = logging.getLogger("mkdocs")
    handlers = list(logger.handlers)
    yield Site(tmp_path)
    logger.handlers[:] = handlers


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the build warned of."""
    return [each.message for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize("order", [1, -1])
def test_links(order: int, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Names of specs, fragments and marks are links to figures and pages, whichever plugin is listed first."""
    site.plugins = site.plugins[::order]
    references = "[Loop][] [`Rules`][] [here][Loop-mark-2] [same][acdl:Loop] [Filed][] [in it][acdl:Filed-mark-1]"
    assert site.links(references) == {
        "Loop": "agents/#Loop",
        "<code>Rules</code>": "agents/#Rules",
        "here": "agents/#Loop-mark-2",
        "same": "agents/#Loop",
        "Filed": "specs/Filed/#Filed",
        "in it": "specs/Filed/#Filed-mark-1",
    }
    assert warnings_of(caplog) == []


def test_figures_of_the_home_page(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The home page has an empty address: its figures are targets all the same."""
    found = site.links("[Home][] [2][Home-mark-2] [Loop][]", f"```acdl\n{LOOP.replace('Loop', 'Home')}```")
    assert found == {"Home": "#Home", "2": "#Home-mark-2", "Loop": "agents/#Loop"}
    assert warnings_of(caplog) == []


def test_names_that_lead_nowhere(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """`autorefs` says so itself, as of all others."""
    assert site.links("[Lop][] [Loop-mark-3][]") == {}
    assert [message for message in warnings_of(caplog) if "'Lop'" in message or "'Loop-mark-3'" in message]


def test_headings_of_others_win(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A name that a heading or an anchor of the site has stays theirs; with the prefix it is that of the spec."""
    site.write("docs/other.md", "# Other {#Loop}\n\n[](){#Rules}\nText.\n")
    found = site.links("[Loop][] [Rules][] [spec][acdl:Loop] [fragment][acdl:Rules]")
    assert found == {
        "Loop": "other/#Loop",
        "Rules": "other/#Rules",
        "spec": "agents/#Loop",
        "fragment": "agents/#Rules",
    }
    assert warnings_of(caplog) == []


def test_figures_with_ids_of_their_own(site: Site) -> None:
    """Marks are found in a figure whose id is not its name, and the first of several figures is the target."""
    site.write("docs/agents.md", f"# Agents\n\n```acdl #flow\n{LOOP}```\n\n```acdl\n{LOOP}```\n")
    assert site.links("[Loop][] [2][Loop-mark-2] [Rules][]") == {
        "Loop": "agents/#flow-Loop",
        "2": "agents/#flow-Loop-mark-2",
        "Rules": "agents/#flow-Rules",
    }


class _Old:
    """A version of the plugin that takes addresses of pages, and knows no rank."""

    def __init__(self) -> None:
        self._url_map = {"Rules": "api/#Rules"}
        self.taken: list[tuple[str, str, str | None]] = []

    def register_anchor(self, page: str, identifier: str, anchor: str | None = None) -> None:
        """Take a target."""
        self.taken.append((page, identifier, anchor))


class _Page:
    """What is needed of a page of MkDocs."""

    url = "a%20b/"

    @property
    def file(self) -> "_Page":
        """Its file, which has the same address."""
        return self


def test_other_versions(tmp_path: Path) -> None:
    """Older versions are told in their own way; one without the function is left alone."""
    library = SiteLibrary(tmp_path, Settings())
    library.add_page("a b.md", f"```acdl\n{LOOP}```\n", "a b/")
    old = _Old()
    targets = AutorefsTargets(old, library.catalog)
    targets.add_page(_Page(), {"Loop", "Loop-mark-2", "Rules"})  # type: ignore[arg-type]
    targets.register_targets()
    assert [identifier for _, identifier, _ in old.taken] == [
        "Loop",
        "acdl:Loop",
        "Loop-mark-2",
        "acdl:Loop-mark-2",
        "acdl:Rules",
    ]
    assert {page for page, _, _ in old.taken} == {"a%20b/"}
    AutorefsTargets(object(), Catalog()).register_targets()


@pytest.mark.parametrize("has_pages", [True, False])
def test_files_with_and_without_pages(has_pages: bool, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A spec of a file is found on its page; without such pages, on the page that shows the file, and nowhere else."""
    options = {"specs": ["specs"], "downloads": [], "spec_pages": "specs" if has_pages else ""}
    site.plugins = [{"acdl": options}, "autorefs"]
    site.write("docs/shown.md", '# Shown\n\n```acdl src="specs/shown.acdl"\n```\n')
    site.write("specs/shown.acdl", f"{SPEC.replace('Filed', 'Shown')}StrFrag Part[@t]: {{ env.part[@t] }}\n")
    found = site.links("[Shown][] [1][Shown-mark-1] [Part][] [again][acdl:Part] [Filed][]")
    where = "specs/Shown/" if has_pages else "shown/"
    assert found["Shown"].startswith(where)
    assert found["1"].startswith(where)
    assert found["Part"] == found["again"] == ("specs/Part/#Part" if has_pages else "shown/#Part")
    assert ("Filed" in found) is has_pages
    assert [message for message in warnings_of(caplog) if "'Filed'" in message] == [] or not has_pages
    assert is_anchored(site, found.values())


def test_headings_with_names_of_specs(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """The heading of a spec's own page leads to that page under its id, also where the id is the name of the spec."""
    site.write("specs/lower.acdl", "lower[@T]: { U: env.question[@T] }\n")
    site.write("docs/other.md", "# Other\n\n## Loop\n\n## Loop-mark-2\n")
    found = site.links("[lower][] [title][from-a-file] [reads][lower] [Loop][] [heading][loop] [mark][Loop-mark-2]")
    assert found == {
        "lower": "specs/lower/#lower",
        "title": "specs/Filed/#from-a-file",
        "reads": "specs/lower/#lower",
        "Loop": "agents/#Loop",
        "heading": "other/#loop",
        "mark": "agents/#Loop-mark-2",
    }
    assert warnings_of(caplog) == []
    assert is_anchored(site, found.values())


def is_anchored(site: Site, addresses: Iterable[str]) -> bool:
    """Whether each address leads to exactly one element."""
    pages = ((address.partition("#")[2], site.root / "site" / address.partition("#")[0]) for address in addresses)
    return all((page / "index.html").read_text("utf-8").count(f' id="{anchor}"') == 1 for anchor, page in pages)
