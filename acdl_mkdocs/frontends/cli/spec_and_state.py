"""The spec and the state for `acdl unroll`: in a file or a page, named or found beside each other."""

import argparse
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from acdl_mkdocs.app.new_state import FirstState, new_state
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.evaluation.state.mismatches import (
    find_missing_names,
    find_prompts,
    find_unread_names,
    report_unfilled_values,
)
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.reports import CheckedFile
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.cli.writing import make_files
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_inputs, read_named
from acdl_mkdocs.workspace.read_block import Finding, find_defined_names
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import load_settings
from acdl_mkdocs.workspace.states import find_file_of_state, find_states


class UnusableRequestError(AcdlError):
    """The requested spec or state does not exist; the message is a sentence."""


def parse_spec_name(args: argparse.Namespace) -> tuple[str, str | None]:
    """Return the path, and the name after `#` if there is no file of the whole name."""
    path, sign, name = str(args.path).rpartition("#")
    if not sign or not path or os.path.exists(args.path):
        return args.path, args.spec
    return path, args.spec or name or None


def inputs_of(path: str) -> list[Input]:
    """Return the texts of a file: itself, or the blocks of a page; titles are optional."""
    if os.path.isdir(path):
        raise UnusableRequestError(f"{path}: is a folder; name one .acdl file or page in it")
    named = NamedFile(None if path == "-" else Path(path), Path("spec"))
    try:
        settings = cache(load_settings)
        inputs = read_inputs(named, Config(range=settings(named.folder).config.range, snippet=True))
    except UnusableInputError as reason:
        raise UnusableRequestError(str(reason)) from None
    if not inputs:
        raise UnusableRequestError(f"{path}: has no acdl blocks")
    return inputs


def choose_input(inputs: Sequence[Input], name: str | None, path: str) -> Input:
    """Return the text with the spec: for a page, the block that defines it."""
    if len(inputs) == 1:
        return inputs[0]
    names = {each: find_defined_names(spec_input.text.source.text) for each, spec_input in enumerate(inputs)}
    matches = [inputs[each] for each, defined in names.items() if name in defined]
    if matches:
        return matches[0]
    if name is not None:
        raise no_such_spec(path, name, inputs)
    listed = _join_names(_list_prompts(inputs))
    raise UnusableRequestError(f"{path}: has {len(inputs)} blocks; say which spec with --spec: {listed}")


def no_such_spec(path: str, name: str, inputs: Sequence[Input]) -> UnusableRequestError:
    """Return the error that no spec has a name, with a similar name, or with all names; fragments do not count."""
    names = _list_prompts(inputs)
    near = find_closest(name, names)
    hint = f"did you mean `{near}`?" if near else f"it has {_join_names(names)}"
    return UnusableRequestError(f"{path}: there is no spec `{name}`; {hint}")


def _list_prompts(inputs: Sequence[Input]) -> list[str]:
    return [each.name.name for spec_input in inputs for each in find_prompts(spec_input.examine_names().resolved, None)]


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in dict.fromkeys(names)) or "none with a title"


def state_file_of(state_path: str | None, path: str, names: Sequence[str], name: str | None) -> StateFile | None:
    """Return the named state, or the one beside the spec.

    Parameters:
        state_path: The path on the command line.
        path: The file of the text with the spec.
        names: Of all specs of the text.
        name: Of the spec, where one is named.
    """
    if state_path is None:
        default_path = _find_state(path, names, name)
        if default_path is None:
            return None
        state_path = str(default_path)
    named = NamedFile(None if state_path == "-" else Path(state_path), Path("state"))
    try:
        text, called = read_named(named)
    except UnusableInputError as reason:
        raise UnusableRequestError(str(reason)) from None
    return read_state(text, called, named.folder)


def _find_state(path: str, names: Sequence[str], name: str | None) -> Path | None:
    """Return the state that a page of the site would show: that of the spec, else the one named after the file."""
    if path == "-":
        return None
    states = find_states(Path(path), names, FolderNames())
    return (states.find_state_named(name) if name is not None else None) or states.first


class UnusableStateError(Exception):
    """A state or its spec cannot be read or written; the message is a sentence with the name."""


def first_state(path: str, name: str | None, schema: str) -> FirstState:
    """Return a first state of a spec.

    Parameters:
        path: The file of the text with the spec.
        name: Of the spec; by default the first one.
        schema: Where editors find the schema of states.

    Raises:
        AcdlError: There is no such spec.
    """
    inputs = inputs_of(path)
    text = understand_input(choose_input(inputs, name, path))
    if (
        not text.errors
        and name is not None
        and all(each.name.name != name for each in find_prompts(text.resolved, None))
    ):
        raise no_such_spec(path, name, inputs)
    return new_state(text, name, schema)


def write_state(path: Path, text: str, schema: str | None, spec: Mapping[Path, str] | None = None) -> str:
    """Write a new file, the schema beside it unless it exists, and a spec: all or none. Return notes about it.

    Raises:
        UnusableStateError: There is such a file already.
    """
    if os.path.lexists(path):
        raise UnusableStateError(f"nothing was made: {path} exists already; choose another name, or remove it")
    beside = path.parent / (schema or "")
    texts = {path: text} | ({beside: _schema_text(beside)} if schema and not os.path.lexists(beside) else {})
    texts |= spec or {}
    make_files(texts)
    paths = map(str, texts)
    return f"made {' and '.join(paths)}; next: fill in the placeholders, then `acdl state check {path}`"


def write_schema(path: Path) -> list[str]:
    """Write a schema for editors unless it exists; return its name if it did not."""
    if os.path.lexists(path):
        return []
    make_files({path: _schema_text(path)})
    return [str(path)]


def _schema_text(path: Path) -> str:
    return files("acdl_mkdocs").joinpath(f"assets/{path.name}").read_text("utf-8")


def check_state(path: str, spec_file: str | None) -> CheckedFile:
    """Return the problems of a state, alone and with its spec.

    Raises:
        UnusableStateError: The state or the file of the specs cannot be read.
    """
    named = NamedFile(None if path == "-" else Path(path), Path("state"))
    try:
        text, name = read_named(named)
    except UnusableInputError as reason:
        raise UnusableStateError(str(reason)) from None
    file = read_state(text, name, named.folder)
    findings: list[Finding] = [(each, file.source) for each in file.problems]
    beside = find_file_of_state(named.path, file.state.spec) if file.state is not None and named.path else None
    specs = spec_file or (str(beside) if beside is not None else None)
    findings += [(each, file.source) for each in report_unfilled_values(file)]
    if specs is not None and file.state is not None:
        resolved = _specs_of(specs)
        names = [each.name.name for each in find_prompts(resolved, None)]
        if file.state.spec is not None and file.state.spec not in names:
            raise UnusableStateError(f"{specs}: there is no spec `{file.state.spec}`, which {name} is for")
        against = (*find_unread_names(resolved, file.state, file.source), *find_missing_names(resolved, file.state))
        findings += [(each, file.source) for each in against]
    findings.sort(key=lambda each: each[0].label.span.start)
    return CheckedFile(name, tuple(findings))


def _specs_of(path: str) -> Resolved:
    """Return the specs of a file, with the fragments of others that it names."""
    named = NamedFile(None if path == "-" else Path(path), Path(path).with_suffix(""))
    try:
        inputs = read_inputs(named, Config(snippet=True))
    except UnusableInputError as reason:
        raise UnusableStateError(str(reason)) from None
    if not inputs:
        raise UnusableStateError(f"{path}: has no acdl blocks")
    return inputs[0].examine_names().resolved
