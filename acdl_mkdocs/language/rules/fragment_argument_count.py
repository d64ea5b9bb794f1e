"""Rule `fragment-argument-count`: a `Frag` gives more or fewer arguments than its fragment takes."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.language.names.library import LibraryEntry
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Arguments, Fragment, FragUse, Index
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


def fragment_argument_count(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Frag` whose number of arguments differs from the parameters of its fragment.

    ## Why
    A parameter without an argument has no value, and an argument without a parameter is lost.

    ## Example
    ```acdl
    P[@T]: { U: { Frag Greeting } }
    StrFrag Greeting[@t]: { HELLO(env.name[@t]) }
    ```

    ## Use instead
    ```acdl
    P[@T]: { U: { Frag Greeting[@T] } }
    StrFrag Greeting[@t]: { HELLO(env.name[@t]) }
    ```

    Reference: Language Reference, "Fragment Parameters and Invocation".
    """
    for use in build_outline(resolved.parsed.file).nodes_of(FragUse):
        n_arguments = sum(len(part.values) for part in use.parts if isinstance(part, (Index, Arguments)))
        entry = resolved.fragment_of(use, resolved.source)
        if entry is not None and isinstance(entry.node, Fragment) and n_arguments != len(entry.node.parameters):
            yield _report_count(use, n_arguments, entry, entry.node, resolved)


def _report_count(
    use: FragUse, n_arguments: int, entry: LibraryEntry, fragment: Fragment, resolved: Resolved
) -> Diagnostic:
    n_taken = len(fragment.parameters)
    is_here = entry.source is resolved.source
    defined = f"defined with {_count_arguments(n_taken)}"
    place = f"{entry.source.name}:{entry.source.find_place(fragment.name.span.start).line}"
    return error(
        "fragment-argument-count",
        f"`{use.name.name}` takes {_count_arguments(n_taken)}, not {n_arguments}",
        Label(use.span, f"gives {_count_arguments(n_arguments)}" + ("" if is_here else f"; {defined} in {place}")),
        related=[Label(fragment.name.span, defined)] if is_here else [],
        help=f"write `Frag {_format_header(fragment)}`" + (" with your values" if n_taken else ""),
    )


def _count_arguments(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"


def _format_header(fragment: Fragment) -> str:
    """Name and parameters of a fragment as they should be written."""
    written = ", ".join(text_of(words_of(parameter, WRITTEN)) for parameter in fragment.parameters)
    return f"{fragment.name.name}[{written}]" if written else fragment.name.name
