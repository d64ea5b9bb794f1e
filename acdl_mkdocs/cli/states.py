"""States that are named on the command line: read, checked against their specs, and written for the first time."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from acdl_mkdocs.cli.messages import summarize
from acdl_mkdocs.cli.spec_and_state import chosen_input, inputs_of, no_such_spec
from acdl_mkdocs.cli.writing import make_files
from acdl_mkdocs.evaluation.state.mismatches import missing_names, prompts_of, unfilled_values, unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.skeleton import skeleton
from acdl_mkdocs.evaluation.state.spec_reads import reads_of
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.reports import CheckedFile
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.workspace.inputs import UnusableInputError, read_inputs, read_named
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.search import Named
from acdl_mkdocs.workspace.states import file_of_state


class UnusableStateError(Exception):
    """A state or its spec cannot be read or written; the message is a sentence with the name."""


def first_state(path: str, name: str | None, schema: str) -> tuple[str, tuple[Finding, ...]]:
    """The text of a first state of a spec; or what is wrong with the spec, and no text.

    Parameters:
        path: Of the text with the spec.
        name: Of the spec; the first one without it.
        schema: Where editors find the schema of states.

    Raises:
        UnusableRequestError: There is no such spec.
    """
    inputs = inputs_of(path)
    given = chosen_input(inputs, name, path)
    examined = given.understood()
    errors = tuple(each for each in given.all_findings(examined) if each[0].severity == "error")
    if errors:
        return "", errors
    prompts = prompts_of(examined.resolved, None)
    if name is not None and all(each.name.name != name for each in prompts):
        raise no_such_spec(path, name, inputs)
    chosen = [each for each in prompts if each.name.name == name][:1] or prompts[:1]
    return skeleton(reads_of(examined.resolved, chosen), chosen[0].name.name if chosen else "", schema), ()


def write_state(path: Path, text: str, schema: str | None, spec: Mapping[Path, str] | None = None) -> str:
    """Write a new file, the schema beside it unless it is there, and a spec: all or none. What to say about that.

    Raises:
        UnusableStateError: There is such a file already.
    """
    if os.path.lexists(path):
        raise UnusableStateError(f"nothing was made: {path} exists already; choose another name, or remove it")
    beside = path.parent / (schema or "")
    texts = {path: text} | ({beside: _schema_text(beside)} if schema and not os.path.lexists(beside) else {})
    texts |= spec or {}
    make_files(texts)
    made = map(str, texts)
    return f"made {' and '.join(made)}; next: fill in the placeholders, then `acdl state check {path}`"


def write_schema(path: Path) -> list[str]:
    """Write a schema for editors unless it is there; its name if it was not."""
    if os.path.lexists(path):
        return []
    make_files({path: _schema_text(path)})
    return [str(path)]


def _schema_text(path: Path) -> str:
    return files("acdl_mkdocs").joinpath(f"assets/{path.name}").read_text("utf-8")


def check_state(path: str, spec_file: str | None) -> CheckedFile:
    """Everything that is wrong with a state, alone and beside its spec.

    Raises:
        UnusableStateError: The state or the file of the specs cannot be read.
    """
    named = Named(None if path == "-" else Path(path), Path("state"))
    try:
        text, name = read_named(named)
    except UnusableInputError as reason:
        raise UnusableStateError(str(reason)) from None
    file = read_state(text, name, named.folder)
    found: list[Finding] = [(each, file.source) for each in file.problems]
    beside = file_of_state(named.path, file.state.spec) if file.state is not None and named.path else None
    specs = spec_file or (str(beside) if beside is not None else None)
    found += [(each, file.source) for each in unfilled_values(file)]
    if specs is not None and file.state is not None:
        resolved = _specs_of(specs)
        names = [each.name.name for each in prompts_of(resolved, None)]
        if file.state.spec is not None and file.state.spec not in names:
            raise UnusableStateError(f"{specs}: there is no spec `{file.state.spec}`, which {name} is for")
        against = (*unread_names(resolved, file.state, file.source), *missing_names(resolved, file.state))
        found += [(each, file.source) for each in against]
    found.sort(key=lambda each: each[0].label.span.start)
    return CheckedFile(name, tuple(found))


def _specs_of(path: str) -> Resolved:
    """The specs of a file, with the fragments of others that it names."""
    named = Named(None if path == "-" else Path(path), Path(path).with_suffix(""))
    try:
        inputs = read_inputs(named, Config(snippet=True))
    except UnusableInputError as reason:
        raise UnusableStateError(str(reason)) from None
    if not inputs:
        raise UnusableStateError(f"{path}: has no acdl blocks")
    return inputs[0].understood().resolved


def summary(files: Sequence[CheckedFile], *, is_said: bool) -> Counter[str]:
    """How many problems there are by severity; said on a terminal."""
    found = Counter[str](diagnostic.severity for file in files for diagnostic, _ in file.findings)
    if is_said and files:
        listed = [counted(found[each], each) for each in ("error", "warning", "note") if found[each]]
        summarize(f"{', '.join(listed) or 'no problems'} in {counted(len(files), 'state')}")
    return found
