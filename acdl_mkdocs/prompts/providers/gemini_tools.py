"""Parts of tools that Gemini runs itself: code, and the content of `toolCall` and `toolResponse`, such as a search.

They are read as calls and results. The key of the part stays beside them, with what they do not say.
"""

from acdl_mkdocs.prompts.prompt import Call, Json, Output, Part, Text
from acdl_mkdocs.prompts.providers.arguments import spelled, value_of
from acdl_mkdocs.prompts.providers.opaque import with_more
from acdl_mkdocs.prompts.providers.read_body import Answers, Place, given_id
from acdl_mkdocs.prompts.providers.results import Piece

NAME = "gemini"
CODE, RAN = "executableCode", "codeExecutionResult"
ASKED, GIVEN = "toolCall", "toolResponse"
CALLS, RESULTS = (CODE, ASKED), (RAN, GIVEN)
"""Keys of calls and results of tools that the provider runs."""
_TOOL = "code_execution"
_CODE_ARGS = {"language", "code"}
_FINE, _FAILED = "OUTCOME_OK", "OUTCOME_FAILED"
_SIGNATURE = "thoughtSignature"


def marker(piece: Piece) -> str | None:
    """Return the key that shows that a piece belongs to a tool that the provider runs."""
    match piece.part:
        case Call(tool=tool, args=args):
            key = next((key for key in CALLS if key in piece.more), None)
            is_changed = key == CODE and not (tool == _TOOL and args.keys() <= _CODE_ARGS)
            return None if is_changed else key
        case Output():
            return next((key for key in RESULTS if key in piece.more), None)
    return None


def read_own_call(place: Place, answers: Answers) -> tuple[Part, ...]:
    """Read the parts of a call."""
    key = CODE if place.has(CODE) else ASKED
    call = place.at(key)
    call_id = given_id(call.at("id"), is_optional=True)
    if key == CODE:
        tool, known = _TOOL, ("id", *_CODE_ARGS)
        args = {name: value for name, value in call.object().items() if name in _CODE_ARGS}
    else:
        tool, known = _tool(call), ("id", "args")
        args = call.at("args").object() if call.has("args") else {}
    answers.call(place, call_id, tool)
    signature = place.at(_SIGNATURE).optional_text()
    more = {**place.rest(key, _SIGNATURE), key: call.rest(*known)}
    return with_more(NAME, Call(tool, args, call_id, signature=signature), more)


def read_own_result(place: Place, answers: Answers) -> tuple[Part, ...]:
    """Read the parts of a result."""
    key = RAN if place.has(RAN) else GIVEN
    result = place.at(key)
    call_id = given_id(result.at("id"), is_optional=True)
    tool = answers.result(place, call_id, _TOOL if key == RAN else _tool(result))
    said, is_error, known = result.at("output").optional_text(), False, ("id", "output")
    if key == RAN:
        is_error = result.at("outcome").value not in (None, _FINE)
    else:
        said, known = spelled(result.at("response").object()) if result.has("response") else None, ("id", "response")
    more = {**place.rest(key), key: result.rest(*known)}
    return with_more(NAME, Output(() if said is None else (Text(said),), call_id, tool, is_error), more)


def _tool(place: Place) -> str:
    """Return the name of a tool: `google_search_web`."""
    return (place.at("toolType").optional_text() or "tool").lower()


def written_own_call(call: Call, key: str, more: Json) -> dict[str, Json]:
    """Write the part of a call.

    Parameters:
        call: The call.
        key: Its marker.
        more: Further data of the provider under that key.
    """
    said: dict[str, Json] = dict(call.args) if key == CODE else {"args": dict(call.args)} if call.args else {}
    block = {**_id(call.id), **_object(more), **said}
    return {key: block} | ({} if call.signature is None else {_SIGNATURE: call.signature})


def written_own_result(output: Output, key: str, more: Json) -> dict[str, Json]:
    """Write the part of a result.

    Parameters:
        output: The result.
        key: Its marker.
        more: Further data of the provider under that key.
    """
    text = "\n".join(part.text for part in output.parts if isinstance(part, Text))
    block = {**_id(output.call_id), **_object(more)}
    if key == RAN:
        if output.is_error != (block.get("outcome") not in (None, _FINE)):
            block["outcome"] = _FAILED if output.is_error else _FINE
        return {key: block | ({"output": text} if output.parts else {})}
    value = value_of(text)
    response: Json = value if isinstance(value, dict) else {"output": text}
    return {key: block | ({"response": response} if output.parts else {})}


def _id(said: str | None) -> dict[str, Json]:
    return {} if said is None else {"id": said}


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
