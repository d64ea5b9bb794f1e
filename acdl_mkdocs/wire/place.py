"""`Place`: a value inside a request body that knows its path and says what is wrong with it; knows no format."""

from collections.abc import Iterator
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.wire.results import Problem

_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Place:
    """A value at a path. What is asked for by a wrong type is reported, once, and read as if it were empty."""

    value: Json
    path: str = ""
    problems: list[Problem] = field(default_factory=list)
    """What was found so far, shared by all places of a body."""
    is_missing: bool = False
    """Whether nothing stands here."""

    def report(self, sentence: str, cure: str) -> None:
        """Say what is wrong here."""
        self.problems.append(Problem(self.path, sentence, cure))

    def advise(self, sentence: str, cure: str) -> None:
        """Say why the provider may reject what is here, although it can be read."""
        self.problems.append(Problem(self.path, sentence, cure, is_advice=True))

    def expect(self, expected: str, cure: str) -> None:
        """Say that something else was expected here."""
        kind = "null" if self.value is None else _NAMES.get(type(self.value), "no JSON")
        found = "missing" if self.is_missing else kind
        self.report(f"this is {found}, expected {expected}", cure)

    def at(self, key: str) -> "Place":
        """The value of a key; `null` where there is none, or no object."""
        inside = self.value if isinstance(self.value, dict) else {}
        path = f"{self.path}.{key}" if self.path else key
        return Place(inside.get(key), path, self.problems, is_missing=key not in inside)

    def has(self, key: str) -> bool:
        """Whether there is such a key, with a value other than `null`."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def object(self) -> dict[str, Json]:
        """The object here."""
        if isinstance(self.value, dict):
            return self.value
        self.expect("an object", "write it as `{...}`")
        return {}

    def items(self) -> Iterator["Place"]:
        """The elements of the list here."""
        if not isinstance(self.value, list):
            self.expect("a list", "write it as `[...]`")
            return
        for number, value in enumerate(self.value):
            yield Place(value, f"{self.path}[{number}]", self.problems)

    def text(self) -> str:
        """The string here."""
        if isinstance(self.value, str):
            return self.value
        self.expect("a string", 'write it as `"..."`')
        return ""

    def optional_text(self) -> str | None:
        """The string here, or `None` where nothing is."""
        return None if self.value is None else self.text()

    def tell_order(self, others: list[Json]) -> None:
        """Say that elements of this list are written behind all others of it, where they do not stand there."""
        if isinstance(self.value, list) and others and self.value[-len(others) :] != others:
            sentence = "tools that the provider runs itself are written behind those that are declared"
            self.advise(sentence, "nothing: their order means nothing")

    def name(self, names: dict[str, str]) -> str:
        """The name of a tool, for which those of earlier ones are known, each with its place."""
        name = self.text()
        first = names.setdefault(name, self.path)
        if first != self.path:
            sentence = f"another tool is called `{name}` too, in `{first}`: providers reject that"
            self.advise(sentence, "give it another name, or declare it once")
        return name

    def rest(self, *known: str) -> dict[str, Json]:
        """The keys of the object here that are not known."""
        return {key: value for key, value in self.object().items() if key not in known}
