"""`rule_url`: a message in a page leads to the page of its rule, from wherever it stands."""

import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

BROKEN = "# Page\n\n```acdl\nChat[@T]: { U: { S: A } }\n```\n"


@pytest.mark.parametrize(
    ("rule_url", "link"),
    [("rules/{rule}/", "../rules/nested-role.html"), ("rules/{rule}/#why", "../rules/nested-role.html#why")],
)
def test_links_to_rules_of_a_site_of_files(tmp_path: Path, rule_url: str, link: str) -> None:
    """A site whose pages are files has the page of a rule as one too."""
    assert links_in("deep/page.html", tmp_path, rule_url, "use_directory_urls: false\n") == [link]


@pytest.mark.parametrize(
    ("rule_url", "links"),
    [
        ("rules/{rule}/", {"index.html": "rules/nested-role/", "deep/page/index.html": "../../rules/nested-role/"}),
        ("https://x.test/{rule}", dict.fromkeys(("index.html", "deep/page/index.html"), "https://x.test/nested-role")),
        ("/rules/{rule}.html", dict.fromkeys(("index.html", "deep/page/index.html"), "/rules/nested-role.html")),
    ],
)
def test_links_to_rules(tmp_path: Path, rule_url: str, links: dict[str, str]) -> None:
    """An address without a host begins at the home page; others are taken as they are."""
    for name, link in links.items():
        assert links_in(name, tmp_path, rule_url) == [link]


def links_in(name: str, tmp_path: Path, rule_url: str, more: str = "") -> list[str]:
    """The links to rules in a page of a site that is built now."""
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True, exist_ok=True)
    (docs / "index.md").write_text(BROKEN, "utf-8")
    (docs / "deep" / "page.md").write_text(BROKEN, "utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f'site_name: Site\n{more}plugins:\n  - acdl:\n      cache: false\n      rule_url: "{rule_url}"\n', "utf-8"
    )
    build(load_config(str(config)))
    html = (tmp_path / "site" / name).read_text("utf-8")
    return re.findall(r'<a href="([^"]*)">error\[nested-role\]', html)
