"""MkDocs hook of this project's own site: pages that teach come before lists and generated pages in the search."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

BOOSTS = {
    "learn/ten-minutes": 1.4,
    "reference/language": 1.5,
    "get-started": 2.0,
    "specs/index": 2.0,
    "specs/": 0.3,
    "playbooks/": 0.2,
    "examples": 0.5,
    "develop/": 0.4,
    "reference/cli/": 0.8,
    "reference/python/": 0.4,
    "reference/rules/index": 1.0,
    "reference/rules/": 0.3,
}
"""Beginning of the path of a page to the factor of its results."""


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give a page the factor of the first entry that fits, unless it has one."""
    del config, files
    boost = next((value for path, value in BOOSTS.items() if page.file.src_uri.startswith(path)), 1.0)
    page.meta.setdefault("search", {"boost": boost})
    return markdown
