"""The spec and the state that `acdl unroll` is asked for: in a file or a page, named or found beside each other."""

import argparse
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from acdl_mkdocs.evaluation.state.mismatches import prompts_of
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_inputs, read_named
from acdl_mkdocs.workspace.read_block import defined_names
from acdl_mkdocs.workspace.search import Named
from acdl_mkdocs.workspace.settings import load_settings
from acdl_mkdocs.workspace.states import states_beside


class UnusableRequestError(AcdlError):
    """What is asked for is not there; the message is a sentence."""


def named_spec(args: argparse.Namespace) -> tuple[str, str | None]:
    """The path, and the name behind `#` if there is no file of the whole name."""
    path, sign, name = str(args.path).rpartition("#")
    if not sign or not path or os.path.exists(args.path):
        return args.path, args.spec
    return path, args.spec or name or None


def inputs_of(path: str) -> list[Input]:
    """The texts of a file: itself, or the blocks of a page; those without a title are fine."""
    if os.path.isdir(path):
        raise UnusableRequestError(f"{path}: is a folder; name one .acdl file or page in it")
    named = Named(None if path == "-" else Path(path), Path("spec"))
    try:
        settings = cache(load_settings)
        inputs = read_inputs(named, Config(range=settings(named.folder).config.range, snippet=True))
    except UnusableInputError as reason:
        raise UnusableRequestError(str(reason)) from None
    if not inputs:
        raise UnusableRequestError(f"{path}: has no acdl blocks")
    return inputs


def chosen_input(inputs: Sequence[Input], name: str | None, path: str) -> Input:
    """The text with the spec: of a page, the block that defines it."""
    if len(inputs) == 1:
        return inputs[0]
    names = {each: defined_names(given.text.source.text) for each, given in enumerate(inputs)}
    found = [inputs[each] for each, defined in names.items() if name in defined]
    if found:
        return found[0]
    if name is not None:
        raise no_such_spec(path, name, inputs)
    listed = _listed(_prompts(inputs))
    raise UnusableRequestError(f"{path}: has {len(inputs)} blocks; say which spec with --spec: {listed}")


def no_such_spec(path: str, name: str, inputs: Sequence[Input]) -> UnusableRequestError:
    """That texts have no spec of a name, with the near one, or with all that there are; fragments are none."""
    names = _prompts(inputs)
    near = closest(name, names)
    hint = f"did you mean `{near}`?" if near else f"it has {_listed(names)}"
    return UnusableRequestError(f"{path}: there is no spec `{name}`; {hint}")


def _prompts(inputs: Sequence[Input]) -> list[str]:
    return [each.name.name for given in inputs for each in prompts_of(given.understood().resolved, None)]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in dict.fromkeys(names)) or "none with a title"


def state_file_of(given: str | None, path: str, names: Sequence[str], name: str | None) -> StateFile | None:
    """The state that is named, or the one beside the spec.

    Parameters:
        given: The path on the command line.
        path: Of the text with the spec.
        names: Of all specs of the text.
        name: Of the spec, where one is named.
    """
    if given is None:
        found = _beside(path, names, name)
        if found is None:
            return None
        given = str(found)
    named = Named(None if given == "-" else Path(given), Path("state"))
    try:
        text, called = read_named(named)
    except UnusableInputError as reason:
        raise UnusableRequestError(str(reason)) from None
    return read_state(text, called, named.folder)


def _beside(path: str, names: Sequence[str], name: str | None) -> Path | None:
    """The state that a page of the site would show: that of the spec, else the one that is called like the file."""
    if path == "-":
        return None
    states = states_beside(Path(path), names, FolderNames())
    return (states.called(name) if name is not None else None) or states.first
