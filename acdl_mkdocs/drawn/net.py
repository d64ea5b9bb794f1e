"""`of_structure()`: what the rules about structure say of ACDL that was made of a drawing.

A drawing never means a block with nothing in it, or content that nobody says: where that comes out, something was read
otherwise than it was meant.
"""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.nodes import Content, Prompt, RoleMessage, walk
from acdl_mkdocs.language.syntax.parse import Parsed

STRUCTURE = (
    "arm-after-else",
    "bare-time-variable",
    "break-outside-loop",
    "case-after-default",
    "content-outside-role",
    "empty-body",
    "missing-frag",
    "nested-role",
    "role-fragment-inside-role",
    "role-in-string-fragment",
    "string-fragment-outside-role",
    "unknown-block",
)
"""Rules whose findings say that the nesting, or a word, is probably not what was drawn."""


def of_structure(parsed: Parsed) -> Iterator[Diagnostic]:
    """What these rules find in a text without mistakes; a note is a warning here, because something was drawn."""
    yield from _beside_messages(parsed)
    resolved = resolve(parsed)
    config = Config(snippet=True)
    for name in STRUCTURE:
        for found in RULES[name](resolved, config):
            yield replace(found, severity="warning") if found.severity == "note" else found


def _beside_messages(parsed: Parsed) -> Iterator[Diagnostic]:
    """Content that no definition holds, though there are messages: a title that was not read as one."""
    items = parsed.file.items
    if any(isinstance(node, RoleMessage | Prompt) for item in items for node in walk(item)):
        for item in items:
            if isinstance(item, Content):
                yield warning(
                    "content-outside-role",
                    "content stands outside any message",
                    Label(item.span, "in no message and no definition"),
                    help="put it below a role; if it is the title of what stands below it, end it with `:`",
                )
