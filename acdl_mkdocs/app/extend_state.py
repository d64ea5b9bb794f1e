"""Change the text of a state file: rename values, add those that it lacks, or move long texts to files.

Everything else keeps its bytes. Only block style is understood, as `acdl infer` and `acdl state new` write it; in other
files nothing is found.
"""

from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, format_map

_KEY = compile_later(r"(?P<indent> *)(?P<key>[\w.-]+):(?P<rest>| .*)$")
_INDENT = "  "
_LEAST_LONG = 400
"""Characters of a text that is better read in a file."""


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


def move_long_texts(text: str, folder: str, taken: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a state whose long templates are in files, and these files: their texts by their paths.

    Parameters:
        text: The state, as `acdl infer` writes it.
        folder: The folder of the files, as the state names it.
        taken: Files that there are already; one with the same text is named again.
    """
    state = read_state(text).state
    lines = text.split("\n")
    files = dict(taken)
    for entry in sorted(_list_entries(lines), key=lambda each: -each.start):
        template = state.templates.get(entry.path[-1]) if state is not None else None
        if template is None or entry.path[:-1] != ("templates",) or not _is_for_a_file(template.text):
            continue
        path = f"{folder}/{entry.path[-1]}.txt"
        while files.get(path, template.text) != template.text:
            path = path.removesuffix(".txt") + "_.txt"
        files[path] = template.text
        params = [CommentedValue(each) for each in template.params or ()]
        fields = {**({"params": CommentedValue(params)} if params else {}), "file": CommentedValue(path)}
        lines[entry.start : entry.end] = [
            _INDENT + each for each in format_map({entry.path[-1]: CommentedValue(fields)})
        ]
    return "\n".join(lines), files


def _is_for_a_file(text: str) -> bool:
    """Return whether a text is long, and the same if it is read from a file."""
    return len(text) >= _LEAST_LONG and text[0] != "\ufeff" and not {"\r", "\0"} & set(text)


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
