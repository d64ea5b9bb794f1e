"""Where the fences of a page stand in the page's own file.

Documentation tools strip front matter, and other plugins change the text, before a page is rendered. Each fence of the
file is found once, and in constant time however many there are.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.language.syntax.host_text import holds_host_text
from acdl_mkdocs.workspace.fences import Fence

_GENERATED = "generated block"


class Places:
    """The fences of a file that have not been found yet."""

    def __init__(self, name: str, fences: Sequence[Fence] | None, language: str) -> None:
        """Index the fences of a language.

        Parameters:
            name: What a person calls the file.
            fences: Those of the file as it is on the disk; `None` if there is none.
            language: The language of the fences that will be looked for.
        """
        self._name = name
        self._has_file = fences is not None
        self._waiting: dict[tuple[str, ...], deque[Fence]] = {}
        self._found: set[int] = set()
        # Tools that draw a block know best whether it is one; a sample in indented code waits behind all others.
        for fence in sorted(fences or (), key=lambda each: each.is_code):
            if fence.language == language:
                header, words = words_of(fence.header), words_of(fence.text)
                changing = [("host text", header, "")] if holds_host_text(fence.text) else []
                for key in ((header, words), (words,), *changing):
                    self._waiting.setdefault(key, deque()).append(fence)

    def find(self, fence: Fence) -> tuple[Fence, str]:
        """The same fence as it stands in the file, and the name to report its places by.

        A fence that is not in the file, because it was generated or its lines were included from elsewhere, keeps
        its text, and its lines are counted from its own first one.
        """
        if not self._has_file:
            return fence, self._name
        header, words = words_of(fence.header), words_of(fence.text)
        placed = self._take((header, words)) or self._take((words,))
        if placed:
            return placed, self._name
        included = self._take(("host text", header, ""))
        where = f"block of line {included.first + 1}, with its snippets" if included else _GENERATED
        return alone(fence), f"{self._name} ({where})"

    def is_generated(self, name: str) -> bool:
        """Whether `find` has given a name to a block because the file does not have it."""
        return name == f"{self._name} ({_GENERATED})"

    def _take(self, key: tuple[str, ...]) -> Fence | None:
        """The first fence of a kind that has not been found before."""
        waiting = self._waiting.get(key, deque())
        while waiting:
            fence = waiting.popleft()
            if fence.first not in self._found:
                self._found.add(fence.first)
                return fence
        return None


def alone(fence: Fence) -> Fence:
    """A block that is in no file that is known: its lines are counted from its own first one."""
    return replace(fence, first=0, end=fence.end - fence.first, prefix="", column=1)


def words_of(text: str) -> str:
    """A text as tools leave it that indent and wrap lines differently."""
    return " ".join(text.split())
