"""What is wrong with a call, measured by the tools that a model was given: as data, and to hand back to the model.

Checks what JSON Schema says about types, choices, keys and sizes. It runs no regular expression of a schema, and knows
nothing about how the call was written.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import Known, closest
from acdl_mkdocs.prompts.pml.check_values import Schema, key_of, listed, wrong_size, wrong_type, wrong_value
from acdl_mkdocs.prompts.pml.faults import MOST_FAULTS, Fault, named, place, said, short
from acdl_mkdocs.prompts.pml.tools import by_name
from acdl_mkdocs.prompts.prompt import Call, Json, Tool

_MOST_LEVELS = 128
"""Schemas in schemas; more only where one refers to itself, or a value has more levels than one that is read."""
_MOST_CHECKS = 100_000
"""Values that are compared with schemas for one call."""
_MOST_CHECKS_OF_ALL = 150_000
"""The same for all calls of a document or an answer together."""
_MOST_NAMES = 50_000
"""Names that are compared with unknown ones; after that none is suggested."""
_CHARACTERS_OF_A_CHECK = 50
_TOO_LARGE = Fault("over-limit", "the arguments are too many or too deep to be checked", "")


def call_faults(call: Call, tools: Sequence[Tool]) -> tuple[Fault, ...]:
    """Everything that keeps a call from being made, at most `MOST_FAULTS`; nothing for a call that is right.

    A key that no parameter declares is a fault, unless the schema says that other keys are allowed. Several calls are
    measured with one `CallChecker`.

    Parameters:
        call: The call; its tool may be named by name or by alias.
        tools: The tools that the model was given.
    """
    return CallChecker(tools).faults(call)


def fault_json(call: Call, faults: Sequence[Fault]) -> dict[str, Json]:
    """What to hand back to the model as the result of its call."""
    told: list[Json] = [
        {"kind": each.kind, **({"argument": each.path} if each.path else {}), "message": each.message}
        for each in faults
    ]
    return {"error": "the call was not made", "tool": call.tool, "faults": told}


class CallChecker:
    """Measures the calls of one document or answer: what is worked out about tools is kept, and work has a limit."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Nothing is worked out before there is a call.

        Parameters:
            tools: The tools that the model was given.
        """
        self.tools = tools
        self.known: Known[Tool] = Known(by_name(tools))
        """The tools by name and alias."""
        self.n_left = _MOST_CHECKS_OF_ALL
        self.cache = _Cache()

    @property
    def is_spent(self) -> bool:
        """Whether the limit for all calls is reached: the next ones are told to be over it."""
        return self.n_left <= 0

    def faults(self, call: Call) -> tuple[Fault, ...]:
        """Everything that keeps a call from being made, at most `MOST_FAULTS`."""
        tool = self.known.get(call.tool)
        if tool is None:
            return (self.unknown(call.tool),)
        schema: Schema = {"type": "object", **tool.parameters}
        most = min(_MOST_CHECKS, self.n_left)
        check = _Check(schema, self.cache, most)
        found = tuple(islice(check.faults(dict(call.args), schema, "", 0), MOST_FAULTS))
        self.n_left -= most - max(check.n_left, 0)
        is_unfinished = check.n_left < 0 and not any(fault.kind == "over-limit" for fault in found)
        return (*found[: MOST_FAULTS - 1], _TOO_LARGE) if is_unfinished else found

    def unknown(self, name: str) -> Fault:
        """A tool that there is not."""
        near = self.cache.near(name, self.known)
        names = named(list(dict.fromkeys(each.name for each in self.tools)))
        hint = f"did you mean `{near}`" if near else (f"the tools are {names}" if names else "there are no tools")
        return Fault("unknown-tool", f"there is no tool `{short(name)}`; {hint}", "")


class _Cache:
    """What was worked out about schemas, by the identity of their parts, which live as long as the tools."""

    def __init__(self) -> None:
        self.names: dict[int, Known[Json]] = {}
        """Of `properties`."""
        self.values: dict[int, frozenset[Hashable]] = {}
        """Of `enum`."""
        self.n_names_left = _MOST_NAMES

    def near(self, name: str, known: Known[Tool] | Known[Json]) -> str | None:
        """The name that was probably meant."""
        self.n_names_left -= len(known)
        return closest(name, known) if self.n_names_left >= 0 else None

    def names_of(self, properties: dict[str, Json]) -> Known[Json]:
        found = self.names.get(id(properties))
        if found is None:
            found = self.names[id(properties)] = Known(properties)
        return found

    def values_of(self, enum: list[Json]) -> frozenset[Hashable]:
        found = self.values.get(id(enum))
        if found is None:
            found = self.values[id(enum)] = frozenset(map(key_of, enum))
        return found


@dataclass(slots=True)
class _Check:
    """Compares the arguments of one call with schemas."""

    root: Schema
    """Where references begin."""
    cache: _Cache
    n_left: int

    def faults(self, value: Json, schema: Json | Schema, path: str, n_steps: int) -> Iterator[Fault]:
        if schema is False:
            yield Fault("unknown-argument", "nothing is allowed here", path)
        if not isinstance(schema, Mapping) or self.n_left < 0:
            return
        self.n_left -= _cost(schema)
        if n_steps > _MOST_LEVELS or self.n_left < 0:
            self.n_left = -1
            yield _TOO_LARGE
            return
        if isinstance(schema.get("$ref"), str):
            yield from self.faults(value, self.referred(str(schema["$ref"])), path, n_steps + 1)
        wrong = wrong_type(value, schema, path)
        if wrong is not None:
            yield wrong
            return
        yield from self.of_value(value, schema, path)
        yield from self.of_choices(value, schema, path, n_steps + 1)
        if isinstance(value, dict):
            yield from self.of_object(value, schema, path, n_steps + 1)
        elif isinstance(value, list):
            yield from self.of_list(value, schema, path, n_steps + 1)

    def referred(self, reference: str) -> Json | Schema:
        """The schema in the same document that a reference names; one that says nothing where there is none."""
        if not reference.startswith("#"):
            return True
        found: Json | Schema = self.root
        for step in reference[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                return True
            found = found[key]
        return found

    def of_value(self, value: Json, schema: Schema, path: str) -> Iterator[Fault]:
        """The value itself: which there are, how large it may be, and whether its items differ."""
        enum = schema.get("enum")
        if "const" in schema and self.key(value) != self.key(schema["const"]):
            yield wrong_value(value, [schema["const"]], path)
        elif isinstance(enum, list) and self.key(value) not in self.cache.values_of(enum):
            yield wrong_value(value, enum, path)
        yield from wrong_size(value, schema, path)
        if schema.get("uniqueItems") is True and isinstance(value, list):
            seen: set[Hashable] = set()
            for number, item in enumerate(value):
                seen.add(self.key(item))
                if len(seen) <= number:
                    yield Fault("wrong-value", f"{said(item)} is there twice, expected different items", path)
                    return

    def key(self, value: Json) -> Hashable:
        """What a value is known by; of a long one, making it counts as many checks."""
        found = key_of(value)
        if isinstance(found, tuple):
            self.n_left -= len(str(found[0])) // _CHARACTERS_OF_A_CHECK
        return found

    def of_choices(self, value: Json, schema: Schema, path: str, n_steps: int) -> Iterator[Fault]:
        for inner in listed(schema.get("allOf")):
            yield from self.faults(value, inner, path, n_steps)
        for key in ("anyOf", "oneOf"):
            choices = listed(schema.get(key))
            if len(choices) == 1:
                yield from self.faults(value, choices[0], path, n_steps)
            elif choices and all(self.has_fault(value, inner, path, n_steps) for inner in choices):
                message = f"{said(value)} is none of the {len(choices)} forms that it may have"
                yield Fault("wrong-type", message, path)

    def has_fault(self, value: Json, schema: Json, path: str, n_steps: int) -> bool:
        return next(self.faults(value, schema, path, n_steps), None) is not None

    def of_object(self, value: dict[str, Json], schema: Schema, path: str, n_steps: int) -> Iterator[Fault]:
        declared = schema.get("properties")
        properties = declared if isinstance(declared, dict) else {}
        for key in listed(schema.get("required")):
            if isinstance(key, str) and key not in value:
                yield Fault("missing-argument", f"`{short(key)}` is missing", place(path, key))
        others = self.others(schema, path)
        for key, inner in value.items():
            at = place(path, key)
            if key in properties:
                yield from self.faults(inner, properties[key], at, n_steps)
            elif others is False:
                yield self.unknown(key, properties, at)
            elif others is not True:
                yield from self.faults(inner, others, at, n_steps)

    def others(self, schema: Schema, path: str) -> Json:
        """The schema of keys that are not declared; any where patterns that are not looked at may allow them."""
        if "patternProperties" in schema:
            return True
        if "additionalProperties" in schema:
            return schema["additionalProperties"]
        is_combined = any(key in schema for key in ("$ref", "allOf", "anyOf", "oneOf"))
        return is_combined or not ("properties" in schema or not path)

    def unknown(self, key: str, properties: dict[str, Json], path: str) -> Fault:
        near = self.cache.near(key, self.cache.names_of(properties))
        names = named(properties)
        hint = f"did you mean `{near}`" if near else (f"the arguments are {names}" if names else "it has no arguments")
        return Fault("unknown-argument", f"there is no argument `{short(key)}`; {hint}", path)

    def of_list(self, value: list[Json], schema: Schema, path: str, n_steps: int) -> Iterator[Fault]:
        first, others = listed(schema.get("prefixItems")), schema.get("items", True)
        for number, inner in enumerate(value):
            expected = first[number] if number < len(first) else others
            if expected is not True:
                yield from self.faults(inner, expected, f"{path}[{number}]", n_steps)


def _cost(schema: Schema) -> int:
    """How many checks a schema counts as, before it is looked at: long lists of keys and types take their time."""
    reference = schema.get("$ref")
    n_steps = len(reference) if isinstance(reference, str) else 0
    return 1 + (len(listed(schema.get("required"))) + len(listed(schema.get("type"))) + n_steps) // 20
