"""Rule `recursive-fragment`: a fragment uses itself."""

from collections.abc import Iterator
from functools import lru_cache

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.library import report_recursion
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Fragment, FragUse, walk


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
    finished: set[Fragment] = set()
    for fragment in resolved.fragments.values():
        yield from _find_cycles(fragment, resolved, finished)


@dataclass(slots=True)
class _PathStep:
    """A fragment on the path, with its text."""

    fragment: Fragment
    source: Source
    uses: Iterator[FragUse]
    use: FragUse | None = None
    """The use by which the path continues."""


def _find_cycles(start: Fragment, resolved: Resolved, finished: set[Fragment]) -> Iterator[Diagnostic]:
    """Search for cycles depth-first, without recursion; `path` is the chain of fragments from `start`, across texts."""
    path = [_PathStep(start, resolved.source, iter(_fragment_uses(start)))] if start not in finished else []
    places = {start: 0}
    while path:
        last = path[-1]
        last.use = next(last.uses, None)
        if last.use is None:
            finished.add(path.pop().fragment)
            del places[last.fragment]
            continue
        entry = resolved.fragment_of(last.use, last.source)
        if entry is None or not isinstance(entry.node, Fragment) or entry.node in finished:
            continue
        if entry.node in places:
            yield from _report_cycle(path[places[entry.node] :], resolved.source)
        else:
            places[entry.node] = len(path)
            path.append(_PathStep(entry.node, entry.source, iter(_fragment_uses(entry.node))))


def _report_cycle(steps: list[_PathStep], source: Source) -> Iterator[Diagnostic]:
    """Report a cycle at its last use in the text itself, if it has any there."""
    own_uses = [(idx, step.use) for idx, step in enumerate(steps) if step.source is source and step.use is not None]
    if not own_uses:
        return
    idx, use = own_uses[-1]
    after = steps[(idx + 1) % len(steps)]
    names = [step.fragment.name.name for step in (*steps[idx + 1 :], *steps[: idx + 1])]
    yield report_recursion(use, names, after.fragment.name.span if after.source is source else use.span)


@lru_cache(maxsize=4096)  # called for each text on a long cycle
def _fragment_uses(fragment: Fragment) -> tuple[FragUse, ...]:
    return tuple(node for node in walk(fragment) if isinstance(node, FragUse))
