"""Rule `missing-frag`: a fragment is named without the word `Frag` before it."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error, warning
from acdl_mkdocs.language.names.library import LibraryEntry
from acdl_mkdocs.language.names.outline import build_outline, find_positions, is_header
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import MisspelledFrag, misspelled_frags
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import Arguments, Call, Content, Index, Symbol, Template


def missing_frag(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report content that is spelled like a fragment of the text, or of one that it may use, without `Frag`.

    `Frga Document[1]` is reported as well.

    ## Why
    Without `Frag` it is a variable, a function or a template of the same name, and the fragment is not sent.

    ## Example
    ```acdl
    StrFrag Document[doc]: { env.content[doc] }
    P[@T]: {
        U: { Document[1] Frag Document[2] }
    }
    ```

    ## Use instead
    ```acdl
    StrFrag Document[doc]: { env.content[doc] }
    P[@T]: {
        U: { Frag Document[1] Frag Document[2] }
    }
    ```

    Reference: Language Reference, "Fragment Parameters and Invocation".
    """
    tree = build_outline(resolved.parsed.file)
    misspelled = misspelled_frags(resolved)
    uses = {each.use for each in misspelled}
    words: list[Symbol | Call | Template] = [*tree.nodes_of(Symbol), *tree.nodes_of(Call), *tree.nodes_of(Template)]
    for word in words if resolved.fragments or resolved.library.levels else ():
        is_content = isinstance(tree.parents.get(word), Content) and word not in resolved.bindings and word not in uses
        entry = resolved.find_fragment(word.name) if is_content else None
        if entry is not None and not is_header(word, tree):
            yield _report_missing(word, entry, is_here=entry.source is resolved.source)
    yield from (_report_misspelled(each, resolved) for each in misspelled)


def _report_missing(word: Symbol | Call | Template, entry: LibraryEntry, *, is_here: bool) -> Diagnostic:
    place = f"{entry.source.name}:{entry.source.find_place(entry.node.name.span.start).line}"
    return warning(
        "missing-frag",
        f"`{word.name}` is a fragment, and `Frag` is missing before it",
        Label(word.span, "read as something else of that name" + ("" if is_here else f", not as that of {place}")),
        related=[Label(entry.node.name.span, "this fragment has the name")] if is_here else [],
        help=f"write `{_format_use(word)}`",
        fix=Fix("write `Frag`", (replace_text(word.span, _format_use(word)),), is_safe=False),
    )


def _report_misspelled(frag: MisspelledFrag, resolved: Resolved) -> Diagnostic:
    """Report `Frga Document[1]`; between messages the words cannot be evaluated."""
    content = build_outline(resolved.parsed.file).parents[frag.word]
    is_text = any(position.node is content and position.is_text for position in find_positions(resolved.parsed.file))
    return (warning if is_text else error)(
        "missing-frag",
        f"`{frag.word.name}` is not a keyword of ACDL",
        Label(frag.word.span, "read as content"),
        help=f"did you mean `{_format_use(frag.use)}`?",
        fix=Fix("write `Frag`", (replace_text(frag.span, _format_use(frag.use)),), is_safe=False),
    )


def _format_use(word: Symbol | Call | Template) -> str:
    """Return the fragment's use as it should be written: with its arguments in brackets."""
    first = word.parts[0] if word.parts else None
    values = first.values if isinstance(first, (Arguments, Index)) else ()
    arguments = f"[{', '.join(format_expression(value) for value in values)}]" if values else ""
    return f"Frag {word.name}{arguments}"
