"""What an address of a provider is for: a call that gives a model a context, and in which format, or something else."""

import re
from collections.abc import Mapping

_ADDRESSES: Mapping[str, str] = {
    r"/chat/completions$": "openai",
    r"/responses$": "responses",
    r"/messages$": "anthropic",
    r":(?:streamRawPredict|rawPredict)$": "anthropic",
    r":(?:generateContent|streamGenerateContent)$": "gemini",
}
"""How addresses of calls end, and the formats of their bodies: keys in `WIRES`."""
_OTHER_CALLS = re.compile(
    r"/(?:embeddings|moderations|audio/\w+|images/\w+|files|batches|models|rerank|messages/count_tokens)(?:/|$)"
    r"|:(?:countTokens|embedContent|batchEmbedContents)$"
)

_OTHER_DIALECTS = re.compile(
    r"/(?:converse(?:-stream)?|invoke(?:-with-response-stream)?|completions?|complete|generate|chat|interactions|runs)$"
    r"|/conversations(?:/[\w-]+(?:/restart)?)?$"
    r"|:predict$|^[^?#]*huggingface"
)
"""How addresses of models end whose requests are not read."""


def format_of_address(address: str) -> str | None:
    """Key in `WIRES` of what is sent to an address; `None` where that is no call of a model that we know."""
    path = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    return next((name for end, name in _ADDRESSES.items() if re.search(end, path)), None)


def is_other_address(address: str) -> bool:
    """Whether an address is one of a provider, but not of a call that gives a model a context."""
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    return format_of_address(address) is None and _OTHER_CALLS.search(path) is not None


def may_be_dialect(address: str) -> bool:
    """Whether an address may be one of a model whose requests are not read."""
    return _OTHER_DIALECTS.search(re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")) is not None


def model_of_address(address: str) -> str | None:
    """Name of the model that an address has in it."""
    found = re.search(r"/models/([^/:?#]+):|/deployments/([^/?#]+)/", address)
    return (found[1] or found[2]) if found else None
