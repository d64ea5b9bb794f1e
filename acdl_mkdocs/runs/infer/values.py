"""`NamedValues`: the place of `sys.tool[@2.1].answer` of a spec in a sample state. Knows no recordings."""

import json
import re
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import Leaf, Map
from acdl_mkdocs.language.syntax.nodes import NAMESPACES

_STEPS = re.compile(r"\.(?P<field>[^\s.\[\](),]+)|\[(?P<index>[^\[\]]*)\]")
_TIME = re.compile(r"@(\d{1,9}(?:\.\d{1,9}){0,7})")
_TEMPLATE = re.compile(r"[A-Z][A-Za-z0-9_]*")
_CALLED = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\((?P<args>.*)\)", re.DOTALL)
_WORD = re.compile(r"[^\s@\[\]()]+")
_POSITION = "#"
"""Before a key that is a place in a list."""
_NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(slots=True)
class _Node:
    """A value of the state, and the values inside it."""

    own: Leaf | None = None
    below: "dict[str, _Node]" = field(default_factory=dict)

    def at(self, *keys: str) -> "_Node":
        """Return the value below some keys."""
        node = self
        for key in keys:
            node = node.below.setdefault(key, _Node())
        return node

    def leaf(self) -> Leaf:
        """Return the value as it is written."""
        if not self.below:
            return self.own or Leaf({})
        inside = {key: each.leaf() for key, each in self.below.items()}
        if self.own is not None:
            return Leaf({"$value": self.own, **inside})
        numbers = [str(number) for number in range(1, len(inside) + 1)]
        return (
            Leaf([inside[each] for each in numbers])
            if list(inside) == ["#" + each for each in numbers]
            else Leaf(inside)
        )


def _without_id(leaf: Leaf) -> Leaf:
    """Return a result without its call: a function gives the same result for equal arguments in every call.

    Where nothing is left but words, it is these words, which the function may also give elsewhere.
    """
    result = leaf.value.get("$result") if isinstance(leaf.value, dict) else None
    if result is None or not isinstance(result.value, dict):
        return leaf
    left = {key: each for key, each in result.value.items() if key not in ("id", "name")}
    content = left.get("content")
    if content is not None and len(left) == 1 and isinstance(content.value, str):
        return Leaf(content.value, leaf.comment)
    return Leaf({"$result": Leaf(left)}, leaf.comment)


def _below(leaf: Leaf) -> list[Leaf]:
    return list(leaf.value.values()) if isinstance(leaf.value, dict) else []


@dataclass(slots=True)
class NamedValues:
    """The sections of a state, filled name by name."""

    root: _Node = field(default_factory=_Node)
    templates: dict[str, dict[str, Leaf]] = field(default_factory=dict)
    """By name, then by arguments."""
    functions: dict[str, dict[str, Leaf]] = field(default_factory=dict)

    def put(self, name: str, leaf: Leaf, *, is_template: bool) -> bool:
        """Add a value under its name; return whether a state file has a place for it."""
        called = _CALLED.fullmatch(name)
        if is_template:
            bare = called["name"] if called else name
            if not _TEMPLATE.fullmatch(bare) or not isinstance(leaf.value, str):
                return False
            self.templates.setdefault(bare, {})[called["args"] if called else ""] = leaf
            return True
        if called:
            self.functions.setdefault(called["name"], {})[called["args"]] = _without_id(leaf)
            return True
        path = path_of(name)
        if path is None:
            return False
        self.root.at(*path).own = leaf
        return True

    def count(self, step: tuple[int, ...]) -> None:
        """Add a step or sub-step, even if nothing is known about it."""
        if step and min(step) > 0:
            self.root.at(*_rows(step))

    # ---------------------------------------------------------------------------------------------------------- written

    def sections(self) -> Map:
        """Return the sections of the state file in reading order."""
        found: Map = {}
        if self.templates:
            found["templates"] = Leaf({name: _template(texts) for name, texts in self.templates.items()})
        if self.functions:
            samples = {name: _samples(given) for name, given in self.functions.items()}
            found["functions"] = Leaf({name: leaf for name, leaf in samples.items() if leaf is not None})
        for name in ("sys", "env", "resp", "agents", "steps"):
            if name in self.root.below:
                found[name] = _in_order(self.root.below[name]).leaf()
        return found

    @property
    def unplaced(self) -> list[str]:
        """Templates and functions with one text for several arguments, or with unknown arguments."""
        templates = [name for name, texts in self.templates.items() if _slotted(texts) is None]
        return [*templates, *(name for name, given in self.functions.items() if _samples(given) is None)]


