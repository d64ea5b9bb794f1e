"""What the sample states of documents call templates, functions and specs: edited together with the texts.

A state names them as keys of `templates` and `functions`, and in `spec`. Reads the states that lie beside a file and
that its comments name, as they are on the disk.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from acdl_mkdocs.editor.documents import Document
from acdl_mkdocs.editor.occurrences import Named
from acdl_mkdocs.editor.places import TextEdit
from acdl_mkdocs.editor.workspace import Workspace
from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import Items, Pairs, Scalar, YamlNode
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.read_block import defined_names
from acdl_mkdocs.workspace.states import states_beside

_SECTIONS = {"template": "templates", "function": "functions"}
_COMMENT = re.compile(r"^[ \t]*//[ \t]*state[ \t]*:[ \t]*(\S+)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def states_of(workspace: Workspace, document: Document) -> tuple[Source, ...]:
    """The states of a document, each once: those that the workspace knows, lie beside it or are named by comments."""
    path = document.path
    known = [state for key, state in workspace.states.items() if key.partition("#")[0] == document.uri]
    found = {Path(each.name): each for each in known}
    for file in _files(path, document.text) if path is not None and path.parent.is_dir() else ():
        if file not in found:
            try:
                found[file] = Source(read_text(file), str(file))
            except UnreadableFileError:
                continue  # it is told where it is shown
    return tuple(found.values())


def _files(path: Path, text: str) -> Iterator[Path]:
    beside = states_beside(path, defined_names(text), FolderNames())
    yield from filter(None, (beside.first, beside.shared, *beside.named.values()))
    yield from (path.parent / name for name in _COMMENT.findall(text))


def state_edits(workspace: Workspace, named: Named, uris: Iterable[str], new_name: str) -> tuple[TextEdit, ...]:
    """The edits of states that go with a rename; none for what a state cannot name.

    Parameters:
        workspace: The documents.
        named: What is renamed.
        uris: The documents that say it, whose states are looked at.
        new_name: The name.

    Raises:
        RenameError: A state has the new name already, or the name stands where it cannot be replaced.
    """
    if named.kind not in (*_SECTIONS, "spec"):
        return ()
    documents = (workspace.documents[uri] for uri in uris)
    states = {each.name: each for document in documents for each in states_of(workspace, document)}
    return tuple(edit for state in states.values() for edit in _edits(state, named, new_name))


def _edits(state: Source, named: Named, new_name: str) -> Iterator[TextEdit]:
    root = read_yaml(state).root
    if not isinstance(root, Pairs):
        if re.search(rf"\b{re.escape(named.name)}\b", state.text):
            raise RenameError(f"the state `{state.name}` cannot be read, and has the name", "mend the state first")
        return
    top = {key.text: value for key, value in root.pairs}
    names = {each.text: each for each in _names(top, named)}
    if named.name in names:
        if new_name in names and new_name != named.name:
            raise RenameError(f"the state `{state.name}` has `{new_name}` too", "choose another name")
        yield _edit(state, names[named.name], new_name)
    for condition in _conditions(top.get("assume")):
        if named.kind != "spec" and re.search(rf"\b{re.escape(named.name)}\b", condition.text):
            message = f"the state `{state.name}` assumes something of `{named.name}`"
            raise RenameError(message, "replace the name in the condition, then rename it")


def _names(top: dict[str, YamlNode], named: Named) -> Iterator[Scalar]:
    """The words of a state that name things of one kind."""
    if named.kind == "spec":
        given = top.get("spec")
        if isinstance(given, Scalar) and given.text == named.name:
            yield given
        return
    section = top.get(_SECTIONS[named.kind])
    if isinstance(section, Pairs):
        yield from (key for key, _ in section.pairs)


def _conditions(node: YamlNode | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Items) else ():
        for key, value in item.pairs if isinstance(item, Pairs) else ():
            if key.text == "when" and isinstance(value, Scalar):
                yield value


def _edit(state: Source, scalar: Scalar, new_name: str) -> TextEdit:
    """Replace a word, its quotes left as they are."""
    written = state.text[scalar.span.start : scalar.span.end]
    at = written.find(scalar.text)
    if at < 0:
        raise RenameError(f"the state `{state.name}` spells `{scalar.text}` in another way", "replace it there by hand")
    start = scalar.span.start + at
    path = Path(state.name)
    uri = path.as_uri() if path.is_absolute() else state.name
    return TextEdit(uri, Span(start, start + len(scalar.text)), new_name)
