"""Answers from a script or a recording, as bytes that a client of a provider can read."""

import json

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import Answer, Asked
from acdl_mkdocs.prompts.providers.response_formats import content_type, shape_of
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Said
from acdl_mkdocs.prompts.redact import redacted_text

_NEVER_AGAIN = {"x-should-retry": "false"}
"""Clients that know it do not ask a second time."""
_CHARACTERS_A_TOKEN = 4


def json_answer(status: int, body: Json, **headers: str) -> Answer:
    """Return an answer in one piece."""
    data = json.dumps(body, ensure_ascii=True).encode()
    return Answer(status, {"content-type": "application/json", **headers}, (data,), len(data))


def failed(asked: Asked, failure: Failure, *, is_scripted: bool = False) -> Answer:
    """Return an error in the format of the provider; one not in the script is marked as final for clients."""
    found = json_answer(failure.status, shape_of(asked).failure(failure))
    headers = dict(found.pairs) if is_scripted else {**dict(found.pairs), **_NEVER_AGAIN}
    return Answer(found.status, headers, found.chunks, found.length)


def said_answer(asked: Asked, said: Said) -> Answer:
    """Return the reply of a model, in one piece or as a stream, as the client asks."""
    return whole_answer(asked, 200, shape_of(asked).body(said, asked))


def whole_answer(asked: Asked, status: int, body: Json) -> Answer:
    """Return an answer with a complete body."""
    if asked.is_streamed and status == 200 and isinstance(body, dict):
        return Answer(200, {"content-type": content_type(asked)}, shape_of(asked).streamed(body, asked))
    return json_answer(status, body)


def other_call(asked: Asked) -> Answer | str:
    """Return the answer to a call that asks no model, if there can be one; else why not."""
    if asked.method == "HEAD" or (asked.method == "GET" and asked.path in ("", "/")):
        return json_answer(200, {})
    if asked.path.endswith(("/count_tokens", ":countTokens", "/input_tokens")):
        n_tokens = -(-len(json.dumps(asked.json, ensure_ascii=False)) // _CHARACTERS_A_TOKEN)
        return json_answer(200, {"totalTokens": n_tokens} if ":" in asked.path else {"input_tokens": n_tokens})
    before, _, name = asked.path.rpartition("/models")
    if asked.method == "GET" and (before or asked.path.startswith("/models")) and ":" not in name:
        return json_answer(200, _models(asked, name.removeprefix("/")))
    cure = "record it with a provider and replay the recording"
    return (
        f"request {asked.number} is `{asked.method} {redacted_text(asked.path)}`, which a script cannot answer; {cure}"
    )


def _models(asked: Asked, name: str) -> dict[str, Json]:
    """Return the model that a client asks for, or an empty list."""
    if asked.provider in ("gemini", "vertex"):
        return {"name": f"models/{name}"} if name else {"models": []}
    if asked.provider == "anthropic":
        model: dict[str, Json] = {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": "1970-01-01T00:00:00Z",
        }
        return model if name else {"data": [], "has_more": False, "first_id": None, "last_id": None}
    return {"id": name, "object": "model", "created": 0, "owned_by": ""} if name else {"object": "list", "data": []}
