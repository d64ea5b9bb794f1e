"""Sites of hostile texts, one for each docs tool: a page for each text, which is in every place that takes texts."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from integrations.mkdocs_site import Site
from integrations.sphinx_project import Built, Project

from hostile.surfaces import page

_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ page.title|striptags }}</title>'
    '<link rel="icon" href="/favicon.ico">'
    '{% for each in config.extra_css %}<link rel=stylesheet href="{{ each|url }}">{% endfor %}</head><body>'
)
_NAVIGATION = (
    "<nav>{% for item in nav %}{% for each in item.children or [item] %}<p>{{ each.title }}</p>"
    "{% endfor %}{% endfor %}</nav>"
)
_FOOT = '{% for each in config.extra_javascript %}<script src="{{ each|url }}"></script>{% endfor %}</body></html>'
TEMPLATE = f"{_HEAD}{_NAVIGATION}<main>{{{{ page.content }}}}</main>{_FOOT}"
"""A theme that brings nothing inline, and shows titles in the navigation as Material does."""
MATERIAL: Mapping[str, object] = {
    "name": "material",
    "font": False,
    "features": ["navigation.tabs", "search.suggest", "search.highlight", "content.code.copy"],
}


def as_written(text: str) -> str:
    """What of a text can be in a file at all."""
    return text.encode("utf-8", "replace").decode("utf-8")


_IN_POSTS = ("options", "strings and comments", "states", "galleries")
"""Of all places, those in posts, which Material shows a second time as excerpts."""


class Files:
    """Puts files into a project, in its own folder or that of its pages."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, path: str, text: str) -> None:
        """Put a text into a file."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(as_written(text).encode())


def mkdocs_site(
    root: Path,
    texts: Mapping[str, str],
    theme: Mapping[str, object] | None = None,
    *,
    has_titles: bool = False,
    **options: object,
) -> Site:
    """A site of MkDocs, built; with a theme of its own unless another is named.

    With `has_titles`, pages say the texts of themselves at their top, and the theme escapes what authors say there.
    """
    site = Site(
        root,
        playbooks=["books/book*.yaml"],
        llms=True,
        source_url="https://example.org/blob/",
        downloads=["acdl", "svg", "json"],
        **options,
    )
    site.config["validation"] = {"links": {"not_found": "ignore", "unrecognized_links": "ignore"}, "anchors": "ignore"}
    site.config["markdown_extensions"] = ["attr_list", "tables", "md_in_html"]
    if theme:
        site.config["theme"] = dict(theme)
        site.plugins = ["search", "blog"]
        site.write("docs/blog/index.md", "# Blog\n")
    site.write("theme/main.html", TEMPLATE.replace("each.title", "each.title|e") if has_titles else TEMPLATE)
    site.write("docs/specs/index.md", "# Specs\n\n```acdl-gallery\n```\n")
    for number, text in enumerate(texts.values()):
        files = Files(root)
        head = f"---\ntitle: {json.dumps(text)}\ndescription: {json.dumps(text)}\n---\n" if has_titles else ""
        files(f"docs/page{number}.md", head + page(text, number, files))
        if theme:
            told = page(text, number + 50, files, _IN_POSTS)
            post = f"---\ndate: 2026-01-{number + 1:02}\n---\n{told}\n<!-- more -->\nThe end.\n"
            files(f"docs/blog/posts/post{number}.md", post)
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)
    site.build(strict=False)
    return site


def sphinx_site(project: Project, texts: Mapping[str, str]) -> Built:
    """A project of Sphinx with MyST and furo, built."""
    project.write(
        "conf.py", 'project = "Test"\nextensions = ["myst_parser", "acdl_mkdocs.sphinx"]\nhtml_theme = "furo"\n'
    )
    files = Files(project.folder)
    for number, text in enumerate(texts.values()):
        files(f"page{number}.md", page(text, number, files))
    names = "\n".join(f"page{number}" for number in range(len(texts)))
    files("index.md", f"# Home\n\n```{{toctree}}\n{names}\n```\n\n```acdl-gallery\n```\n")
    return project.build("html", "-q")
