"""`put()`: values in the place of the placeholders of a state that is written. Does not know where they are from."""

from collections.abc import Mapping, Sequence

from acdl_mkdocs.foundation.yaml.write import Leaf, Map


def put(entries: Map, found: Mapping[str, Sequence[Leaf]]) -> None:
    """Put what was found in the place of placeholders, and write the elements of lists as often as needed.

    Parameters:
        entries: The sections of the state, which are changed.
        found: Values by path; several where the path is in an element of a list, one for each element.
    """
    for name, leaf in entries.items():
        entries[name] = _with(leaf, found, name)


def _with(leaf: Leaf, found: Mapping[str, Sequence[Leaf]], path: str, at: int = 0) -> Leaf:
    """A value with what was found for it, or for what is in it; `at` is the number of the element around it."""
    mine = found.get(path, ())
    if isinstance(leaf.value, list):
        n_elements = max((len(each) for key, each in found.items() if key.startswith(f"{path}.1")), default=0)
        if n_elements and len(leaf.value) == 1:
            return Leaf([_with(leaf.value[0], found, f"{path}.1", each) for each in range(n_elements)], leaf.comment)
        elements = [_with(each, found, f"{path}.{number}") for number, each in enumerate(leaf.value, 1)]
        return Leaf(elements, leaf.comment)
    if isinstance(leaf.value, dict):
        return Leaf({name: _with(each, found, f"{path}.{name}", at) for name, each in leaf.value.items()}, leaf.comment)
    return Leaf(mine[min(at, len(mine) - 1)].value, leaf.comment) if mine else leaf
