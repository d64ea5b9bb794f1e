"""Rule `missing-frag`: a fragment is named without the word `Frag` before it."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error, warning
from acdl_mkdocs.language.names.library import Entry
from acdl_mkdocs.language.names.outline import is_header, outline, places
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import MisspelledFrag, misspelled_frags
from acdl_mkdocs.language.syntax.edits import replacement, written
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
    tree = outline(resolved.parsed.file)
    found = misspelled_frags(resolved)
    uses = {each.use for each in found}
    words: list[Symbol | Call | Template] = [*tree.of(Symbol), *tree.of(Call), *tree.of(Template)]
    for word in words if resolved.fragments or resolved.library.levels else ():
        is_content = isinstance(tree.parents.get(word), Content) and word not in resolved.bindings and word not in uses
        entry = resolved.fragment_named(word.name) if is_content else None
        if entry is not None and not is_header(word, tree):
            yield _missing(word, entry, is_here=entry.source is resolved.source)
    yield from (_misspelled(each, resolved) for each in found)


def _missing(word: Symbol | Call | Template, entry: Entry, *, is_here: bool) -> Diagnostic:
    place = f"{entry.source.name}:{entry.source.place(entry.node.name.span.start).line}"
    return warning(
        "missing-frag",
        f"`{word.name}` is a fragment, and `Frag` is missing before it",
        Label(word.span, "read as something else of that name" + ("" if is_here else f", not as that of {place}")),
        related=[Label(entry.node.name.span, "this fragment has the name")] if is_here else [],
        help=f"write `{_use(word)}`",
        fix=Fix("write `Frag`", (replacement(word.span, _use(word)),), is_safe=False),
    )


def _misspelled(found: MisspelledFrag, resolved: Resolved) -> Diagnostic:
    """Report `Frga Document[1]`; between messages the words cannot be evaluated."""
    content = outline(resolved.parsed.file).parents[found.word]
    is_text = any(place.node is content and place.is_text for place in places(resolved.parsed.file))
    return (warning if is_text else error)(
        "missing-frag",
        f"`{found.word.name}` is no keyword of ACDL",
        Label(found.word.span, "read as content"),
        help=f"did you mean `{_use(found.use)}`?",
        fix=Fix("write `Frag`", (replacement(found.span, _use(found.use)),), is_safe=False),
    )


def _use(word: Symbol | Call | Template) -> str:
    """Return the fragment's use as it should be written: with its arguments in brackets."""
    first = word.parts[0] if word.parts else None
    values = first.values if isinstance(first, Arguments | Index) else ()
    given = f"[{', '.join(written(value) for value in values)}]" if values else ""
    return f"Frag {word.name}{given}"
