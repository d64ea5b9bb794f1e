"""Rename the name at a cursor in all documents, if every name still refers to the same thing afterwards.

This is tried, not computed: the edits are made in a copy of the workspace, whose names are compared with those
before.
"""

from acdl_mkdocs.evaluation.functions import BUILT_IN
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.name_occurrences import Target
from acdl_mkdocs.frontends.editor.occurrences import NamedTarget, find_occurrences, names_at
from acdl_mkdocs.frontends.editor.places import Location, TextEdit
from acdl_mkdocs.frontends.editor.rename_trial import RenameTrial, describe_location, explain_taken_name, state_edits
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.keywords import DOCUMENTED_WORDS, INNER_WORDS
from acdl_mkdocs.language.syntax.letters import end_of_word, normalize_name
from acdl_mkdocs.language.syntax.nodes import NAMESPACES

_RESERVED = frozenset((*DOCUMENTED_WORDS, *INNER_WORDS, *NAMESPACES, "Frag", "when", "range", "substeps", "len"))


def rename_range(workspace: Workspace, uri: str, offset: int) -> Span | None:
    """Return the name at a cursor that would be renamed; `None` if there is none.

    Raises:
        RenameError: It cannot be renamed.
    """
    named = names_at(workspace, uri, offset)
    if named is not None:
        with system.pause_collector():
            _refuse_target(workspace, named)
    return named.span if named else None


def rename_at(workspace: Workspace, uri: str, offset: int, new_name: str) -> tuple[TextEdit, ...]:
    """Return the edits that rename the name at a cursor everywhere, also in the sample states of its documents.

    Parameters:
        workspace: The documents.
        uri: The document of the cursor.
        offset: The cursor.
        new_name: The name; a `@` or `$` before it is ignored.

    Raises:
        RenameError: There is no name, it cannot be renamed, or a name would refer to something else.
    """
    named = names_at(workspace, uri, offset)
    if named is None:
        raise RenameError("there is no name here", "put the cursor on the name of a spec, fragment, `Name` or variable")
    with system.pause_collector():  # it parses all documents that contain the name
        _refuse_target(workspace, named)
        new_name = new_name.strip().lstrip("@$")
        _refuse_name(workspace, named, new_name)
        occurrences = find_occurrences(workspace, named.targets)
        places = dict.fromkeys((each.uri, each.span) for each in occurrences)
        edits = tuple(TextEdit(uri, span, new_name) for uri, span in places)
        if normalize_name(new_name) != named.name:
            RenameTrial(workspace, named, occurrences, edits, new_name).check_names()
            uris = dict.fromkeys(each.uri for each in occurrences)
            edits += state_edits(workspace, named, uris, new_name)
    return edits


def _refuse_target(workspace: Workspace, named: NamedTarget) -> None:
    """Refuse a name that cannot be renamed, and say why."""
    if named.kind == "variable":
        raise RenameError(
            f"`{named.name}` is given by the program, which would not know the new name",
            "rename it in the program, then replace it in the specs and state files",
        )
    if named.kind == "function" and named.name in BUILT_IN:
        raise RenameError(f"`{named.name}` is a function of the language", "write another function in its place")
    if len({each.source for each in named.targets}) > 1:
        where = ", ".join(describe_location(workspace, each) for each in named.definitions)
        raise RenameError(f"`{named.name}` is defined in several places: {where}", "rename it where it is defined")
    if named.kind not in ("template", "function") and not named.definitions:
        raise RenameError(f"the file that defines `{named.name}` is not open", "add its folder to the workspace")


def _refuse_name(workspace: Workspace, named: NamedTarget, new_name: str) -> None:
    """Refuse a new name that is not valid, or unchanged, and say why."""
    is_word = bool(new_name) and not new_name[0].isdigit() and end_of_word(new_name, 0) == len(new_name)
    if not is_word:
        cure = "write letters, digits and `_`, with a letter first"
        raise RenameError(f"`{new_name}` is not a name", cure)
    if new_name in _RESERVED:
        raise RenameError(f"`{new_name}` is a word of the language", f"choose another name, such as `{new_name}_2`")
    name = normalize_name(new_name)
    if named.kind in ("template", "function") and name != named.name:
        occurrences = find_occurrences(workspace, [Target(named.kind, name)])
        if occurrences:
            location = Location(occurrences[0].uri, occurrences[0].span)
            raise RenameError(*explain_taken_name(workspace, named, name, location))