def _in_order(node: _Node) -> _Node:
    """Sort steps by number; the values of a step come before its sub-steps."""

    def rank(key: str) -> tuple[int, int, str]:
        if _NUMBER.fullmatch(key):
            return (0, int(key), key)
        return (1, NAMESPACES.index(key) if key in NAMESPACES else 99 if key == "substeps" else 0, "")

    return _Node(node.own, {key: _in_order(node.below[key]) for key in sorted(node.below, key=rank)})


def path_of(name: str) -> list[str] | None:
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
    times = {_significant(found[1]) for found in map(_TIME.fullmatch, parts) if found}
    keys = [_key(part) for part in parts if not _TIME.fullmatch(part)]
    known = [key for key in keys if key is not None]
    if len(known) != len(keys) or not keys or len(times) > 1:
        return None
    time = next(iter(times), None)
    if time is not None and min(time) < 1:
        return [*prefix, namespace, *known, ".".join(map(str, time))]
    return [*prefix, *(_rows(time) if time else ()), namespace, *known]


def _key(part: str) -> str | None:
    """Return the key of a field or an index that is not a time."""
    if part.startswith("."):
        return part[1:]
    if _NUMBER.fullmatch(part):
        return f"{_POSITION}{part}"
    return part if _WORD.fullmatch(part) else None


def _significant(text: str) -> tuple[int, ...]:
    parts = tuple(map(int, text.split(".")))
    while len(parts) > 1 and parts[-1] == 0:
        parts = parts[:-1]
    return parts


def _rows(step: tuple[int, ...]) -> list[str]:
    return [word for at, number in enumerate(step) for word in ("substeps" if at else "steps", str(number))]


def _arguments(text: str) -> list[object] | None:
    """Return the values of arguments from their text in names."""
    try:
        found = json.loads(f"[{re.sub(_TIME, _quoted_time, text)}]")
    except ValueError:
        return None
    return list(found)


def _quoted_time(found: re.Match[str]) -> str:
    return json.dumps(found[1]) if "." in found[1] else found[1]


def _template(texts: dict[str, Leaf]) -> Leaf:
    """Return a template: its text alone, or with names of its arguments."""
    args, leaf = next(iter(texts.items()))
    n_args = _n_arguments(args)
    text, comment = _slotted(texts) or str(leaf.value), leaf.comment
    if not n_args:
        return Leaf(text, comment)
    names = [Leaf(f"p{number}") for number in range(1, n_args + 1)]
    return Leaf({"params": Leaf(names), "text": Leaf(text, comment)})


def _n_arguments(text: str) -> int:
    if not text:
        return 0
    given = _arguments(text)
    return text.count(", ") + 1 if given is None else len(given)


def _slotted(texts: dict[str, Leaf]) -> str | None:
    """Return the text of a template for all arguments with which it was sent; `None` if there is no such text."""
    found: set[str] = set()
    for args, leaf in texts.items():
        text = str(leaf.value)
        if len(texts) > 1:
            for number, value in enumerate(_arguments(args) or (), 1):
                shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                text = text.replace(shown, f"{{{{p{number}}}}}") if shown else text
        found.add(text)
    return found.pop() if len({str(leaf.value) for leaf in texts.values()}) == 1 or len(found) == 1 else None


def _samples(given: dict[str, Leaf]) -> Leaf | None:
    """Return the results of a function for its arguments; `None` if the arguments are not known."""
    if len({str(leaf.value) for leaf in given.values()}) == 1:
        return Leaf([Leaf({"returns": next(iter(given.values()))})])
    found: list[Leaf] = []
    read = [(_arguments(text), leaf) for text, leaf in given.items()]
    known = {str(leaf.value) for args, leaf in read if args is not None}
    for args, leaf in read:
        if args is None and str(leaf.value) in known:
            continue  # found before the state had the values of its arguments
        if args is None:
            return None
        found.append(Leaf({"args": Leaf([_plain(each) for each in args]), "returns": leaf}))
    return Leaf(found)


def _plain(value: object) -> Leaf:
    if isinstance(value, dict):
        return Leaf({str(key): _plain(each) for key, each in value.items()})
    if isinstance(value, list):
        return Leaf([_plain(each) for each in value])
    return Leaf(value if isinstance(value, str | int | float | bool) else None)
