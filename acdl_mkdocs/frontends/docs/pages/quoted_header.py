"""Opening lines of blocks that `pymdownx.superfences` does not understand, and their quoted form.

It accepts only values in quotes, and an id or classes only in braces; a block with any other line is shown as code.
"""

import re

from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.frontends.docs.page import Page, opening_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

_WORD = re.compile(r"""(?P<name>[^\s="']+)=(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\S*)|\S+""")
_FENCE = "acdl_mkdocs.fence"
_EXTENSION = re.compile(
    r"""^[^\S\n]*+-\s*+["']?acdl["']?\s*(?::|$)|^[^\S\n]*+\[.*markdown_extensions\.acdl\]""", re.MULTILINE
)


def is_fence_alone(configuration: str) -> bool:
    """Return whether the configuration of a docs tool leaves the blocks to superfences."""
    return _FENCE in configuration and not _EXTENSION.search(configuration)


def needs_quotes(fence: Fence) -> bool:
    """Return whether superfences does not understand the opening line of one of our blocks."""
    return fence.language in BLOCKS and not fence.is_code and quoted_header(fence.header) != fence.header.strip()


def find_unquoted(fence: Fence, page: Page) -> Finding:
    """Return the problem of such a block."""
    opening = opening_of(fence, page)
    problem = error(
        "unknown-option",
        "superfences does not understand this line and shows the block as code",
        Label(Span(len(fence.mark), len(opening.text)), "values need quotes here"),
        help=f"write `{quoted_header(fence.header)}`, or list `acdl` under `markdown_extensions`",
    )
    return problem, opening


def quoted_header(header: str) -> str:
    """Return the opening line of a block, without its marks, in a form that superfences understands."""
    matches = list(_WORD.finditer(header))
    if header.lstrip().startswith("{") or not any(_is_strange(each) for each in matches[1:]):
        return header.strip()
    words = [_quote_value(each) for each in matches]
    if any(word[0] in "#." for word in words[1:]):
        return f"{{.{words[0].lstrip('.')} {' '.join(words[1:])}}}"
    return " ".join(words)


def _is_strange(word: re.Match[str]) -> bool:
    """Return whether superfences does not understand a word after the language."""
    return word[0][0] in "#." or bool(word["name"] and word["value"][:1] not in ("'", '"'))


def _quote_value(word: re.Match[str]) -> str:
    if not word["name"] or word["value"][:1] in ("'", '"'):
        return word[0]
    return f'{word["name"]}="{word["value"]}"'
