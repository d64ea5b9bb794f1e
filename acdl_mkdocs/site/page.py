"""A page while its blocks are drawn: its name and file, the settings, and what must be unique on it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from acdl_mkdocs.diagnostics import Severity
from acdl_mkdocs.site.cache import PageCache
from acdl_mkdocs.site.fences import Fence, scan
from acdl_mkdocs.site.options import BlockOptions


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all blocks of a site."""

    defaults: BlockOptions = field(default_factory=BlockOptions)
    """Options of a block whose header does not mention them."""
    show_warnings: bool = False
    """Whether a page shows warnings and notes too, not only errors."""
    rule_url: str = ""
    """Address of the page that explains a rule, with `{rule}` in the place of its name."""
    source_url: str = ""
    """Address of the repository's files: comments such as `// <- agent.py:40` become links to them."""


def report_nowhere(severity: Severity, line: str) -> None:
    """Say nothing: for a page whose problems are only shown in it."""
    del severity, line


@dataclass(slots=True, kw_only=True)
class Page:
    """One page. Lives as long as one rendering of it."""

    name: str = "<text>"
    """What a person calls its file: `docs/agents.md`."""
    text: str | None = None
    """The file as it is on the disk, front matter included; `None` if the page has no file."""
    root: Path = field(default_factory=Path)
    """The project's folder, for `src`."""
    settings: Settings = field(default_factory=Settings)
    report: Callable[[Severity, str], None] = report_nowhere
    """Where one line for each diagnostic goes."""
    cache: PageCache | None = None
    used_ids: set[str] = field(default_factory=set)
    """Every `id` that blocks of this page have taken."""
    files: set[Path] = field(default_factory=set)
    """Files that blocks of this page were drawn from, or looked for."""
    _unplaced: list[Fence] | None = None

    def locate(self, fence: Fence) -> tuple[Fence, str]:
        """The same fence as it stands in the page's own file, and the name to report its places by.

        Documentation tools strip front matter, and other plugins change the text, before the page is rendered. A
        fence that is not in the file, because it was generated or its lines were included from elsewhere, keeps
        its text, and its lines are counted from its own first one.
        """
        if self.text is None:
            return fence, self.name
        if self._unplaced is None:
            self._unplaced = [each for each in scan(self.text.split("\n")) if each.language == fence.language]
        header, words = fence.header.split(), fence.text.split()
        alike = [each for each in self._unplaced if each.text.split() == words]
        found = next((each for each in alike if each.header.split() == header), alike[0] if alike else None)
        if found:
            self._unplaced = [each for each in self._unplaced if each is not found]
            return found, self.name
        return self._locate_changed(fence, header)

    def _locate_changed(self, fence: Fence, header: list[str]) -> tuple[Fence, str]:
        """A fence whose lines are not those of the file: say which block it is, and count from its first line."""
        for each in self._unplaced or ():
            if each.header.split() == header and "--8<--" in each.text:
                self._unplaced = [other for other in self._unplaced or () if other is not each]
                return _at_its_own_start(fence), f"{self.name} (block of line {each.first + 1}, with its snippets)"
        return _at_its_own_start(fence), f"{self.name} (generated block)"

    def names(self, base: str) -> Iterator[str]:
        """Ids for a figure, best first: `base`, `base-2`, `base-3` and so on, without those that are taken."""
        number = 1
        while True:
            name = base if number == 1 else f"{base}-{number}"
            if name not in self.used_ids:
                yield name
            number += 1


def _at_its_own_start(fence: Fence) -> Fence:
    """The fence as if it stood alone in a file, at the left edge."""
    return replace(fence, first=0, end=fence.end - fence.first, prefix="", column=1)
