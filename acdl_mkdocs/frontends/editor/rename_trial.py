"""A trial of a rename: the edits are made in a copy of the workspace, whose names are compared with those before.

Where a name is used in very many documents, those are not read again in which nothing but the name itself can have
changed: it appears at the edited places only, and the new name nowhere.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate
from pathlib import Path

from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlList, YamlMap, YamlNode
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.mentions import mentions_in
from acdl_mkdocs.frontends.editor.name_occurrences import LOCAL, Target
from acdl_mkdocs.frontends.editor.occurrences import NamedTarget, Occurrence, find_mentioned, find_occurrences, names_at
from acdl_mkdocs.frontends.editor.places import Location, TextEdit
from acdl_mkdocs.frontends.editor.proof import sends_alike
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.keywords import DOCUMENTED_WORDS, INNER_WORDS, NOT_ACDL, STATEMENT_WORDS
from acdl_mkdocs.language.syntax.letters import normalize_name
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.language.syntax.tokens import ROLES, is_all_caps
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.states import find_states

_MOST_CHECKED = 50
"""Limit on documents whose problems are compared too; names are compared in all documents."""
_READ_OTHERWISE = frozenset(
    each.lower()
    for each in (
        *DOCUMENTED_WORDS,
        *STATEMENT_WORDS,
        *INNER_WORDS,
        *ROLES,
        *NAMESPACES,
        *NOT_ACDL,
        *("each", "for", "frag", "len", "max", "min", "namespace", "range", "role", "substeps", "when"),
        *("empty", "false", "none", "null", "prompt", "true"),
    )
)
"""Words that have a special reading."""
_CALLED = {
    "spec": "spec",
    "fragment": "fragment",
    "name": "`Name`",
    "loop": "variable of a loop",
    "parameter": "parameter",
    "template": "template",
    "function": "function",
}


def explain_taken_name(workspace: Workspace, named: NamedTarget, name: str, location: Location) -> tuple[str, str]:
    """Return why a name is not free, and what to do."""
    message = f"there is a {_CALLED[named.kind]} `{name}` already, in {describe_location(workspace, location)}"
    return message, f"choose another name, such as `{name}_2`"


def describe_location(workspace: Workspace, location: Location) -> str:
    """Return a location in words: file and line."""
    document = workspace.documents[location.uri]
    return f"{document.name}:{document.positions_in().position_of(location.span.start).line + 1}"


class RenameTrial:
    """A workspace with the edits made, and the one before."""

    def __init__(
        self,
        workspace: Workspace,
        named: NamedTarget,
        occurrences: tuple[Occurrence, ...],
        edits: Iterable[TextEdit],
        new_name: str,
    ) -> None:
        """Make the edits.

        Parameters:
            workspace: The documents.
            named: The name to rename.
            occurrences: All of its occurrences.
            edits: The edits that rename it.
            new_name: The name.
        """
        self.before = workspace
        self.named = named
        self.occurrences = occurrences
        self.new_name = normalize_name(new_name)
        self.edits: dict[str, list[TextEdit]] = {}
        for edit in edits:
            self.edits.setdefault(edit.uri, []).append(edit)
        edited = ((workspace.documents[uri], each) for uri, each in self.edits.items())
        self.after = workspace.with_documents(
            each.with_text(_apply_edits(each, its), each.version) for each, its in edited
        )
        self.shifts = {uri: _OffsetShift(each) for uri, each in self.edits.items()}

    def check_names(self) -> None:
        """Compare the names of every document that the new name or the old one may affect.

        Raises:
            RenameError: A name refers to something else.
        """
        tried: set[str] = set()
        is_plain = self._is_plain()
        for uri in self._list_concerned_documents():
            if is_plain and len(tried) >= _MOST_CHECKED and self._changes_in_name_alone(uri):
                continue
            for (old, new), location in self._pair_names(uri):
                if old != new:
                    raise self._report_changed_meaning(location)
            if len(tried) < _MOST_CHECKED:
                self._compare_problems(uri)
            tried.add(uri)
        self._compare_sent()
        self._compare_uses(tried)

    def _is_plain(self) -> bool:
        """Return whether the two names are read alike wherever they occur, and no other definition has one of them."""
        old, new = self.named.name, self.new_name
        is_alike = is_all_caps(old) == is_all_caps(new) and old[:1].isupper() == new[:1].isupper()
        are_words = all(each.isascii() and len(each) > 1 and each.lower() not in _READ_OTHERWISE for each in (old, new))
        if self.named.kind not in ("spec", "fragment"):
            return is_alike and are_words
        is_alone = len(self.named.targets) == len(self.before.find_definitions(old)) == 1
        return is_alike and are_words and is_alone and not self.before.find_definitions(new)

    def _changes_in_name_alone(self, uri: str) -> bool:
        """Return whether an edited document has no errors, the old name at edited places only, and no new name."""
        document, edits = self.before.documents[uri], self.edits.get(uri, ())
        if not edits or not document.text.isascii() or self.new_name in document.text:
            return False
        is_understood = not any(each.parsed.diagnostics for each in document.pieces)
        return is_understood and document.text.count(self.named.name) == len(edits)

    def _compare_uses(self, tried: Collection[str]) -> None:
        """Compare all occurrences of the old and the new name in the documents that were tried."""
        namesakes = [names_at(self.before, each.uri, each.span.start) for each in self._find_conflicting_definitions()]
        for named in (self.named, *filter(None, namesakes)):
            if self._uses_before(named, tried) != self._uses_after(named, tried):
                raise self._report_changed_meaning(self._first_changed(named, tried))

    def _compare_sent(self) -> None:
        """Refuse a local name that is spelled like a template: evaluation would read it as that.

        Raises:
            RenameError: One of the names is a template too, or the messages would change.
        """
        piece = self.named.piece
        if self.named.kind not in LOCAL or piece is None:
            return
        for site in self.before.list_names(piece):
            if site.target.kind == "template" and site.target.name in (self.new_name, self.named.name):
                location = Location(piece.uri, piece.to_document(site.span))
                where = describe_location(self.before, location)
                raise RenameError(f"`{site.target.name}` is a template too, in {where}", self._suggest_other_name())
        number = self.before.pieces_of(piece.uri).index(piece)
        text = self.after.pieces_of(piece.uri)[number].source.text
        at = piece.from_document(self.named.span.start) or 0
        if not sends_alike(self.before, piece, text, at, (self.named.name, self.new_name)):
            where = describe_location(self.before, Location(piece.uri, self.named.span))
            message = f"with the name `{self.new_name}` something else would be sent by the definition in {where}"
            raise RenameError(message, f"see what `{self.named.name}` stands for there: `acdl unroll` says it")

    def _first_changed(self, named: NamedTarget, tried: Collection[str]) -> Location:
        """Return the first place that refers to something else than before."""
        now = set(self._uses_after(named, tried))
        occurrences = [each for each in self._find_occurrences(named) if each.uri in tried]
        missing = [each for each in occurrences if (each.uri, self._shift_offset(each.uri, each.span.start)) not in now]
        return (
            Location(missing[0].uri, missing[0].span) if missing else Location(next(iter(self.edits)), self.named.span)
        )

    def _find_occurrences(self, named: NamedTarget) -> tuple[Occurrence, ...]:
        return self.occurrences if named is self.named else find_occurrences(self.before, named.targets)

    def _uses_before(self, named: NamedTarget, tried: Collection[str]) -> list[tuple[str, int]]:
        """Return the occurrences before, shifted to their expected places."""
        occurrences = (each for each in self._find_occurrences(named) if each.uri in tried)
        return [(each.uri, self._shift_offset(each.uri, each.span.start)) for each in occurrences]

    def _uses_after(self, named: NamedTarget, tried: Collection[str]) -> list[tuple[str, int]]:
        """Return the occurrences after the edits."""
        occurrences = find_occurrences(self.after, filter(None, map(self.after_target, named.targets)), within=tried)
        return [(each.uri, each.span.start) for each in occurrences]

    def after_target(self, target: Target) -> Target | None:
        """Return the target that a target becomes by the edits."""
        name = self.new_name if target in self.named.targets else target.name
        piece = self.before.piece_of(target.source) if target.source else None
        if target.source is None or piece is None:
            return Target(target.kind, name, target.source, target.start)
        number = self.before.pieces_of(piece.uri).index(piece)
        pieces = self.after.pieces_of(piece.uri)
        if number >= len(pieces):
            return None
        start = piece.to_document(Span(target.start, target.start)).start
        inner = pieces[number].from_document(self._shift_offset(piece.uri, start))
        return Target(target.kind, name, pieces[number].source, inner or 0)

    def _list_concerned_documents(self) -> Iterator[str]:
        """Yield the documents that were edited, and those that mention one of the names."""
        yield from self.edits
        if self.named.kind in ("spec", "fragment"):
            names = self.new_name, self.named.name
            for uri, each in self.before.documents.items():
                is_said = any(name in each.text for name in names) or not each.text.isascii()
                if is_said and uri not in self.edits:
                    yield uri

    def _pair_names(self, uri: str) -> Iterator[tuple[tuple[object, object], Location]]:
        """Yield the expected and the actual target of each name of a document."""
        pairs = list(zip(self.before.pieces_of(uri), self.after.pieces_of(uri), strict=True))
        for old, new in pairs:
            sites, others = self.before.list_names(old), self.after.list_names(new)
            for one, other in zip(sites, others, strict=False):
                span, new_span = old.to_document(one.span), new.to_document(other.span)
                targets = tuple(map(self.after_target, one.targets))
                yield (
                    ((self._shift_offset(uri, span.start), targets), (new_span.start, other.targets)),
                    Location(uri, span),
                )
            if len(sites) != len(others):
                yield (len(sites), len(others)), Location(uri, old.span)
        yield from self._pair_mentions(uri)

    def _pair_mentions(self, uri: str) -> Iterator[tuple[tuple[object, object], Location]]:
        """Yield the same for names outside of the language."""
        documents = self.before.documents[uri], self.after.documents[uri]
        one, other = (mentions_in(each) for each in documents)
        for before, after in zip(one, other, strict=False):
            old, new = (
                find_mentioned(self.before, documents[0], before),
                find_mentioned(self.after, documents[1], after),
            )
            start, targets = self._shift_offset(uri, before.span.start), tuple(map(self.after_target, old))
            yield ((start, targets), (after.span.start, new)), Location(uri, before.span)
        if len(one) != len(other):
            yield (len(one), len(other)), Location(uri, self.named.span)

    def _compare_problems(self, uri: str) -> None:
        """Refuse edits that introduce a problem."""
        for old, new in zip(self.before.pieces_of(uri), self.after.pieces_of(uri), strict=True):
            counts = Counter(each.rule for each in self.before.list_diagnostics(old))
            for each in self.after.list_diagnostics(new):
                counts[each.rule] -= 1
                if counts[each.rule] < 0 and each.severity != "note":
                    raise RenameError(
                        f"as `{self.new_name}` it would be wrong: {each.message}", self._suggest_other_name()
                    )

    def _shift_offset(self, uri: str, offset: int) -> int:
        shift = self.shifts.get(uri)
        return shift.shift_offset(offset) if shift else offset

    def _find_conflicting_definitions(self) -> tuple[Location, ...]:
        """Return the definitions that have the new name already."""
        return self.before.find_definitions(self.new_name) if self.named.kind in ("spec", "fragment") else ()

    def _report_changed_meaning(self, location: Location) -> RenameError:
        others = self._find_conflicting_definitions()
        if others:
            return RenameError(*explain_taken_name(self.before, self.named, self.new_name, others[0]))
        where = describe_location(self.before, location)
        if self.named.kind in ("spec", "fragment") and len(self.before.find_definitions(self.named.name)) > 1:
            message = f"without this one, `{self.named.name}` means another definition in {where}"
            return RenameError(message, "let only one definition have the old name, then rename it")
        return RenameError(
            f"with the name `{self.new_name}` something else would be meant in {where}", self._suggest_other_name()
        )

    def _suggest_other_name(self) -> str:
        return f"choose a name that is not used there, such as `{self.new_name}_2`"


class _OffsetShift:
    """A map from the offsets of a document to those after edits."""

    def __init__(self, edits: Iterable[TextEdit]) -> None:
        ordered = sorted(edits, key=lambda each: each.span.start)
        self._ends = [each.span.end for each in ordered]
        longer = (len(each.text) - (each.span.end - each.span.start) for each in ordered)
        self._by = list(accumulate(longer, initial=0))

    def shift_offset(self, offset: int) -> int:
        """Return the new offset of an offset outside of all edits."""
        return offset + self._by[bisect_right(self._ends, offset)]


def _apply_edits(document: Document, edits: Iterable[TextEdit]) -> str:
    """Return the text of a document after edits."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda each: each.span.start):
        parts += document.text[at : edit.span.start], edit.text
        at = edit.span.end
    return "".join(parts) + document.text[at:]


