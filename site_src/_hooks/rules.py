"""MkDocs hook of this project's own site: the pages about rules, and figures beside their source."""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from acdl_mkdocs.site.rule_pages import all_names, rule_page
from acdl_mkdocs.site.rule_texts import GROUPS, catalogue, to_markdown

FOLDER = "reference/rules"
_BESIDE = re.compile(r'<figure class="acdl side".*?</figure>', re.DOTALL)
_FOLDED = '<details class="acdl-source" data-search-exclude>'


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make a page of each rule, and put them below the entry of the catalogue in the navigation."""
    pages = [rule_page(name) for name in all_names()]
    files.append(File.generated(config, f"{FOLDER}/index.md", content=catalogue(pages)))
    for page in pages:
        files.append(File.generated(config, f"{FOLDER}/{page.name}.md", content=to_markdown(page)))
    listed: dict[str, list[object]] = {kind: [] for kind in GROUPS}
    for page in pages:
        listed[page.kind].append(f"{FOLDER}/{page.name}.md")
    groups = [{title: listed[kind]} for kind, title in GROUPS.items() if kind != "rule"]
    _put(config.nav, [f"{FOLDER}/index.md", *listed["rule"], *groups])
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Unfold the source of figures that stand beside it; their style puts the two next to each other."""
    del page, config, files
    unfolded = _FOLDED.replace(">", " open>")
    return _BESIDE.sub(lambda figure: figure[0].replace(_FOLDED, unfolded), html)


def _put(entries: list[object] | None, below: list[object]) -> None:
    """Replace the one entry of the catalogue, wherever it is in the navigation."""
    for entry in entries or ():
        if isinstance(entry, dict):
            for title, value in entry.items():
                if value == f"{FOLDER}/index.md":
                    entry[title] = below
                elif isinstance(value, list):
                    _put(value, below)
