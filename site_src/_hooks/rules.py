"""MkDocs hook of this project's own site: a page for each rule, and one that lists and searches all of them."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.frontends.docs.problems.rule_texts import to_markdown, write_catalogue

FOLDER = "reference/rules"
_WITHOUT_CONTENTS = "---\nhide: [toc]\n---\n\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; only the catalogue is in the navigation."""
    pages = [rule_page(name) for name in all_names()]
    files.append(File.generated(config, f"{FOLDER}/index.md", content=write_catalogue(pages)))
    for page in pages:
        text = to_markdown(page)
        hidden = "" if text.count("\n## ") > 1 else _WITHOUT_CONTENTS
        content = f"{hidden}[All rules](index.md)\n{{ .acdl-rules-back }}\n\n{text}"
        files.append(File.generated(config, f"{FOLDER}/{page.name}.md", content=content))
    return files
