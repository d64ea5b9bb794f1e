"""The values of a playbook file as they are asked for: their kinds, their places, and everything wrong with them."""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.store.yaml_nodes import Items, Pairs, Scalar, Tree, YamlNode, problem, value_of

Value = TypeVar("Value")
MOST_PROBLEMS = 100
"""More are counted but not listed."""
_OLD_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class Entries:
    """What is read of one file."""

    def __init__(self, tree: Tree) -> None:
        self.problems = tree.problems
        self.n_characters = tree.n_characters
        self.unlisted = 0

    def say(self, node: YamlNode, message: str, help: str = "", related: tuple[Label, ...] = ()) -> None:
        """One more problem, at a value."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.unlisted += 1
            return
        end = node.end if isinstance(node, Scalar) else node.start + 1
        found = problem(node.start, min(max(end, node.start + 1), self.n_characters), message, help)
        self.problems.append(_with(found, related) if related else found)

    def pairs(self, node: YamlNode, what: str, names: Collection[str]) -> dict[str, YamlNode]:
        """The values of a map by key; keys that are unknown or stand twice are problems."""
        found: dict[str, YamlNode] = {}
        if not isinstance(node, Pairs):
            self.say(node, f"{what} is {shown(node)}, and a map is needed", "write `name: value`, one a line")
            return found
        first: dict[str, YamlNode] = {}
        for key, value in zip(node.keys, node.values, strict=False):
            if not isinstance(key, Scalar):
                self.say(key, "a key is a word, and this is a list or a map", "write a name")
            elif key.text in found:
                again = Label(Span(first[key.text].start, first[key.text].end), "it stands here already")
                self.say(key, f"`{key.text}` stands twice in {what}", "keep one of them", (again,))
            elif key.text not in names:
                self._unknown(key, what, names)
            else:
                found[key.text] = value
                first[key.text] = key
        return found

    def _unknown(self, key: Scalar, what: str, names: Collection[str]) -> None:
        near = closest(key.text, names)
        listed = ", ".join(f"`{each}`" for each in names)
        self.say(
            key,
            f"{what} has no key `{short(key.text)}`" + (f": did you mean `{near}`?" if near else ""),
            f"rename it to `{near}`" if near else f"there can be {listed}",
        )

    def needed(self, found: Mapping[str, YamlNode], node: YamlNode, what: str, names: Collection[str]) -> bool:
        """Whether a map has what it must have."""
        missing = [name for name in names if name not in found]
        for name in missing if isinstance(node, Pairs) else ():
            self.say(node, f"{what} has no `{name}`", f"add `{name}: …`")
        return not missing

    def items(self, node: YamlNode, what: str) -> "list[YamlNode]":
        """The elements of a list; nothing is an empty one."""
        if isinstance(node, Items):
            return node.items
        if not (isinstance(node, Scalar) and self._plain(node) is None):
            self.say(node, f"{what} is {shown(node)}, and a list is needed", "write `- …` for each on lines of its own")
        return []

    def text(self, node: YamlNode, what: str) -> str | None:
        """A text; `None` and a problem for anything else."""
        if isinstance(node, Scalar):
            try:
                value = value_of(node)
            except ValueError as reason:
                self.say(node, f"{what} {reason}")
                return None
            if isinstance(value, str):
                return value
            cure = f'put it in quotes: `"{node.text}"`' if node.text else "write one"
        else:
            cure = "write it as one text"
        self.say(node, f"{what} is {shown(node)}, and text is needed", cure)
        return None

    def count(self, node: YamlNode, what: str) -> int | None:
        """A whole number that is not negative."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.say(node, f"{what} is {shown(node)}, and a whole number from 0 is needed", "write a number such as `0`")
        return None

    def truth(self, node: YamlNode, what: str) -> bool | None:
        """`true` or `false`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        old = _OLD_WORDS.get(value.lower()) if isinstance(value, str) else None
        self.say(node, f"{what} is {shown(node)}, and `true` or `false` is needed", f"write `{old}`" if old else "")
        return None

    def number(self, node: YamlNode, what: str, most: float) -> float | None:
        """A number from 0 to `most`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            return float(value)
        self.say(node, f"{what} is {shown(node)}, and a number from 0 to {most:g} is needed")
        return None

    def choice(self, node: YamlNode, what: str, choices: tuple[str, ...], *others: str) -> str | None:
        """One of several words.

        Parameters:
            node: What is there.
            what: What it is, as a message names it.
            choices: The words.
            others: What could be there and is no word, as YAML.
        """
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        near = closest(node.text, choices) if isinstance(node, Scalar) else None
        listed = " or ".join(f"`{each}`" for each in (*choices, *others))
        hint = f"did you mean `{near}`?" if near else f"write {listed}"
        self.say(node, f"{what} is {shown(node)}, and it can be {listed}", hint)
        return None

    def texts(self, node: YamlNode, what: str) -> tuple[str, ...]:
        """A list of texts."""
        found = [self.text(each, f"an element of {what}") for each in self.items(node, what)]
        return tuple(each for each in found if each is not None)

    def _plain(self, node: Scalar) -> object:
        try:
            return value_of(node)
        except ValueError:
            return node.text or " "


Read = Callable[[YamlNode, str], Value | None]


def _with(found: Diagnostic, related: tuple[Label, ...]) -> Diagnostic:
    from dataclasses import replace

    return replace(found, related=related)


def short(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def shown(node: YamlNode) -> str:
    """What a person wrote, as words: "the text `abc`", "a list"."""
    if isinstance(node, Items):
        return "a list"
    if isinstance(node, Pairs):
        return "a map"
    try:
        value = value_of(node)
    except ValueError:
        value = node.text
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"`{node.text}`"
    if isinstance(value, int | float):
        return f"the number `{short(node.text)}`"
    return f"the text `{short(value)}`" if value else "an empty text"
