"""`NamedValues`: the place of `sys.tool[@2.1].answer` of a spec in a sample state. Knows no recordings."""

import json
import re
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map
from acdl_mkdocs.language.syntax.nodes import NAMESPACES

_STEPS = re.compile(r"\.(?P<field>[^\s.\[\](),]+)|\[(?P<index>[^\[\]]*)\]")
_TIME = re.compile(r"@(\d{1,9}(?:\.\d{1,9}){0,7})")
_TEMPLATE = re.compile(r"[A-Z][A-Za-z0-9_]*")
_CALLED = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\((?P<args>.*)\)", re.DOTALL)
_WORD = re.compile(r"[^\s@\[\]()]+")
_POSITION = "#"
"""Marks a key that is a position in a list."""
_NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(slots=True)
class _Node:
    """A value of the state, and the values inside it."""

    own: CommentedValue | None = None
    below: "dict[str, _Node]" = field(default_factory=dict)

    def get_node(self, *keys: str) -> "_Node":
        """Return the value below some keys."""
        node = self
        for key in keys:
            node = node.below.setdefault(key, _Node())
        return node

    def build_leaf(self) -> CommentedValue:
        """Return the value as it is written."""
        if not self.below:
            return self.own or CommentedValue({})
        inside = {key: each.build_leaf() for key, each in self.below.items()}
        if self.own is not None:
            return CommentedValue({"$value": self.own, **inside})
        numbers = [str(number) for number in range(1, len(inside) + 1)]
        return (
            CommentedValue([inside[each] for each in numbers])
            if list(inside) == ["#" + each for each in numbers]
            else CommentedValue(inside)
        )


def _remove_id(leaf: CommentedValue) -> CommentedValue:
    """Return a result without its call: a function gives the same result for equal arguments in every call.

    If only words are left, return these words, which the function may also return elsewhere.
    """
    result = leaf.value.get("$result") if isinstance(leaf.value, dict) else None
    if result is None or not isinstance(result.value, dict):
        return leaf
    left = {key: each for key, each in result.value.items() if key not in ("id", "name")}
    content = left.get("content")
    if content is not None and len(left) == 1 and isinstance(content.value, str):
        return CommentedValue(content.value, leaf.comment)
    return CommentedValue({"$result": CommentedValue(left)}, leaf.comment)


def _list_lower_values(leaf: CommentedValue) -> list[CommentedValue]:
    return list(leaf.value.values()) if isinstance(leaf.value, dict) else []


@dataclass(slots=True)
class NamedValues:
    """The sections of a state, filled name by name."""

    root: _Node = field(default_factory=_Node)
    templates: dict[str, dict[str, CommentedValue]] = field(default_factory=dict)
    """By name, then by arguments."""
    functions: dict[str, dict[str, CommentedValue]] = field(default_factory=dict)

    def add_value(self, name: str, leaf: CommentedValue, *, is_template: bool) -> bool:
        """Add a value under its name; return whether a state file has a place for it."""
        called = _CALLED.fullmatch(name)
        if is_template:
            bare = called["name"] if called else name
            if not _TEMPLATE.fullmatch(bare) or not isinstance(leaf.value, str):
                return False
            self.templates.setdefault(bare, {})[called["args"] if called else ""] = leaf
            return True
        if called:
            self.functions.setdefault(called["name"], {})[called["args"]] = _remove_id(leaf)
            return True
        path = find_path(name)
        if path is None:
            return False
        self.root.get_node(*path).own = leaf
        return True

    def add_step(self, step: tuple[int, ...]) -> None:
        """Add a step or sub-step, even if nothing is known about it."""
        if step and min(step) > 0:
            self.root.get_node(*_list_rows(step))

    # ---------------------------------------------------------------------------------------------------------- written

    def build_sections(self) -> Map:
        """Return the sections of the state file in reading order."""
        sections: Map = {}
        if self.templates:
            sections["templates"] = CommentedValue(
                {name: _make_template(texts) for name, texts in self.templates.items()}
            )
        if self.functions:
            samples = {name: _make_samples(results) for name, results in self.functions.items()}
            sections["functions"] = CommentedValue({name: leaf for name, leaf in samples.items() if leaf is not None})
        for name in ("sys", "env", "resp", "agents", "steps"):
            if name in self.root.below:
                sections[name] = _sort_steps(self.root.below[name]).build_leaf()
        return sections

    @property
    def ambiguous_names(self) -> list[str]:
        """Templates and functions with one text for several arguments, or with unknown arguments."""
        templates = [name for name, texts in self.templates.items() if _make_slotted_text(texts) is None]
        return [*templates, *(name for name, results in self.functions.items() if _make_samples(results) is None)]


def _sort_steps(node: _Node) -> _Node:
    """Sort steps by number; the values of a step come before its sub-steps."""

    def rank(key: str) -> tuple[int, int, str]:
        if _NUMBER.fullmatch(key):
            return (0, int(key), key)
        return (1, NAMESPACES.index(key) if key in NAMESPACES else 99 if key == "substeps" else 0, "")

    return _Node(node.own, {key: _sort_steps(node.below[key]) for key in sorted(node.below, key=rank)})


