"""MkDocs hook of this project's own site: the pages about rules."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.frontends.docs.problems.rule_texts import GROUPS, to_markdown, write_catalogue

FOLDER = "reference/rules"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make a page of each rule, and put them below the entry of the catalogue in the navigation."""
    pages = [rule_page(name) for name in all_names()]
    files.append(File.generated(config, f"{FOLDER}/index.md", content=write_catalogue(pages)))
    for page in pages:
        files.append(File.generated(config, f"{FOLDER}/{page.name}.md", content=to_markdown(page)))
    listed: dict[str, list[object]] = {kind: [] for kind in GROUPS}
    for page in pages:
        listed[page.kind].append(f"{FOLDER}/{page.name}.md")
    groups = [{title: listed[kind]} for kind, title in GROUPS.items() if kind != "rule"]
    _put(config.nav, [f"{FOLDER}/index.md", *listed["rule"], *groups])
    return files


def _put(entries: list[object] | None, below: list[object]) -> None:
    """Replace the one entry of the catalogue, wherever it is in the navigation."""
    for entry in entries or ():
        if isinstance(entry, dict):
            for title, value in entry.items():
                if value == f"{FOLDER}/index.md":
                    entry[title] = below
                elif isinstance(value, list):
                    _put(value, below)
