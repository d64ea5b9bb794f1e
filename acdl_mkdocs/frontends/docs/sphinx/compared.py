"""The directives `acdl-diff`, `acdl-inspect` and `acdl-variants`: comparisons, drawn when all pages are known.

HTML shows drawings; books and every other format show text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape, unescape
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.sphinx.domain import domain_of
from acdl_mkdocs.frontends.docs.sphinx.fence import AnyOption, FenceDirective, option_text
from acdl_mkdocs.frontends.docs.sphinx.nodes import (
    acdl_compared,
    acdl_compared_figure,
    acdl_words,
    caption_of,
    render_anchors,
)
from acdl_mkdocs.frontends.docs.sphinx.pages import DocumentPages
from acdl_mkdocs.frontends.docs.sphinx.source import SourceDirective
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

LANGUAGES = ("acdl-diff", "acdl-inspect", "acdl-variants")
"""The names of the directives."""

_FOLDED = re.compile(r'<details\b.*?</details>|<a class="acdl-permalink".*?</a>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


class ComparedDirective(FenceDirective):
    """Specs compared.

    The words after its name and its options are those of a fence. `name` makes it a target of `ref`, and of `numref`
    as a figure if it has a caption; `class` adds CSS classes.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = AnyOption(
        dict.fromkeys(FenceDirective.own_options, option_text)
    )

    def run(self) -> list[nodes.Node]:
        """Return the placeholder node."""
        domain, docname = domain_of(self.env), self.env.docname
        directive = self.read_directive()
        fence, called = _with_classes(_align_fence(directive), self.own_classes), domain.display_path(directive.file)
        page = Page(name=called, root=domain.folder)
        find: Callable[[Fence, Page], Iterator[Finding]] = _module_for(self.name).fence_problems
        for _ in find(fence, page):  # they are reported when it is drawn
            pass
        domain.note_files(sorted(page.files))
        caption, label = self._read_option("caption", fence), self.options.get("name") or self._read_option("id", fence)
        node = acdl_compared_figure() if caption else acdl_compared()
        anchor = Page(used_ids=set(self.state.document.ids)).take_id(label or self.name)
        node["docname"], node["language"], node["fence"], node["called"] = docname, self.name, fence, called
        node["ids"] = [anchor]
        messages = self.add_caption(node, caption)
        self.make_target(node, label)
        domain.pages_with(self.name).add(docname)
        return [node, *messages]

    def _read_option(self, option: str, fence: Fence) -> str:
        """Return an option that the directive has below its name, or its fence on its first line."""
        match = re.search(rf"""(?:^|\s){option}\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""", fence.header)
        mark = re.search(r"\s#([\w.-]+)", fence.header) if option == "id" else None
        words = next(filter(None, match.groups()), "") if match else ""
        return words or (mark[1] if mark else "")


def _align_fence(directive: SourceDirective) -> Fence:
    """Return the directive as a fence whose lines have their places in the file."""
    fence = directive.fence
    return replace(fence, text="\n" * max(directive.first_line - fence.first - 2, 0) + fence.text)


def _with_classes(fence: Fence, classes: list[str]) -> Fence:
    first, mark, rest = fence.header.partition("\n")
    return replace(fence, header=" ".join([first, *(f".{each}" for each in classes)]) + mark + rest)


class DrawCompared(SphinxPostTransform):
    """Converts every such block of a document to the form of the builder."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Draw all of them."""
        del kwargs
        blocks = list(self.document.findall(acdl_compared))
        if not blocks:
            return
        pages, taken = DocumentPages(domain_of(self.env).builder, self.document), set[str]()
        for node in blocks:
            page = replace(pages.page_named(node["docname"]), name=node["called"])
            # The ids are the block's own, unless another page in this file has them.
            page.used_ids -= set(node["ids"]) - taken
            taken |= set(node["ids"])
            is_html, is_book = pages.builder.format == "html", pages.builder.name == "epub"
            if not is_html:
                node.replace_self(list(_as_nodes(node, page)))
            elif is_book:
                node["html"] = _in_book(node, page)
            else:
                _draw_node(node, page, pages)


def _draw_node(node: acdl_compared, page: Page, pages: DocumentPages) -> None:
    """Draw a block for the translators of HTML."""
    html = _module_for(node["language"]).from_fence(node["fence"], page).html
    node["html"] = render_anchors(pages.find_missing_ids(list(node["ids"]), html)) + html
    node += acdl_words("", " ".join(unescape(_TAG.sub(" ", _FOLDED.sub("", html))).split()))


def _words_of(node: acdl_compared, page: Page) -> str:
    module = _module_for(node["language"])
    module.from_fence(node["fence"], page)  # reports problems
    words: str = module.plain(node["fence"], page)
    return words.strip("\n")


def _module_for(language: str) -> Any:
    """Return the module that draws blocks of a language."""
    return import_module(BLOCKS[language])


def _in_book(node: acdl_compared, page: Page) -> str:
    """Render a block for pages of EPUB, which may not contain drawings that the book's list omits."""
    words = escape(_words_of(node, page))
    first, *others = node["ids"]
    caption = "<figcaption></figcaption>" if caption_of(node) else ""
    body = f'<pre class="acdl-text">{words}</pre>'
    return f'{render_anchors(others)}<figure class="acdl" id="{escape(first)}">{body}{caption}</figure>'


def _as_nodes(node: acdl_compared, page: Page) -> Iterator[nodes.Node]:
    """Yield a block as nodes that every builder knows."""
    words, caption = _words_of(node, page), caption_of(node)
    literal = nodes.literal_block(words, words, language="text")
    if caption is None:
        literal["ids"] = list(node["ids"])
        yield literal
        return
    figure = nodes.figure("", literal, caption, ids=list(node["ids"]))
    figure.source, figure.line = node.source, node.line
    yield figure
