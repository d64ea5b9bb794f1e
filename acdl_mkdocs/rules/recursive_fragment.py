"""Rule `recursive-fragment`: a fragment uses itself."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import Fragment, FragUse, walk


def recursive_fragment(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every cycle of fragments that use each other, once, at the use that closes it.

    ## Why
    A fragment is replaced by its body; a cycle would never end.

    ## Example
    ```acdl
    P[@T]: { U: { Frag Outer[@T] } }
    StrFrag Outer[@t]: { Frag Inner[@t] }
    StrFrag Inner[@t]: { Frag Outer[@t] }
    ```

    ## Use instead
    ```acdl
    P[@T]: { U: { Frag Outer[@T] } }
    StrFrag Outer[@t]: { Frag Inner[@t] }
    StrFrag Inner[@t]: { env.note[@t] }
    ```

    Reference: Language Reference, "Fragments".
    """
    uses: dict[str, list[FragUse]] = {}
    fragments = resolved.fragments
    for name, fragment in fragments.items():
        uses[name] = [node for node in walk(fragment) if isinstance(node, FragUse) and node in resolved.bindings]
    finished: set[str] = set()
    for start in uses:
        yield from _cycles(start, uses, finished, fragments)


def _cycles(
    start: str, uses: dict[str, list[FragUse]], finished: set[str], fragments: dict[str, Fragment]
) -> Iterator[Diagnostic]:
    """Depth-first search without recursion: `path` is the chain of fragments from `start`."""
    path = [start]
    waiting = [iter(uses[start] if start not in finished else ())]
    while waiting:
        use = next(waiting[-1], None)
        if use is None:
            waiting.pop()
            finished.add(path.pop())
        elif use.name.name in path:
            chain = [*path[path.index(use.name.name) :], use.name.name]
            yield error(
                "recursive-fragment",
                f"fragment `{use.name.name}` uses itself",
                Label(use.span, "this use never ends"),
                related=[Label(fragments[use.name.name].name.span, f"the cycle is {' → '.join(chain)}")],
                help="take this `Frag` out, or put what it is for into a loop",
            )
        elif use.name.name not in finished:
            path.append(use.name.name)
            waiting.append(iter(uses[use.name.name]))
