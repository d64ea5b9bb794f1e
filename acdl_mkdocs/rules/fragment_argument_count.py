"""Rule `fragment-argument-count`: a `Frag` gives more or fewer arguments than its fragment takes."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import Arguments, Fragment, FragUse, Index
from acdl_mkdocs.syntax.words import WRITTEN, text_of, words_of


def fragment_argument_count(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Frag` whose number of arguments differs from the parameters of its fragment.

    ## Why
    A parameter without an argument stands for nothing, and an argument without a parameter is lost.

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
    for use, fragment in resolved.bindings.items():
        if not isinstance(use, FragUse) or not isinstance(fragment, Fragment):
            continue
        n_given = sum(len(part.values) for part in use.parts if isinstance(part, Index | Arguments))
        n_taken = len(fragment.parameters)
        if n_given != n_taken:
            yield error(
                "fragment-argument-count",
                f"`{use.name.name}` takes {_counted(n_taken)}, not {n_given}",
                Label(use.span, f"gives {_counted(n_given)}"),
                related=[Label(fragment.name.span, f"defined with {_counted(n_taken)}")],
                help=f"write `Frag {_header(fragment)}`" + (" with your values" if n_taken else ""),
            )


def _counted(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"


def _header(fragment: Fragment) -> str:
    """Name and parameters of a fragment as they should be written."""
    written = ", ".join(text_of(words_of(parameter, WRITTEN)) for parameter in fragment.parameters)
    return f"{fragment.name.name}[{written}]" if written else fragment.name.name
