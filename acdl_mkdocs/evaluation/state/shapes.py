"""Values that a spec reads, and what it expects of each: fields, elements, whether it is a number. Knows no tree."""

from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(eq=False, slots=True)
class ValueShape:
    """What a spec expects of one value, from all places that read it."""

    name: str = ""
    """Its name: its last field, or the variable of a loop."""
    fields: dict[str, "ValueShape"] = field(default_factory=dict)
    element: "ValueShape | None" = None
    """Of a list; there is one too where only its length is read."""
    by_key: "ValueShape | None" = None
    """Values under keys that are values themselves: `sys.schema[tool]`."""
    keys: "dict[ValueShape | str, None]" = field(default_factory=dict)
    """The values, or words, that are these keys."""
    times: set[tuple[int, int | None]] = field(default_factory=set)
    """Its indices: levels of the time (0: none, 1: step, 2: sub-step), and the step if it is fixed."""
    words: dict[str, None] = field(default_factory=dict)
    """Words that it is compared with."""
    comments: dict[str, None] = field(default_factory=dict)
    is_text: bool = False
    """Whether the value itself is sent, and not only values inside it."""
    is_number: bool = False
    is_key: bool = False
    is_condition: bool = False
    is_element: bool = False
    """Whether it is an element of a list."""

    def get_field(self, name: str) -> "ValueShape":
        """Return the shape of a field."""
        if name == "len":
            self.get_element("")
            return ValueShape("len", is_number=True)
        return self.fields.setdefault(name, ValueShape(name))

    def get_element(self, name: str) -> "ValueShape":
        """Return the shape of its elements, named after the variable of a loop."""
        if self.element is None:
            self.element = ValueShape(name, is_element=True)
        self.element.name = self.element.name or name
        return self.element

    def get_keyed(self, key: "ValueShape | str") -> "ValueShape":
        """Return the shape of the value under a key that is a value itself."""
        if self.by_key is None:
            self.by_key = ValueShape(self.name)
        self.keys[key] = None
        if isinstance(key, ValueShape):
            key.is_key = True
        return self.by_key

    def is_at(self, levels: int, step: int) -> bool:
        """Return whether it is read at a time with that number of levels in that step."""
        return not self.times or (levels, None) in self.times or (levels, step) in self.times

    @property
    def is_leaf(self) -> bool:
        """Whether it has no fields or elements that are read."""
        return not self.fields and self.element is None and self.by_key is None


@dataclass(slots=True)
class InsertedText:
    """A template or a function, and its arguments and result."""

    params: tuple[str, ...] = ()
    """Names for its arguments."""
    comments: dict[str, None] = field(default_factory=dict)
    result: ValueShape = field(default_factory=ValueShape)


@dataclass(slots=True)
class SpecReads:
    """Everything that a spec reads."""

    values: ValueShape = field(default_factory=ValueShape)
    """Its fields are the namespaces."""
    agents: ValueShape = field(default_factory=ValueShape)
    """The same for agents: `sys[agent].mood`; its keys are the agents."""
    templates: dict[str, InsertedText] = field(default_factory=dict)
    functions: dict[str, InsertedText] = field(default_factory=dict)
    args: dict[str, ValueShape] = field(default_factory=dict)
    """The parameters of the title that are not times."""
    times: tuple[str, ...] = ()
    """The names of the title that are times: `T` and `I` of `[@T.I]`."""
    levels: int = 1
    """Of the time in the title: 2 for `[@T.I]`."""