_SECTIONS = {"template": "templates", "function": "functions"}
_COMMENT = re.compile(r"^[ \t]*//[ \t]*state[ \t]*:[ \t]*(\S+)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def states_of(workspace: Workspace, document: Document) -> tuple[Source, ...]:
    """Return the states of a document, each once: known to the workspace, beside it, or named by comments."""
    path = document.path
    states = [state for key, state in workspace.states.items() if key.partition("#")[0] == document.uri]
    sources = {Path(each.name): each for each in states}
    for file in _find_state_files(path, document.text) if path is not None and path.parent.is_dir() else ():
        if file not in sources:
            try:
                sources[file] = Source(read_text(file), str(file))
            except UnreadableFileError:
                continue  # reported where it is shown
    return tuple(sources.values())


def _find_state_files(path: Path, text: str) -> Iterator[Path]:
    beside = find_states(path, find_defined_names(text), FolderNames())
    yield from filter(None, (beside.first, beside.shared, *beside.by_spec.values()))
    yield from (path.parent / name for name in _COMMENT.findall(text))


def state_edits(workspace: Workspace, named: NamedTarget, uris: Iterable[str], new_name: str) -> tuple[TextEdit, ...]:
    """Return the edits of states that a rename needs; none for names that a state cannot have.

    Parameters:
        workspace: The documents.
        named: The name to rename.
        uris: The documents that use it, whose states are searched.
        new_name: The name.

    Raises:
        RenameError: A state has the new name already, or the name is where it cannot be replaced.
    """
    if named.kind not in (*_SECTIONS, "spec"):
        return ()
    documents = (workspace.documents[uri] for uri in uris)
    states = {each.name: each for document in documents for each in states_of(workspace, document)}
    return tuple(edit for state in states.values() for edit in _rename_in_state(state, named, new_name))


def _rename_in_state(state: Source, named: NamedTarget, new_name: str) -> Iterator[TextEdit]:
    root = read_yaml(state).root
    if not isinstance(root, YamlMap):
        if re.search(rf"\b{re.escape(named.name)}\b", state.text):
            raise RenameError(f"the state `{state.name}` cannot be read, and has the name", "fix the state first")
        return
    top = {key.text: value for key, value in root.pairs}
    names = {each.text: each for each in _find_name_scalars(top, named)}
    if named.name in names:
        if new_name in names and new_name != named.name:
            raise RenameError(f"the state `{state.name}` has `{new_name}` too", "choose another name")
        yield _replace_scalar(state, names[named.name], new_name)
    for condition in _find_condition_scalars(top.get("assume")):
        if named.kind != "spec" and re.search(rf"\b{re.escape(named.name)}\b", condition.text):
            message = f"the state `{state.name}` assumes something of `{named.name}`"
            raise RenameError(message, "replace the name in the condition, then rename it")


def _find_name_scalars(top: dict[str, YamlNode], named: NamedTarget) -> Iterator[Scalar]:
    """Yield the words of a state that name things of one kind."""
    if named.kind == "spec":
        spec = top.get("spec")
        if isinstance(spec, Scalar) and spec.text == named.name:
            yield spec
        return
    section = top.get(_SECTIONS[named.kind])
    if isinstance(section, YamlMap):
        yield from (key for key, _ in section.pairs)


def _find_condition_scalars(node: YamlNode | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, YamlList) else ():
        for key, value in item.pairs if isinstance(item, YamlMap) else ():
            if key.text == "when" and isinstance(value, Scalar):
                yield value


def _replace_scalar(state: Source, scalar: Scalar, new_name: str) -> TextEdit:
    """Replace a word and keep its quotes."""
    written = state.text[scalar.span.start : scalar.span.end]
    at = written.find(scalar.text)
    if at < 0:
        raise RenameError(f"the state `{state.name}` spells `{scalar.text}` in another way", "replace it there by hand")
    start = scalar.span.start + at
    path = Path(state.name)
    uri = path.as_uri() if path.is_absolute() else state.name
    return TextEdit(uri, Span(start, start + len(scalar.text)), new_name)
