"""Titles of specs in the sites of all themes: nothing that an author writes there runs in the browser of a reader."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from exhaustive import few
from mkdocs.commands.build import build
from mkdocs.config import load_config

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog

pytestmark = pytest.mark.parametrize("browser", ["dejavu"], indirect=True)

_TITLES = {
    "Tag": "X <img src=x onerror=alert(1)>",
    "Head": "Y </title><script>alert(2)</script>",
    "Attribute": 'Z " onmouseover="alert(3)" autofocus onfocus="alert(3)',
    "Escaped": "&lt;img src=x onerror=alert(4)&gt; &amp;lt;img src=x onerror=alert(4)&amp;gt;",
    "Own": "O </title><img src=x onerror=alert(5)>",
}
_SPECS = "\n".join(f"// title: {title}\n{name}[@T]: {{ U: env.{name}[@T] }}\n" for name, title in _TITLES.items())


@pytest.fixture(autouse=True)
def _log() -> Iterator[None]:
    """MkDocs' counting of warnings is undone."""
    logger = logging.getLogger("mkdocs")
    handlers = list(logger.handlers)
    yield
    logger.handlers[:] = handlers


def built(root: Path, theme: dict[str, object], nav: list[object] | None) -> Path:
    """A site whose specs have hostile titles; one of them has a page that the site wrote itself."""
    (root / "docs/specs").mkdir(parents=True)
    (root / "docs/index.md").write_text("# Home\n")
    (root / "docs/specs/Own.md").write_text("Words.\n")
    (root / "a.acdl").write_text(_SPECS)
    settings = {
        "site_name": "Test",
        "theme": theme,
        "use_directory_urls": False,
        "plugins": [{"acdl": {"specs": ["a.acdl"], "downloads": []}}],
        **({"nav": nav} if nav else {}),
    }
    (root / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    config = load_config(str(root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return root / "site"


@pytest.mark.parametrize(
    "theme",
    few(
        [
            {"name": "material", "font": False, "features": ["navigation.footer", "navigation.indexes"]},
            {"name": "mkdocs"},
            {"name": "readthedocs"},
        ]
    ),
    ids=lambda theme: theme["name"],
)
@pytest.mark.parametrize("nav", few([["index.md", "specs/index.md"], None]), ids=["given", "automatic"])
def test_titles_are_words(
    nav: list[object] | None, theme: dict[str, object], browser: "Browser", tmp_path: Path
) -> None:
    """No page opens a dialog or has an element or attribute of a title; the titles can be read in the navigation."""
    site = built(tmp_path, theme, nav)
    page = browser.new_context(offline=True).new_page()
    dialogs: list[str] = []

    def note(dialog: "Dialog") -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    pages = [site / "index.html", *sorted(site.glob("specs/*.html"))]
    assert len(pages) == len(_TITLES) + 2
    for path in pages:
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        page.wait_for_timeout(50)
        made = page.locator("img[src=x], [onerror], [onmouseover], [onfocus]").count()
        assert (path.name, dialogs, made) == (path.name, [], 0)
        assert "img src=x onerror" in (page.text_content("body") or "")
    page.context.close()
