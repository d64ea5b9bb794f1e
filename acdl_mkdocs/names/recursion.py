"""What is said of a fragment that uses itself, whoever finds it. Knows no state."""

from collections.abc import Sequence

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.syntax.nodes import FragUse


def recursion(use: FragUse, names: Sequence[str], defined: Span) -> Diagnostic:
    """A fragment uses itself.

    Parameters:
        use: The use that closes the cycle.
        names: The fragments of the cycle, from the one that is used on.
        defined: Where that one is defined, or the use itself where that is in another text.
    """
    arrows = " → ".join([*names, names[0]])
    return error(
        "recursive-fragment",
        f"fragment `{use.name.name}` uses itself",
        Label(use.span, "this use never ends"),
        related=[Label(defined, f"the cycle is {arrows}")],
        help="take this `Frag` out, or put what it is for into a loop",
    )
