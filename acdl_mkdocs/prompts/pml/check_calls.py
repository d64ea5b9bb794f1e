"""Problems of a call, checked against the tools that a model was given: as data, and to return to the model.

Checks types, choices, keys and sizes of JSON Schema. It runs no regular expression of a schema, and knows
nothing about how the call was written.
"""

from collections.abc import Hashable, Sequence
from itertools import islice

from acdl_mkdocs.foundation.json_schema import Schema, SchemaCheck, SchemaFault, Steps, as_list, types_of
from acdl_mkdocs.foundation.json_value import json_type
from acdl_mkdocs.foundation.wording import KnownNames, find_closest
from acdl_mkdocs.prompts.pml.faults import MOST_FAULTS, Fault, join_path, list_names, quote_value, shorten_text
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.pml.xml_text import write_json
from acdl_mkdocs.prompts.prompt import Call, Json, Tool

_MOST_CHECKS = 100_000
"""Values that are compared with schemas for one call."""
_MOST_CHECKS_OF_ALL = 150_000
"""The same for all calls of a document or an answer together."""
_MOST_NAMES = 50_000
"""Limit of names that are compared with unknown ones; beyond it, none is suggested."""
_TOO_LARGE = Fault("over-limit", "the arguments are too many or too deep to be checked", "")


def call_faults(call: Call, tools: Sequence[Tool]) -> tuple[Fault, ...]:
    """Return everything that prevents a call from being made, at most `MOST_FAULTS`; empty for a valid call.

    A key that no parameter declares is a fault, unless the schema allows other keys. Several calls are checked with one
    `CallChecker`.

    Parameters:
        call: The call; its tool may be named by name or by alias.
        tools: The tools that the model was given.
    """
    return CallChecker(tools).check_call(call)


def fault_json(call: Call, faults: Sequence[Fault]) -> dict[str, Json]:
    """Return a result that shows a model the faults of its call: `{"error": ..., "tool": ..., "faults": [...]}`.

    Parameters:
        call: The call that was not made.
        faults: Those that `call_faults` returned.
    """
    faults_json: list[Json] = [
        {"kind": each.kind, **({"argument": each.path} if each.path else {}), "message": each.message}
        for each in faults
    ]
    return {"error": "the call was not made", "tool": call.tool, "faults": faults_json}


