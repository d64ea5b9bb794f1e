"""A spec as a self-contained text: the top of its file, the definition, and every fragment that it needs.

Searches lines instead of parsing, because every build asks for the text of every spec to find its files in a cache.
"""

from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.language.syntax.pragmas import front_words, is_for_tools
from acdl_mkdocs.workspace.spec import Spec


@dataclass(frozen=True, slots=True)
class _CommentLine:
    """A line without the comment signs."""

    text: str


def bundle_text(entry: SpecEntry, spec_index: SpecIndex) -> str:
    """Return the text to download for a spec or fragment.

    A setting of the site that changes its meaning comes first: how ranges are read, if the file does not set it.
    The comments at the top of the file follow, because they say how the file is read (`// acdl: ...`) and where
    the spec is from; then the definition with its own comments; then the fragments that it uses and those that they
    use, each with its comments, from any file.
    """
    fragments = list_needed_fragments(entry, spec_index)
    parts = [_range_comment(entry, fragments), _top_comments(entry.spec), with_comments(entry.spec)]
    for fragment in fragments:
        origin = f"// From {' '.join(fragment.file.split())}\n" if fragment.file != entry.file else ""
        parts.append(origin + with_comments(fragment.spec))
    return "\n\n".join(filter(None, parts)) + "\n"


def with_comments(spec: Spec) -> str:
    """Return the definition as written, with the comments directly above it."""
    source = spec.source
    line = source.line_index(spec.span.start)
    lines = source.text[: spec.span.end].split("\n")
    return "\n".join(lines[_first_above(lines, line) :])


def list_needed_fragments(entry: SpecEntry, spec_index: SpecIndex) -> list[SpecEntry]:
    """Return the fragments that a definition uses, directly or not, in the order of use; one of each name."""
    fragments = {entry.spec.name: entry}
    queue = [entry]
    for user in queue:
        for name in user.spec.fragments:
            fragment = spec_index.find_meant(name, user)
            if fragment and name not in fragments:
                fragments[name] = fragment
                queue.append(fragment)
    return queue[1:]


def has_all_fragments(entry: SpecEntry, spec_index: SpecIndex) -> bool:
    """Return whether an index has all fragments that a definition needs, directly or not."""
    known = (entry, *list_needed_fragments(entry, spec_index))
    return all(spec_index.find_meant(name, each) for each in known for name in each.spec.fragments)


def _range_comment(entry: SpecEntry, fragments: Sequence[SpecEntry]) -> str:
    """Return the comment that sets how ranges are read, if there are ranges and it is not the default."""
    is_said = entry.spec.range or entry.range == "half-open"
    has_ranges = any(each.spec.has_ranges for each in (entry, *fragments))
    return "" if is_said or not has_ranges else f"// acdl: range={entry.range}"


def _top_comments(spec: Spec) -> str:
    """Return the comments at the top of the file, as far as they do not belong to its first definition.

    If that has them all, others get its comments for tools.
    """
    lines = spec.source.text[: spec.span.start].split("\n")[:-1]
    end = 0
    while end < len(lines) and (not lines[end].strip() or _is_comment(lines[end])):
        end += 1
    first = _first_above(lines, end)
    top = "\n".join(lines[:first]).strip("\n")
    if top or end == len(lines):
        return top
    return "\n".join(line for line in lines[first:end] if _is_for_tools(line))


def _first_above(lines: Sequence[str], line: int) -> int:
    """Return the index of the first comment directly above a line; that of the line itself if there are none."""
    first = line
    while first and _is_comment(lines[first - 1]):
        first -= 1
    return first


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("//", "/*", "<!--", "*", "#"))


def _is_for_tools(line: str) -> bool:
    comment = _CommentLine(line.strip().lstrip("/#").strip())
    return is_for_tools(comment) or bool(front_words([comment]))
