"""What an OpenAI-compatible endpoint answered, as a `Reply` or the error that says what is wrong with it. Pure.

Reads the JSON of one answer, and streams of events from servers that stream although nobody asked them to.
"""

import json
from typing import NoReturn

from acdl_mkdocs.models.model_errors import (
    ACCOUNT_HELP,
    CutReplyError,
    EmptyReplyError,
    FilteredReplyError,
    ModelRefusalError,
    NoConnectionError,
    NotJsonError,
    StatusError,
    UnreadableReplyError,
    is_about_account,
)
from acdl_mkdocs.models.replies import Reply, Usage
from acdl_mkdocs.prompts.prompt import Json

_SHOWN_CHARACTERS = 200
_MOST_STATUS = 599
_LEAST_STATUS = 400
_ADDRESS_HELP = "check the base URL: for most servers it ends in `/v1`"
_NOT_CHAT = "check that the base URL is one of an OpenAI-compatible server"


def read_answer(data: bytes, content_type: str) -> Reply:
    """The reply in the body of a successful answer.

    Raises:
        ModelError: There is none.
    """
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    is_stream = "text/event-stream" in content_type.lower() or text.lstrip().startswith(("data:", "event:", ":"))
    return _reply(_streamed(text) if is_stream else _loaded(text, content_type))


def _loaded(text: str, content_type: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        start = text.lstrip()[:1]
        if not text.strip():
            raise NotJsonError("the server answered with nothing", _ADDRESS_HELP) from None
        if start in "{[" and "html" not in content_type.lower():
            raise NoConnectionError("the server's answer is JSON that ends too early or is damaged") from None
        kind = "a web page" if start == "<" else "text"
        raise NotJsonError(f"the server answered with {kind} instead of JSON: {shown(text)}", _ADDRESS_HELP) from None
    return value


def shown(text: str) -> str:
    """The beginning of a text on one line, safe to print."""
    flat = " ".join("".join(each if each.isprintable() else " " for each in text[: 4 * _SHOWN_CHARACTERS]).split())
    return flat if len(flat) <= _SHOWN_CHARACTERS else f"{flat[:_SHOWN_CHARACTERS]}…"


def _streamed(text: str) -> Json:
    """One answer from the pieces of a stream."""
    content, refusal, finish, model, usage = [], [], None, None, None
    is_done = False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if not line.startswith("data:"):
            continue
        said = line[len("data:") :].strip()
        if said == "[DONE]":
            is_done = True
            break
        chunk = _chunk(said)
        if chunk.get("error"):
            return chunk
        model, usage = chunk.get("model") or model, chunk.get("usage") or usage
        for choice in _first(chunk.get("choices")):
            delta = choice.get("delta")
            pieces = delta if isinstance(delta, dict) else {}
            content.append(_words(pieces.get("content")) or "")
            refusal.append(_words(pieces.get("refusal")) or "")
            finish = choice.get("finish_reason") or finish
    if not is_done and finish is None:
        raise NoConnectionError("the server's stream of events ended before the answer was whole")
    message: dict[str, Json] = {"content": "".join(content), "refusal": "".join(refusal) or None}
    return {"model": model, "usage": usage, "choices": [{"message": message, "finish_reason": finish}]}


def _chunk(said: str) -> dict[str, Json]:
    try:
        chunk = json.loads(said)
    except (ValueError, RecursionError):
        raise NoConnectionError("an event of the server's stream is damaged") from None
    return chunk if isinstance(chunk, dict) else {}


def _first(choices: Json) -> list[dict[str, Json]]:
    """The first choice, where there is one."""
    return [each for each in choices[:1] if isinstance(each, dict)] if isinstance(choices, list) else []


def _reply(body: Json) -> Reply:
    if not isinstance(body, dict):
        raise UnreadableReplyError(f"the server's answer is no object: {shown(json.dumps(body))}", _NOT_CHAT)
    if body.get("error"):
        _raise_error_object(body["error"])
    usage = _usage(body.get("usage"))
    choices = _first(body.get("choices"))
    if not choices:
        keys = ", ".join(f"`{key}`" for key in list(body)[:8]) or "none"
        raise UnreadableReplyError(f"the server's answer has no choices; its keys are {shown(keys)}", _NOT_CHAT, usage)
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise UnreadableReplyError("the server's answer has a choice without a message", _NOT_CHAT, usage)
    finish = choices[0].get("finish_reason")
    text = _words(message.get("content"))
    _raise_unfinished(str(finish), text or "", message, usage)
    model = body.get("model")
    return Reply(
        text or "", usage, model if isinstance(model, str) else "", finish if isinstance(finish, str) else "stop"
    )


def _raise_unfinished(finish: str, text: str, message: dict[str, Json], usage: Usage) -> None:
    """Say why there is no whole text, where there is none."""
    if finish == "length":
        limit = "allow it more model tokens, or ask for a shorter one"
        raise CutReplyError(
            f"the reply was cut after {usage.reply_model_tokens or 'too many'} model tokens", limit, usage, text
        )
    if finish == "content_filter":
        raise FilteredReplyError(
            "a filter of the provider kept the reply back", "reword the question or leave it out", usage
        )
    if isinstance(refusal := message.get("refusal"), str) and refusal.strip():
        raise ModelRefusalError(f"the model refused: {shown(refusal)}", "reword the question or leave it out", usage)
    if not text.strip():
        if message.get("tool_calls") or message.get("function_call"):
            raise EmptyReplyError(
                "the model called a tool instead of answering", "ask a model that follows the prompt", usage
            )
        kind = "null" if message.get("content") is None else "empty"
        raise EmptyReplyError(f"the reply's content is {kind}", "try again, or ask another model", usage)


def _words(content: Json) -> str | None:
    """Content that is a text or a list of parts with text."""
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        return "".join(each for each in parts if isinstance(each, str))
    return content if isinstance(content, str) else None


def _usage(value: Json) -> Usage:
    counts = value if isinstance(value, dict) else {}

    def count(key: str) -> int:
        number = counts.get(key)
        return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0

    prompt, reply = count("prompt_tokens"), count("completion_tokens")
    return Usage(prompt, reply, n_unreported=int(not prompt and not reply))


def error_words(body: Json) -> str:
    """What the server says in an error, in whatever of the usual places."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, str):
            return inner
        for holder in (inner, body):
            for key in ("message", "detail", "msg"):
                if isinstance(holder, dict) and holder.get(key):
                    return error_words(holder[key])
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def _raise_error_object(error: Json) -> NoReturn:
    """An error in an answer whose status is success."""
    code = error.get("code") if isinstance(error, dict) else None
    number = int(code) if isinstance(code, int | str) and str(code).isascii() and str(code).isdigit() else 0
    message = f"the server answered with an error: {shown(error_words(error))}"
    said = json.dumps(error)
    if _LEAST_STATUS <= number <= _MOST_STATUS or is_about_account(said):
        fault = StatusError(message, "" if number else ACCOUNT_HELP, status=number)
        fault.complaint = said
        raise fault
    raise UnreadableReplyError(message, "fix what the server reports there")
