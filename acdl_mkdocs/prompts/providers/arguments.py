"""Arguments of calls as JSON text in both directions, with the provider's spelling kept if it differs from ours."""

import json
import math
from collections.abc import Mapping

from acdl_mkdocs.prompts.pml.raw_arguments import is_spelling
from acdl_mkdocs.prompts.prompt import Call, Json
from acdl_mkdocs.prompts.providers.read_body import JsonNode

_CURE = 'write the arguments as the text of one JSON object, for example `"{\\"city\\": \\"Oslo\\"}"`'


class _NotJsonError(ValueError):
    """The text is JSON only for Python's reader."""


def write_json(value: Json | Mapping[str, Json]) -> str:
    """Write JSON text, in the form that this package uses inside strings."""
    return json.dumps(value, ensure_ascii=False)


def read_json(text: str) -> Json:
    """Return the object, list or truth value of a JSON text; else the text."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, (dict, list, bool)) else text


def write_arguments(call: Call) -> str:
    """Write the arguments of a call as text: in the provider's spelling, if it is known and says the same."""
    return write_json(dict(call.args)) if call.args_raw is None or not is_spelling(call) else call.args_raw


def is_readable(call: Call) -> bool:
    """Return whether the provider's spelling of the arguments is JSON."""
    return call.args_raw is None or _parse_object(call.args_raw)[0] is not None


def read_arguments(node: JsonNode) -> tuple[dict[str, Json], str | None]:
    """Read arguments from a string; also return the string if our spelling would differ."""
    if isinstance(node.value, dict):
        node.report_problem("this is an object, expected a string that holds JSON", _CURE)
        return node.value, None
    if not isinstance(node.value, str):
        node.report_expected("a string that holds JSON", _CURE)
        return {}, None if node.value is None else write_json(node.value)
    args, fault = _parse_object(node.value)
    if args is None:
        node.report_problem(f"the arguments are not one JSON object: {fault}", _CURE)
        return {}, node.value
    return args, None if write_json(args) == node.value else node.value


def _parse_object(text: str) -> tuple[dict[str, Json] | None, str]:
    """Return the object of a JSON text, or the reason why it is not one."""
    if not text.strip():
        return {}, ""
    try:
        value = json.loads(
            text, object_pairs_hook=_make_object, parse_constant=_refuse_constant, parse_float=_make_number
        )
    except _NotJsonError as fault:
        return None, str(fault)
    except json.JSONDecodeError as fault:
        return None, f"{fault.msg[0].lower()}{fault.msg[1:]} at character {fault.pos + 1}"
    except RecursionError:
        return None, "it is nested too deeply"
    except ValueError:  # a number of more digits than Python reads
        return None, "a number in it is too long"
    return (value, "") if isinstance(value, dict) else (None, "it is another value")


def _make_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result: dict[str, Json] = {}
    for key, value in pairs:
        if key in result:
            raise _NotJsonError(f"the key `{key}` appears twice")
        result[key] = value
    return result


def _refuse_constant(name: str) -> Json:
    raise _NotJsonError(f"`{name}` is not a JSON value")


def _make_number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _NotJsonError(f"`{text[:40]}` is larger than a 64-bit float can be")
    return number
