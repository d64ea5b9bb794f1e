"""Which texts may use themselves through others, found from the names in them.

Knows a text as the names that it defines and uses. Which of several texts a name means is not asked: any of them is.
"""

from collections.abc import Collection


class Cycles:
    """Texts that lead back to themselves, and those between two such; grows while texts are read."""

    def __init__(self) -> None:
        """Know no text."""
        self._uses: dict[str, list[str]] = {}
        self._defining: dict[str, list[str]] = {}
        self._found: frozenset[str] | None = None

    def add(self, words: str, defined: Collection[str], used: Collection[str]) -> None:
        """Remember a text. One that defines nothing, or uses nothing of others, is on no way back and is left out."""
        outside = [name for name in used if name not in defined]
        if words in self._uses or not (defined and outside):
            return
        self._uses[words] = outside
        for name in defined:
            self._defining.setdefault(name, []).append(words)
        self._found = None

    def has(self, words: str) -> bool:
        """Whether a text may use itself through others."""
        if words not in self._uses:
            return False
        if self._found is None:
            ways = self._uses | self._defining  # from a text to names, from a name to texts; no name is a text
            self._found = frozenset(_reversed_without_ends(_reversed_without_ends(ways)))
        return words in self._found


def _reversed_without_ends(ways: dict[str, list[str]]) -> dict[str, list[str]]:
    """The ways back between what is left when all that leads nowhere is taken away, again and again."""
    back: dict[str, list[str]] = {}
    for node, targets in ways.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    n_ways = {node: len(ways.get(node, ())) for node in ways | back}
    ends = [node for node, number in n_ways.items() if not number]
    while ends:
        for node in back.get(ends.pop(), ()):
            n_ways[node] -= 1
            if not n_ways[node]:
                ends.append(node)
    return {node: [each for each in back.get(node, ()) if n_ways[each]] for node, number in n_ways.items() if number}
