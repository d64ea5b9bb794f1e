"""Shared base of the directives for fences: how they are read, and how other places refer to them."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from acdl_mkdocs.frontends.docs.sphinx.source import SourceDirective, locate_directive
from acdl_mkdocs.workspace.myst import names_file


class AnyOption(dict[str, Callable[[str], Any]]):
    """A mapping that accepts every option: unknown ones are explained like those of a fence."""

    def __missing__(self, name: str) -> Callable[[str], Any]:
        del name
        return option_text


def option_text(value: str | None) -> str:
    """Return the value of an option, empty if it has none."""
    return value or ""


class FenceDirective(SphinxDirective):
    """A directive whose words and options are those of a fence, beside options that every directive has."""

    optional_arguments = 1
    final_argument_whitespace = True
    own_options: ClassVar[tuple[str, ...]] = ("name", "class")
    """Options that every directive has; the others are those of a fence."""

    @property
    def own_classes(self) -> list[str]:
        """The CSS classes of the option `class`."""
        classes: list[str] = self.options.get("class", "").split()
        return classes

    def read_directive(self) -> SourceDirective:
        """Return the directive as a fence, with its places in the file."""
        header, lines = self._header_and_lines()
        options = {name: value for name, value in self.options.items() if name not in self.own_options}
        if names_file(self.name, header) and "src" not in options:
            header, options["src"] = "", header
        if name := nodes.fully_normalize_name(self.options.get("name", "")):
            options.setdefault("id", nodes.make_id(name) or name)
        return locate_directive(self, header, options, lines)

    def add_caption(self, node: nodes.Element, caption: str) -> list[nodes.system_message]:
        """Add a caption to a node, by which Sphinx counts and names it; return problems of its words.

        Markup of the page's language is parsed; HTML in it is shown, not run, as in every docs tool.
        """
        if not caption:
            return []
        words, messages = self.state.inline_text(caption, self.lineno)
        node += nodes.caption(caption, "", *words)
        for raw in list(node[-1].findall(nodes.raw)):
            if "html" in raw.get("format", "").split():
                raw.parent.replace(raw, nodes.Text(raw.astext()))
        self.set_source_info(node[-1])
        return messages

    def make_target(self, node: nodes.Element, label: str) -> None:
        """Make a node a target of other places, by a label if it has one."""
        self.set_source_info(node)
        if label:
            node["names"].append(nodes.fully_normalize_name(label))
        self.state.document.note_explicit_target(node, node)

    def _header_and_lines(self) -> tuple[str, Sequence[str]]:
        """Return the words after the name, and the text; a text directly below the name is no such word."""
        header, lines = " ".join(self.arguments), list(self.content)
        first = self.block_text.split("\n")[0]
        if self.has_content and first.startswith("..") and header not in first:
            return "", [*header.split("\n"), *([""] if lines else []), *lines]
        return header, lines
