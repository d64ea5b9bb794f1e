"""`listing_of()`: a spec line by line, each with what recorded runs say about it. Knows nothing of how it is shown."""

from collections.abc import Iterator

from acdl_mkdocs.evaluation.evaluate import spec_of
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.traces.check_files import CheckedFiles
from acdl_mkdocs.traces.evidence import LineVerdict
from acdl_mkdocs.traces.lines import definitions_of

_MOST_LINES = 200
"""Lines of a longer spec are shown only around those that are not confirmed, and if these are too many, only around
those that are refuted."""
_AROUND = 2
_TAB = 4
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a spec; or lines that are left out."""

    number: int
    """In its file, from 1."""
    text: str
    """As it can be printed; a long one is cut."""
    verdict: LineVerdict | None
    """`None` where requests can say nothing about it."""
    n_left_out: int = 0
    """How many lines are left out here; there is no text then."""

    @property
    def count(self) -> int:
        """How often it was seen to be so, or not to be so."""
        found = self.verdict
        if found is None:
            return 0
        return {"confirmed": found.n_confirmed, "refuted": found.n_refuted, "uncontrollable": found.n_free}.get(
            found.verdict, 0
        )


@dataclass(frozen=True, slots=True)
class ListedFile:
    """What is listed of a text: the spec, and fragments that it uses."""

    name: str
    lines: tuple[ListedLine, ...]


def listing_of(found: CheckedFiles) -> tuple[ListedFile, ...]:
    """The spec and the fragments that it uses, with what is known of each line."""
    verdicts = {(each.origin.source.name, each.line): each for each in found.checked.lines}
    spans: dict[str, tuple[Source, set[int]]] = {}
    prompt = spec_of(found.resolved, found.checked.spec or None)
    for definition in definitions_of(found.resolved, prompt):
        source = definition.source
        first = source.line_index(definition.node.span.start)
        last = source.line_index(max(definition.node.span.start, definition.node.span.end - 1))
        spans.setdefault(source.name, (source, set()))[1].update(range(first, last + 1))
    listed = []
    for name, (source, indexes) in spans.items():
        lines = [_line(source, idx, verdicts.get((name, source.first_line + idx))) for idx in sorted(indexes)]
        kept = lines if len(lines) <= _MOST_LINES else list(_folded(lines))
        listed.append(ListedFile(visible(name), tuple(_with_gaps(kept))))
    return tuple(listed)


def _line(source: Source, idx: int, verdict: LineVerdict | None) -> ListedLine:
    text = visible(source.line_text(idx)[: 4 * _WIDTH].expandtabs(_TAB)).rstrip()
    return ListedLine(source.first_line + idx, text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…", verdict)


def _with_gaps(lines: list[ListedLine]) -> Iterator[ListedLine]:
    """The lines, and between definitions how many there are of others."""
    expected = lines[0].number if lines else 0
    for line in lines:
        if line.number > expected:
            yield ListedLine(expected, "", None, line.number - expected)
        yield line
        expected = line.number + max(line.n_left_out, 1)


def _folded(lines: list[ListedLine]) -> Iterator[ListedLine]:
    """The lines around those that are not confirmed; how many are left out between them."""
    telling = [
        idx for idx, line in enumerate(lines) if line.verdict is not None and line.verdict.verdict != "confirmed"
    ]
    kept = {near for idx in telling for near in range(idx - _AROUND, idx + _AROUND + 1)} | {0}
    if len(kept) > _MOST_LINES:
        wrong = [
            idx for idx, line in enumerate(lines) if line.verdict is not None and line.verdict.verdict == "refuted"
        ]
        near = [idx + beside for idx in wrong for beside in range(-_AROUND, _AROUND + 1)]
        kept = {0, *near[:_MOST_LINES]}
    n_left_out = 0
    for idx, line in enumerate(lines):
        if idx not in kept:
            n_left_out += 1
            continue
        if n_left_out:
            yield ListedLine(line.number - n_left_out, "", None, n_left_out)
        n_left_out = 0
        yield line
    if n_left_out:
        yield ListedLine(lines[-1].number - n_left_out + 1, "", None, n_left_out)
