"""Change the text of a state file for a spec that reads other names: rename values, or add those that it lacks.

Everything else keeps its bytes. Only block style is understood, as `acdl infer` and `acdl state new` write it; in other
files nothing is found.
"""

from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass

_KEY = compile_later(r"(?P<indent> *)(?P<key>[\w.-]+):(?P<rest>| .*)$")
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Entry:
    """A key with what it holds."""

    path: tuple[str, ...]
    start: int
    """Index of its line."""
    end: int
    """Index of the first line after it."""
    is_map: bool
    """Whether it holds keys on lines of their own."""

    @property
    def name(self) -> str:
        """The name by which a spec reads it: `env.question`, `INSTRUCTIONS`."""
        path = self.path[1:] if self.path[0] == "templates" else [each for each in self.path if not each.isdigit()]
        return ".".join(each for each in path if each != "steps")


def rename_values(text: str, names: Mapping[str, str]) -> str:
    """Return a state whose values and templates have other names.

    Parameters:
        text: The state, as `acdl infer` writes it.
        names: The new names of values, as `env.question`, and of templates.
    """
    lines = text.split("\n")
    for entry in sorted(_list_entries(lines), key=lambda each: -each.start):
        old, new = entry.name.split("."), names.get(entry.name, entry.name).split(".")
        if old == new or new[: len(old) - 1] != old[:-1]:
            continue
        indent, rest = lines[entry.start].split(old[-1], 1)
        heads = [indent + _INDENT * depth + key + ":" for depth, key in enumerate(new[len(old) - 1 :])]
        deeper = _INDENT * (len(heads) - 1)
        inner = [deeper + each if each else each for each in lines[entry.start + 1 : entry.end]]
        lines[entry.start : entry.end] = [*heads[:-1], heads[-1] + rest.removeprefix(":"), *inner]
    return "\n".join(lines)


def add_missing_values(text: str, other: str) -> str:
    """Return a state with the values and templates that only another one has.

    Parameters:
        text: The state, whose lines stay.
        other: The other one, as `acdl infer` writes it.
    """
    lines, others = text.split("\n"), other.split("\n")
    missing: list[tuple[int, list[str]]] = []
    entries = {each.path: each for each in _list_entries(lines)}
    for entry in _list_entries(others):
        parent = entries.get(entry.path[:-1])
        is_section = len(entry.path) == 1 and entry.path[0] in ("templates", "env", "sys", "resp", "steps")
        if entry.path in entries or not (is_section or (parent is not None and parent.is_map)):
            continue
        end = len("\n".join(lines).rstrip().split("\n")) if parent is None else parent.end
        missing.insert(0, (end, others[entry.start : entry.end]))
    for end, added in sorted(missing, key=lambda each: each[0], reverse=True):
        lines[end:end] = added
    return "\n".join(lines)


def _list_entries(lines: Sequence[str]) -> Iterator[_Entry]:
    """Yield the entries of a file, outer ones first."""
    heads = [(at, found) for at, line in enumerate(lines) if (found := _KEY.match(line))]
    path: list[tuple[int, str]] = []
    block_indent: int | None = None
    for number, (at, found) in enumerate(heads):
        indent = len(found["indent"])
        if block_indent is not None and indent > block_indent:
            continue  # the text of a value
        while path and path[-1][0] >= indent:
            path.pop()
        path.append((indent, found["key"]))
        value = found["rest"].split(" #", 1)[0].strip()
        block_indent = indent if value else None
        later = (each for each in range(at + 1, len(lines)) if lines[each].strip())
        end = next((each for each in later if _indent_of(lines[each]) <= indent), len(lines))
        while not lines[end - 1].strip():
            end -= 1
        is_map = not value and number + 1 < len(heads) and heads[number + 1][0] < end
        yield _Entry(tuple(key for _, key in path), at, end, is_map)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
