"""Answers from a script or a recording, as bytes that a client of a provider can read."""

import json

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, ClientResponse
from acdl_mkdocs.prompts.providers.response_formats import choose_content_type, find_format, find_response_format
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError, ScriptedReply
from acdl_mkdocs.prompts.redact import redact_text

_NEVER_AGAIN = {"x-should-retry": "false"}
"""Clients that know it do not ask a second time."""
_CHARACTERS_A_TOKEN = 4


def write_json(status: int, body: Json, **headers: str) -> ClientResponse:
    """Return an answer in one piece."""
    data = json.dumps(body, ensure_ascii=True).encode()
    return ClientResponse(status, {"content-type": "application/json", **headers}, (data,), len(data))


def write_error(request: ClientRequest, failure: ScriptedError, *, is_scripted: bool = False) -> ClientResponse:
    """Return an error in the format of the provider; one not in the script is marked as final for clients."""
    response = write_json(failure.status, find_response_format(request).build_error(failure))
    headers = dict(response.pairs) if is_scripted else {**dict(response.pairs), **_NEVER_AGAIN}
    return ClientResponse(response.status, headers, response.chunks, response.length)


def write_reply(request: ClientRequest, reply: ScriptedReply) -> ClientResponse:
    """Return the reply of a model, in one piece or as a stream, as the client asks."""
    return write_whole(request, 200, find_response_format(request).build_body(reply, request))


def write_whole(request: ClientRequest, status: int, body: Json) -> ClientResponse:
    """Return an answer with a complete body."""
    if request.is_streamed and status == 200 and isinstance(body, dict):
        return ClientResponse(
            200,
            {"content-type": choose_content_type(request)},
            find_response_format(request).stream_body(body, request),
        )
    return write_json(status, body)


def answer_other_request(request: ClientRequest) -> ClientResponse | str:
    """Return the answer to a request that is not for a model, if possible; otherwise the reason."""
    if request.method == "HEAD" or (request.method == "GET" and request.path in ("", "/")):
        return write_json(200, {})
    if request.path.endswith(("/count_tokens", ":countTokens", "/input_tokens")):
        n_tokens = -(-len(json.dumps(request.json, ensure_ascii=False)) // _CHARACTERS_A_TOKEN)
        return write_json(200, {"totalTokens": n_tokens} if ":" in request.path else {"input_tokens": n_tokens})
    before, _, name = request.path.rpartition("/models")
    if request.method == "GET" and (before or request.path.startswith("/models")) and ":" not in name:
        return write_json(200, PROVIDERS[find_format(request)].describe_model(name.removeprefix("/")))
    cure = "record it with a provider and replay the recording"
    return (
        f"request {request.number} is `{request.method} {redact_text(request.path)}`, which a "
        f"script cannot answer; {cure}"
    )