def find_path(name: str) -> list[str] | None:
    """Return the path of a reference in the state file: `steps`, `2`, `substeps`, `1`, `sys`, `tool`, `answer`."""
    namespace = re.split(r"[.\[]", name, maxsplit=1)[0]
    steps = list(_STEPS.finditer(name, len(namespace)))
    if namespace not in NAMESPACES or "".join(each[0] for each in steps) != name[len(namespace) :] or not steps:
        return None
    prefix: list[str] = []
    agent = steps[0]["index"]
    if agent is not None and _WORD.fullmatch(agent):
        prefix, steps = ["agents", agent], steps[1:]
    parts = [part for each in steps for part in (each["index"] or f".{each['field']}").split(", ")]
    times = {_drop_trailing_zeros(match[1]) for match in map(_TIME.fullmatch, parts) if match}
    keys = [_find_key(part) for part in parts if not _TIME.fullmatch(part)]
    path_keys = [key for key in keys if key is not None]
    if len(path_keys) != len(keys) or not keys or len(times) > 1:
        return None
    time = next(iter(times), None)
    if time is not None and min(time) < 1:
        return [*prefix, namespace, *path_keys, ".".join(map(str, time))]
    return [*prefix, *(_list_rows(time) if time else ()), namespace, *path_keys]


def _find_key(part: str) -> str | None:
    """Return the key of a field or an index that is not a time."""
    if part.startswith("."):
        return part[1:]
    if _NUMBER.fullmatch(part):
        return f"{_POSITION}{part}"
    return part if _WORD.fullmatch(part) else None


def _drop_trailing_zeros(text: str) -> tuple[int, ...]:
    parts = tuple(map(int, text.split(".")))
    while len(parts) > 1 and parts[-1] == 0:
        parts = parts[:-1]
    return parts


def _list_rows(step: tuple[int, ...]) -> list[str]:
    return [word for at, number in enumerate(step) for word in ("substeps" if at else "steps", str(number))]


def _read_arguments(text: str) -> list[object] | None:
    """Return the values of arguments from their text in names."""
    try:
        arguments = json.loads(f"[{re.sub(_TIME, _quote_time, text)}]")
    except ValueError:
        return None
    return list(arguments)


def _quote_time(match: re.Match[str]) -> str:
    return json.dumps(match[1]) if "." in match[1] else match[1]


def _make_template(texts: dict[str, CommentedValue]) -> CommentedValue:
    """Return a template: its text alone, or with names of its arguments."""
    args, leaf = next(iter(texts.items()))
    n_args = _count_arguments(args)
    text, comment = _make_slotted_text(texts) or str(leaf.value), leaf.comment
    if not n_args:
        return CommentedValue(text, comment)
    names = [CommentedValue(f"p{number}") for number in range(1, n_args + 1)]
    return CommentedValue({"params": CommentedValue(names), "text": CommentedValue(text, comment)})


def _count_arguments(text: str) -> int:
    if not text:
        return 0
    arguments = _read_arguments(text)
    return text.count(", ") + 1 if arguments is None else len(arguments)


def _make_slotted_text(texts: dict[str, CommentedValue]) -> str | None:
    """Return the text of a template for all arguments with which it was sent; `None` if there is no such text."""
    slotted: set[str] = set()
    for args, leaf in texts.items():
        text = str(leaf.value)
        if len(texts) > 1:
            for number, value in enumerate(_read_arguments(args) or (), 1):
                spelled = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                text = text.replace(spelled, f"{{{{p{number}}}}}") if spelled else text
        slotted.add(text)
    return slotted.pop() if len({str(leaf.value) for leaf in texts.values()}) == 1 or len(slotted) == 1 else None


def _make_samples(results: dict[str, CommentedValue]) -> CommentedValue | None:
    """Return the results of a function for its arguments; `None` if the arguments are not known."""
    if len({str(leaf.value) for leaf in results.values()}) == 1:
        return CommentedValue([CommentedValue({"returns": next(iter(results.values()))})])
    samples: list[CommentedValue] = []
    read = [(_read_arguments(text), leaf) for text, leaf in results.items()]
    plain_results = {str(leaf.value) for args, leaf in read if args is not None}
    for args, leaf in read:
        if args is None and str(leaf.value) in plain_results:
            continue  # found before the state had the values of its arguments
        if args is None:
            return None
        samples.append(CommentedValue({"args": CommentedValue([_to_leaf(each) for each in args]), "returns": leaf}))
    return CommentedValue(samples)


def _to_leaf(value: object) -> CommentedValue:
    if isinstance(value, dict):
        return CommentedValue({str(key): _to_leaf(each) for key, each in value.items()})
    if isinstance(value, list):
        return CommentedValue([_to_leaf(each) for each in value])
    return CommentedValue(value if isinstance(value, (str, int, float, bool)) else None)
