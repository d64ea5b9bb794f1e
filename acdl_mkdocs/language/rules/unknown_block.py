"""Rule `unknown-block`: braces follow something that is neither a keyword nor a title."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import UnknownHeader, unknown_headers
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import FragUse, Prompt, TimeIndex
from acdl_mkdocs.language.syntax.nodes import Label as LabelBlock

_BEFORE_NAMES = frozenset(("def", "fn", "func", "function", "class", "spec", "context", "agent"))
"""Words that other languages write before a name."""
_HEADS = {"Mark": "write `Mark 1 {`", "Default": "write `Default {`"}
"""The headers of blocks whose keyword is one only before them."""


def unknown_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every block whose header is unknown to ACDL.

    ## Why
    It is not clear when the block is sent: only the keywords of the language define that.

    ## Example
    ```acdl
    P[@T]: {
        While @T > 1 {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If @T > 1 {
            U: env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Control Flow".
    """
    for header in unknown_headers(resolved.parsed.file, resolved.source.text):
        title = header.block.title if isinstance(header.block, LabelBlock) else None
        if header.word is None:
            yield _no_title(header, resolved)
        elif isinstance(title, TimeIndex) and header.is_like_name:
            yield _open_time(title, header.word, resolved)
        else:
            yield _no_keyword(header, header.word, resolved)


def _open_time(title: TimeIndex, word: Span, resolved: Resolved) -> Diagnostic:
    """Report `Chat @T: {`."""
    text = resolved.source.text
    name, time = text[word.start : word.end].strip(), text[title.span.start : title.span.end]
    edit = replace_text(Span(word.start, title.span.end), f"{name}[{time}]")
    return error(
        "unknown-block",
        f"the time of `{name}` stands without brackets",
        Label(title.span, "expected `[` before this"),
        help=f"write `{name}[{time}]: {{`",
        fix=Fix("put the time in brackets", (edit,), is_safe=False),
    )


def _no_title(header: UnknownHeader, resolved: Resolved) -> Diagnostic:
    title = header.block.title if isinstance(header.block, LabelBlock) else None
    written = resolved.source.one_line(header.title.start, header.title.end)
    message, label = f"`{written}` is not a title of a block", "expected a name or a keyword such as `If` before this"
    cures = ["write a title of letters, digits and `_`, such as `Name[@T]: {`"]
    if isinstance(title, FragUse):
        message, label = "`Frag` uses a fragment, and has no block", "expected the kind of a fragment to define one"
        name = resolved.source.text[title.name.span.start : title.span.end]
        cures = [f"for a fragment of text, write `StrFrag {name}: {{`", f"for one of messages, `RolesFrag {name}: {{`"]
    return error("unknown-block", message, Label(header.title, label), help=cures)


def _no_keyword(header: UnknownHeader, word: Span, resolved: Resolved) -> Diagnostic:
    text, title = resolved.source.text, header.title
    written = text[word.start : word.end].strip()
    message, label = f"`{written}` is not a keyword of ACDL", "not a keyword"
    if isinstance(header.block, Prompt):
        joined = "_" * written.isdigit() + text[word.start : title.end].replace(" ", "")
        label = "a name begins with a letter and is one word"
        cure = f"write the name as one word: `{joined}`"
        if written.lower() in _BEFORE_NAMES:
            label, cure = "a spec begins with its name", f"delete `{written}`"
        elif written.lower().endswith(("frag", "fragment")):
            label, cure = "not the keyword of a fragment", "write `StrFrag` for text, `RolesFrag` for messages"
    elif written in _HEADS:
        message, label, cure = (
            f"the header of this `{written}` is not understood",
            "its block begins later",
            _HEADS[written],
        )
    elif header.near:
        cure = f"did you mean `{header.near}`?"
    else:
        cure = "the blocks with a condition are `If`, `Switch` and `ForEach`"
    related = [Label(title, "stands before this block")] if title.start > word.start else []
    return error("unknown-block", message, Label(word, label), related=related, help=cure)
