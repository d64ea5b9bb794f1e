"""Rule `missing-frag`: a fragment is named without the word `Frag` before it."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import is_header, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.edits import replacement, written
from acdl_mkdocs.syntax.nodes import Arguments, Call, Content, Index, Symbol, Template


def missing_frag(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report content that is spelled like a fragment of the text, without `Frag`.

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
    tree, fragments = outline(resolved.parsed.file), resolved.fragments
    words: list[Symbol | Call | Template] = [*tree.of(Symbol), *tree.of(Call), *tree.of(Template)]
    for word in words if fragments else ():
        fragment = fragments.get(word.name)
        is_content = isinstance(tree.parents.get(word), Content) and word not in resolved.bindings
        if fragment is not None and is_content and not is_header(word, tree):
            yield warning(
                "missing-frag",
                f"`{word.name}` is a fragment, and `Frag` is missing before it",
                Label(word.span, "read as something else of that name"),
                related=[Label(fragment.name.span, "this fragment has the name")],
                help=f"write `{_use(word)}`",
                fix=Fix("write `Frag`", (replacement(word.span, _use(word)),), is_safe=False),
            )


def _use(word: Symbol | Call | Template) -> str:
    """The fragment as it is used: arguments stand in brackets."""
    first = word.parts[0] if word.parts else None
    values = first.values if isinstance(first, Arguments | Index) else ()
    given = f"[{', '.join(written(value) for value in values)}]" if values else ""
    return f"Frag {word.name}{given}"
