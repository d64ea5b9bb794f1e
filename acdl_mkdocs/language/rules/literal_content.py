"""Rule `literal-content`: literal text is used where ACDL names the content."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, note
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.host_text import holds_host_text
from acdl_mkdocs.language.syntax.nodes import Content, String
from acdl_mkdocs.language.syntax.tokens import is_all_caps

_N_WORDS = 4
"""The maximum number of words in the name of a template, which does not end in one of the small ones."""
_SMALL = frozenset(
    ["a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to", "with"]
)
_WORDS = re.compile(r"[^\W\d_]\w*")


def literal_content(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every quoted text that is content of a message; as an argument, quoted text is fine.

    ## Why
    A spec defines which messages are sent and when. The wording changes more often, and belongs in the templates.

    ## Example
    ```acdl
    P[@T]: {
        S: "Answer politely."
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: ANSWER_POLITELY
    }
    ```

    Reference: Language Reference, "Templates".
    """
    for content in build_outline(resolved.parsed.file).nodes_of(Content):
        if isinstance(content.value, String) and not content.value.value.strip():
            empty = Label(content.value.span, "quoted text without a word")
            yield note("literal-content", "a message holds an empty text", empty, help="leave it out: it says nothing")
        elif isinstance(content.value, String):
            template = _name_template(content.value.value)
            edit = _replace_text(content, content.value, template, resolved)
            is_kept = holds_host_text(content.value.value)  # another tool inserts these words
            yield note(
                "literal-content",
                "a message holds its wording",
                Label(content.value.span, "quoted text"),
                help=f"name what it says with a template: `{template}`",
                fix=None if is_kept else Fix(f"write `{template}`", (edit,), is_safe=False),
            )


def _name_template(text: str) -> str:
    """Name a template after the first words of a text."""
    words = _WORDS.findall(text)[:_N_WORDS]
    while words and words[-1].lower() in _SMALL:
        words.pop()
    name = "_".join(words).upper()
    if not words:
        return "SEPARATOR"
    return name if is_all_caps(name) and name.isidentifier() else "INSTRUCTIONS"


def _replace_text(content: Content, text: String, template: str, resolved: Resolved) -> TextEdit:
    """Return an edit that replaces the text by the template and keeps it as a comment at the end of the line."""
    source = resolved.source
    line = source.line_index(text.span.end)
    rest = source.text[text.span.end : source.line_starts[line] + len(source.line_text(line))]
    is_last = not rest.strip() and content.comment is None
    return replace_text(text.span, f"{template}  // {text.value}" if is_last else template)
