"""Rule `ambiguous-fragment`: several texts of the site define the fragment that is used here."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.language.names.resolve import Resolved


def ambiguous_fragment(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Frag` that the text does not define and more than one other text does.

    Within one text there is no doubt: its own definition counts.

    ## Why
    A reader who follows the name may end up at the wrong fragment.

    ## Example
    ```acdl
    P[@T]: { U: { Frag Greeting[@T] } }
    ```

    ## Elsewhere
    ```acdl
    StrFrag Greeting[@t]: { HELLO }
    ```

    ```acdl
    StrFrag Greeting[@t]: { GOOD_EVENING }
    ```

    ## Use instead
    ```acdl
    P[@T]: { U: { Frag ChatGreeting[@T] } }
    StrFrag ChatGreeting[@T]: { HELLO }
    ```

    Reference: Language Reference, "Fragments".
    """
    for use, entries in resolved.library_uses.items():
        if len(entries) > 1:
            places = [
                f"{each.source.name}:{each.source.find_place(each.node.name.span.start).line}" for each in entries
            ]
            yield warning(
                "ambiguous-fragment",
                f"`{use.name.name}` is defined in {len(entries)} places",
                Label(use.name.span, f"{', '.join(places[:-1])} or {places[-1]}?"),
                help="give the fragments different names",
            )
