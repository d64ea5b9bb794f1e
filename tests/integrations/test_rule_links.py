"""`rule_url`: a message in a page leads to the page of its rule, from wherever it stands."""

import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

BROKEN = "# Page\n\n```acdl\nChat[@T]: { U: { S: A } }\n```\n"


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
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "index.md").write_text(BROKEN, "utf-8")
    (docs / "deep" / "page.md").write_text(BROKEN, "utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f'site_name: Site\nplugins:\n  - acdl:\n      cache: false\n      rule_url: "{rule_url}"\n', "utf-8"
    )
    build(load_config(str(config)))
    for name, link in links.items():
        html = (tmp_path / "site" / name).read_text("utf-8")
        assert re.findall(r'<a href="([^"]*)">error\[nested-role\]', html) == [link]