class CallChecker:
    """Checks the calls of one document or answer: results about tools are cached, and the work has a limit."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        """Prepare an empty cache.

        Parameters:
            tools: The tools that the model was given.
        """
        self.tools = tools
        self.known: KnownNames[Tool] = KnownNames(index_by_name(tools))
        """The tools by name and alias."""
        self.n_left = _MOST_CHECKS_OF_ALL
        self.values: dict[int, frozenset[Hashable]] = {}
        """Results for lists of choices, by their identity: they live as long as the tools."""
        self.names: dict[int, KnownNames[Json]] = {}
        """The same about `properties`."""
        self.n_names_left = _MOST_NAMES

    @property
    def is_spent(self) -> bool:
        """Whether the limit for all calls is reached: each further call is reported as over it."""
        return self.n_left <= 0

    def check_call(self, call: Call) -> tuple[Fault, ...]:
        """Return everything that prevents a call from being made, at most `MOST_FAULTS`."""
        tool = self.known.get(call.tool)
        if tool is None:
            return (self.make_unknown_tool_fault(call.tool),)
        schema: Schema = {"type": "object", **tool.parameters}
        most = min(_MOST_CHECKS, self.n_left)
        check = SchemaCheck(schema, n_checks=most, is_closed=True, values=self.values)
        faults = tuple(islice(map(self.make_argument_fault, check.find_faults(dict(call.args))), MOST_FAULTS))
        self.n_left -= most - max(check.n_left, 0)
        is_unfinished = check.n_left < 0 and not any(fault.kind == "over-limit" for fault in faults)
        return (*faults[: MOST_FAULTS - 1], _TOO_LARGE) if is_unfinished else faults

    def make_unknown_tool_fault(self, name: str) -> Fault:
        """Return the fault of a call of a tool that does not exist."""
        near = self.find_near_name(name, self.known)
        names = list_names(list(dict.fromkeys(each.name for each in self.tools)))
        hint = f"did you mean `{near}`" if near else (f"the tools are {names}" if names else "there are no tools")
        return Fault("unknown-tool", f"there is no tool `{shorten_text(name)}`; {hint}", "")

    def find_near_name(self, name: str, names: KnownNames[Tool] | KnownNames[Json]) -> str | None:
        """Return the name that was probably meant."""
        self.n_names_left -= len(names)
        return find_closest(name, names) if self.n_names_left >= 0 else None

    def make_argument_fault(self, fault: SchemaFault) -> Fault:
        """Describe a fault of a schema in terms of arguments."""
        path, value = _format_argument_path(fault.steps), fault.value
        match fault.keyword:
            case "limit":
                return _TOO_LARGE
            case "false":
                return Fault("unknown-argument", "nothing is allowed here", path)
            case "type":
                expected = " or ".join(map(shorten_text, sorted(set(types_of(fault.schema)))[:MOST_FAULTS]))
                message = f"{quote_value(value)} is of type {json_type(value)}, expected {expected}"
                return Fault("wrong-type", message, path)
            case "const" | "enum":
                allowed = [fault.schema["const"]] if fault.keyword == "const" else as_list(fault.schema["enum"])
                return _describe_wrong_value(value, allowed, path)
            case "uniqueItems":
                message = f"{quote_value(fault.expected)} appears twice, expected unique items"
                return Fault("wrong-value", message, path)
            case "anyOf" | "oneOf":
                n_forms = len(as_list(fault.schema[fault.keyword]))
                return Fault("wrong-type", f"{quote_value(value)} matches none of the {n_forms} allowed schemas", path)
            case "required":
                key = str(fault.expected)
                return Fault("missing-argument", f"`{shorten_text(key)}` is missing", join_path(path, key))
            case "additionalProperties":
                return self.make_unknown_argument_fault(fault, path)
            case _:
                return _describe_wrong_size(fault, path)

    def make_unknown_argument_fault(self, fault: SchemaFault, path: str) -> Fault:
        """Return the fault of a key that the schema does not declare."""
        key, declared = str(fault.steps[-1]), fault.schema.get("properties")
        properties = declared if isinstance(declared, dict) else {}
        known_names = self.names.get(id(declared)) or self.names.setdefault(id(declared), KnownNames(properties))
        near = self.find_near_name(key, known_names)
        names = list_names(properties)
        hint = f"did you mean `{near}`" if near else (f"the arguments are {names}" if names else "it has no arguments")
        return Fault("unknown-argument", f"there is no argument `{shorten_text(key)}`; {hint}", path)


_SIZES = {"Length": "the length", "Items": "the length", "Properties": "the number of keys"}
_COMPARED = {"exclusiveMinimum": "more than", "exclusiveMaximum": "less than", "multipleOf": "a multiple of"}


def _format_argument_path(steps: Steps) -> str:
    """Format the path of an argument: `days`, `filter.tags[2]`."""
    path = ""
    for step in steps:
        path = f"{path}[{step}]" if isinstance(step, int) else join_path(path, step)
    return path


def _describe_wrong_value(value: Json, allowed: list[Json], path: str) -> Fault:
    if not allowed:
        return Fault("wrong-value", f"{quote_value(value)} is given where no value is allowed", path)
    names = ", ".join(quote_value(each) for each in allowed[:MOST_FAULTS])
    rest = f" and {len(allowed) - MOST_FAULTS:,} more" if len(allowed) > MOST_FAULTS else ""
    return Fault("wrong-value", f"{quote_value(value)} is not one of {names}{rest}", path)


def _describe_wrong_size(fault: SchemaFault, path: str) -> Fault:
    """Return the fault of a number out of its range, or of a text, list or object of a wrong length."""
    what = next((what for ending, what in _SIZES.items() if fault.keyword.endswith(ending)), "the number")
    value = len(fault.value) if isinstance(fault.value, (str, list, dict)) else fault.value
    compared = _COMPARED.get(fault.keyword) or ("at least" if fault.keyword.startswith("min") else "at most")
    return Fault(
        "wrong-size", f"{what} is {_format_number(value)}, expected {compared} {_format_number(fault.expected)}", path
    )


def _format_number(value: Json) -> str:
    """Format a number as JSON; describe one with thousands of digits."""
    spelled = write_json(value)
    return "a number of more than 4300 digits" if spelled == "null" else shorten_text(spelled)
