"""The engine of the playground: requests of the page in, answers out, all of them JSON.

The same module runs in a browser, on Pyodide, and natively. It answers one request after another and never raises:
what cannot be done is an `error` with a cure. What a request needs is imported when it first comes, so that the
first figure does not wait for it.
"""

import json
import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from acdl_mkdocs.foundation.errors import AcdlError, RefusedError
from acdl_mkdocs.frontends.playground.on_page import on_page
from acdl_mkdocs.frontends.playground.params import Data, Params

METHODS: Mapping[str, str] = {
    "look": "looking",
    "tokens": "looking",
    "export": "looking",
    "hover": "writing",
    "complete": "writing",
    "symbols": "writing",
    "format": "writing",
    "actions": "writing",
    "convert": "writing",
    "evaluate": "evaluating",
    "new_state": "evaluating",
    "diff": "comparing",
    "infer": "inferring",
}
"""The methods, and the module that has a function of that name for each: from parameters to an answer."""

_log = logging.getLogger(__name__)


def answer_json(method: str, params: str) -> str:
    """Answer a request as JSON: `{"result": ...}` or `{"error": {"message", "cure"}}`.

    Parameters:
        method: One of `METHODS`.
        params: An object as JSON.
    """
    return json.dumps(answer_question(method, json.loads(params)), ensure_ascii=False)


def answer_question(method: str, params: Mapping[str, object]) -> Data:
    """Answer a request: a `result`, or an `error` with `message` and `cure`."""
    if method not in METHODS:
        return _refusal_data(f"the engine has no `{method}`", f"ask one of {', '.join(METHODS)}")
    try:
        module = import_module(f"acdl_mkdocs.frontends.playground.{METHODS[method]}")
        return {"result": cast("Callable[[Params], Data | None]", getattr(module, method))(Params(params))}
    except RefusedError as reason:
        return _refusal_data(reason.message, reason.help)
    except AcdlError as reason:
        message, _, cure = str(reason).partition("; ")
        return _refusal_data(message, cure)
    except RecursionError:
        return _refusal_data("this is nested too deeply", "write it with fewer levels")
    except Exception as fault:  # the page must survive any failure caused by a text
        _log.debug("%s failed", method, exc_info=True)
        return _refusal_data(f"this failed with {type(fault).__name__}", "please report it with the text")


def _refusal_data(message: str, cure: str) -> Data:
    return {"error": {"message": on_page(message), "cure": on_page(cure)}}
