"""Ways to reach a language model, one module each; `MODELS` names them all.

A model has a `name` and `complete(prompt, ...) -> Reply`, and raises a `ModelError` if there is no usable answer.
`json_reply` asks any model for JSON and lets it repair an invalid reply once. A module is imported on first use.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from acdl_mkdocs.playbook.learn.models.json_reply import JsonReply, json_reply
from acdl_mkdocs.playbook.learn.models.model import (
    MAX_SENT_BACK,
    UNREPORTED,
    CallSettings,
    Model,
    ModelError,
    Reply,
    Usage,
    shorten_text,
)


def _on_first_use(module: str, name: str) -> Callable[..., Model]:
    def make(*args: Any, **options: Any) -> Model:
        model: Model = getattr(import_module(f"acdl_mkdocs.playbook.learn.models.{module}"), name)(*args, **options)
        return model

    return make


MODELS: Mapping[str, Callable[..., Model]] = {
    "chat_completions": _on_first_use("chat_completions", "ChatCompletions"),
    "scripted": _on_first_use("scripted", "Scripted"),
}
"""The constructor of each kind of model, by the name of its module."""

__all__ = [
    "MAX_SENT_BACK",
    "MODELS",
    "UNREPORTED",
    "CallSettings",
    "JsonReply",
    "Model",
    "ModelError",
    "Reply",
    "Usage",
    "json_reply",
    "shorten_text",
]
