"""Ways to show what a spec sends, one module each; `TRANSCRIPTS` names them all.

A way is `show(transcripts, options) -> Shown`: the transcripts are those of one spec at one point or several, in their
order. `EXPORTS` are those that are sent to a model. A module is imported when it is first used.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.transcripts.options import Shown, ShowOptions
from acdl_mkdocs.wire import WIRES

if TYPE_CHECKING:
    from acdl_mkdocs.evaluation.transcript import Transcript

Show: TypeAlias = Callable[[Sequence["Transcript"], ShowOptions], Shown]


def _on_first_use(module: str) -> Show:
    def show(transcripts: "Sequence[Transcript]", options: ShowOptions) -> Shown:
        shown: Shown = import_module(f"acdl_mkdocs.transcripts.{module}").show(transcripts, options)
        return shown

    return show


def _request(format: str, transcripts: "Sequence[Transcript]", options: ShowOptions) -> Shown:
    shown: Shown = import_module("acdl_mkdocs.transcripts.provider").show(format, transcripts, options)
    return shown


EXPORTS: Mapping[str, Show] = {name: partial(_request, name) for name in WIRES}
TRANSCRIPTS: Mapping[str, Show] = {
    "transcript": _on_first_use("text"),
    "json": _on_first_use("json_tree"),
    "html": _on_first_use("html"),
    "growth": _on_first_use("growth"),
    **EXPORTS,
}

__all__ = ["EXPORTS", "TRANSCRIPTS", "Show", "ShowOptions", "Shown"]
