"""`read_usage()`: the model tokens that a provider counted, from the reply that a recording has of it."""

from acdl_mkdocs.inspection.inspection import Usage
from acdl_mkdocs.prompts.prompt import Json


def read_usage(reply: Json) -> Usage | None:
    """The usage of a reply; `None` where it has none."""
    if not isinstance(reply, dict):
        return None
    usage = next((found for key in ("usage", "usageMetadata") if isinstance(found := reply.get(key), dict)), None)
    if usage is None:
        return None
    n_output = _number(usage, "completion_tokens", "output_tokens", "candidatesTokenCount")
    n_fresh = _number(usage, "prompt_tokens", "input_tokens", "promptTokenCount")
    details = next((d for key in _DETAILS if isinstance(d := usage.get(key), dict)), {})
    n_cached = _number(details, "cached_tokens")
    if n_cached is None:
        n_cached = _number(usage, "cachedContentTokenCount", "prompt_cache_hit_tokens")
    n_read, n_written = _number(usage, "cache_read_input_tokens"), _number(usage, "cache_creation_input_tokens")
    if n_read is not None or n_written is not None:  # Anthropic counts them apart from `input_tokens`
        n_fresh, n_cached = (n_fresh or 0) + (n_read or 0) + (n_written or 0), n_read or 0
    return None if n_fresh is None else Usage(n_fresh, n_cached, n_output)


_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def _number(values: dict[str, Json], *keys: str) -> int | None:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
