"""MkDocs hook of this project's own site: a page for each rule, and one that lists and searches all of them."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation

from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.frontends.docs.problems.rule_texts import to_markdown, write_catalogue

FOLDER = "reference/rules"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; only the catalogue is in the navigation."""
    pages = [rule_page(name) for name in all_names()]
    files.append(File.generated(config, f"{FOLDER}/index.md", content=write_catalogue(pages)))
    for page in pages:
        text = to_markdown(page)
        hidden = "" if text.count("\n## ") > 1 else "hide: [toc]\n"
        front = f"---\ntitle: {page.name}\n{hidden}---\n\n"
        content = f"{front}[All rules](index.md)\n{{ .acdl-rules-back }}\n\n{text}"
        files.append(File.generated(config, f"{FOLDER}/{page.name}.md", content=content))
    return files


def on_nav(_nav: Navigation, files: Files, **_: object) -> None:
    """Show the pages of rules, which the navigation leaves out, beside their catalogue, one after another."""
    catalogue, *rules = (each.page for each in files if each.page and each.src_uri.startswith(f"{FOLDER}/"))
    for before, page, after in zip([catalogue, *rules], rules, [*rules[1:], None], strict=False):
        page.parent, page.previous_page, page.next_page = catalogue.parent, before, after
