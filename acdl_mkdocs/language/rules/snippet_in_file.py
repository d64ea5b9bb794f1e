"""Rule `snippet-in-file`: an `.acdl` file holds statements outside any spec."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import unknown_headers
from acdl_mkdocs.language.syntax.edits import wrap_statements
from acdl_mkdocs.language.syntax.nodes import AT_TOP, Comment, Field, Node, Prompt, TimeIndex

_WORD = re.compile(r"[^\W_]+")


def snippet_in_file(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report the first statement outside every spec and fragment of a file.

    A fence in a page may show a snippet, and a file may contain only fragments; messages of a file belong in a spec.
    `--snippet` accepts snippets everywhere.

    ## Why
    Without a title it cannot be referred to, and its turn is unknown.

    ## Example
    ```acdl
    S: INSTRUCTIONS
    U: env.query[@T]
    ```

    ## Use instead
    ```acdl
    Chat[@T]: {
        S: INSTRUCTIONS
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    if config.snippet or resolved.parsed.diagnostics:
        return  # after a syntax error, the title of a spec may be in text that was not understood
    items = resolved.parsed.file.items
    first = next((at for at, item in enumerate(items) if not isinstance(item, AT_TOP)), None)
    if first is None or any(unknown_headers(resolved.parsed.file, resolved.source.text)):
        return  # a title that was not understood makes a snippet of a spec
    title = f"{_suggest_title(resolved.source.name)}[{_suggest_index(resolved)}]"
    before = next((item for item in reversed(items[:first]) if isinstance(item, Prompt)), None)
    last = _last_statement(items, first)
    span = Span(items[first].span.start, items[last].span.end)
    cures = [f"write `{title}: {{` before it, and `}}` after the last line of it"]
    if before is not None:
        cures.insert(0, f"if it belongs to `{before.name.name}`, move the `}}` of `{before.name.name}` below it")
    yield error(
        "snippet-in-file",
        "this stands outside any spec",
        Label(items[first].span, "belongs to no spec"),
        related=[Label(Span(before.span.end - 1, before.span.end), "the spec before it ends here")] if before else [],
        help=[*cures, "to check a piece of a spec on its own, use `acdl check --snippet`"],
        fix=None
        if before
        else Fix(f"write `{title}`", wrap_statements(resolved.source, span, f"{title}: "), is_safe=False),
    )


def _last_statement(items: tuple[Node, ...], first: int) -> int:
    """Return the index of the last statement of the run that begins at `first`; comments may be in between."""
    last = first
    for at in range(first, len(items)):
        if not isinstance(items[at], AT_TOP):
            last = at
        elif not isinstance(items[at], Comment):
            break
    return last


def _suggest_title(file: str) -> str:
    """Return a title based on a file name: `Chat` for `docs/chat.acdl`, `MyAgent` for `my-agent.acdl`; else `Name`."""
    stem = PurePath(file.replace("\\", "/")).name.partition(".")[0] if file.endswith(".acdl") else ""
    name = "".join(word[0].upper() + word[1:] for word in _WORD.findall(stem))
    return name if name and not name[0].isdecimal() else "Name"


def _suggest_index(resolved: Resolved) -> str:
    """Return the index of the title: `@T.I` if steps of the current turn are used, else `@T`."""
    for time in build_outline(resolved.parsed.file).nodes_of(TimeIndex):
        if time.name == "T" and any(isinstance(part, Field) and part.name == "I" for part in time.parts):
            return "@T.I"
    return "@T"
