"""`reply_of()`: what a model answered to a recorded request, as messages like those of a request.

Knows the shapes of whole answers, which hold messages as the requests of the same format do; reads nothing else.
"""

from acdl_mkdocs.prompt import Json, Message
from acdl_mkdocs.traces.recorded import Recorded
from acdl_mkdocs.wire import PROVIDERS


def reply_of(recorded: Recorded) -> tuple[Message, ...]:
    """The messages of the model's answer; none where no whole answer was recorded."""
    body = _as_request(recorded.format, recorded.reply) if isinstance(recorded.reply, dict) else None
    if body is None:
        return ()
    return tuple(each for each in PROVIDERS[recorded.format].read(body).prompt.messages if each.role == "assistant")


def _as_request(format: str, reply: dict[str, Json]) -> dict[str, Json] | None:
    """A request whose only messages are those of an answer."""
    if format == "openai":
        message = _first(reply.get("choices")).get("message")
        return {"messages": [message]} if isinstance(message, dict) else None
    if format == "anthropic" and isinstance(reply.get("content"), list):
        return {"messages": [{"role": "assistant", "content": reply["content"]}]}
    if format == "gemini":
        content = _first(reply.get("candidates")).get("content")
        return {"contents": [{"role": "model", **content}]} if isinstance(content, dict) else None
    if format == "responses" and isinstance(reply.get("output"), list):
        return {"input": reply["output"]}
    return None


def _first(values: Json) -> dict[str, Json]:
    first = values[0] if isinstance(values, list) and values else None
    return first if isinstance(first, dict) else {}
