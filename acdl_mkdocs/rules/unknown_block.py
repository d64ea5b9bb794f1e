"""Rule `unknown-block`: braces follow something that is neither a keyword nor a title."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.headers import UnknownHeader, unknown_headers
from acdl_mkdocs.syntax.nodes import Prompt

_BEFORE_NAMES = frozenset(("def", "fn", "func", "function", "class", "spec", "context", "agent"))
"""Words that other languages write before a name."""


def unknown_block(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every block whose header ACDL does not know.

    ## Why
    Nobody can tell when the block is sent: only the keywords of the language say that.

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
    for found in unknown_headers(resolved.parsed.file, resolved.source.text):
        yield _no_title(found, resolved) if found.word is None else _no_keyword(found, found.word, resolved)


def _no_title(found: UnknownHeader, resolved: Resolved) -> Diagnostic:
    title = found.title
    return error(
        "unknown-block",
        f"`{' '.join(resolved.source.text[title.start : title.end].split())}` is no title of a block",
        Label(title, "expected a name or a keyword such as `If` before this"),
        help="write a title of letters, digits and `_`, such as `Name[@T]: {`",
    )


def _no_keyword(found: UnknownHeader, word: Span, resolved: Resolved) -> Diagnostic:
    text, title = resolved.source.text, found.title
    written = text[word.start : word.end].strip()
    label = "not a keyword"
    if isinstance(found.block, Prompt):
        joined = text[word.start : title.end].replace(" ", "")
        label = "a name begins with a letter and is one word"
        cure = f"write the name as one word: `{joined.lstrip('0123456789') if written.isdigit() else joined}`"
        if written.lower() in _BEFORE_NAMES:
            label, cure = "a spec begins with its name", f"delete `{written}`"
        elif written.lower().endswith(("frag", "fragment")):
            label, cure = "not the keyword of a fragment", "write `StrFrag` for text, `RolesFrag` for messages"
    elif found.near:
        cure = f"did you mean `{found.near}`?"
    else:
        cure = "the blocks with a condition are `If`, `Switch` and `ForEach`"
    return error(
        "unknown-block",
        f"`{written}` is no keyword of ACDL",
        Label(word, label),
        related=[Label(title, "stands before this block")] if title.start > word.start else [],
        help=cure,
    )
