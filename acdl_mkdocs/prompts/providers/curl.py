"""`curl()`: a request as a command for a POSIX shell, with the key from the environment.

The body is a quoted here-document of JSON: no line of JSON is the word that ends it, since a word alone is not JSON.
"""

import json
import re
from urllib.parse import quote

from acdl_mkdocs.foundation.errors import SettingsError, UnknownFormatError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS

_END = "END_OF_BODY"
_SURROGATE = re.compile("[\ud800-\udfff]")


def curl(body: dict[str, Json], format: str, model: str | None = None) -> str:
    """Return a `curl` command that sends a request body.

    Parameters:
        body: The body, from `write`.
        format: Key in `WIRES` of its format.
        model: Name of the model, if the body does not have it.

    Raises:
        UnknownFormatError: There is no such format.
        SettingsError: Neither the body nor `model` names a model.
    """
    if format not in PROVIDERS:
        near = find_closest(format, PROVIDERS)
        cure = f"did you mean `{near}`?" if near else f"choose one of {', '.join(f'`{name}`' for name in PROVIDERS)}"
        raise UnknownFormatError(f"there is no request format `{format}`: {cure}")
    named = model if model is not None else body.get("model")
    if not isinstance(named, str) or not named:
        raise SettingsError("the request needs a model name: add `--model NAME`")
    provider = PROVIDERS[format]
    if not provider.is_model_in_address:
        body = {**body, "model": named}
    headers = ("Content-Type: application/json", *provider.headers)
    address = provider.address.replace("{model}", quote(named, safe="-._"))
    lines = [f"curl -sS '{address}' \\", *(f'  -H "{header}" \\' for header in headers)]
    return "\n".join([*lines, f"  --data-binary @- <<'{_END}'", format_json(body), _END, ""])


def format_json(value: Json) -> str:
    """Return readable JSON: indented, letters of all scripts unescaped, lone surrogates escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
