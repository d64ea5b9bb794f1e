"""Completions of names: times, variables used elsewhere, fields, templates, fragments."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from acdl_mkdocs.frontends.editor.completion import Offer, escape_snippet
from acdl_mkdocs.frontends.editor.cursor import CursorPosition
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.vocabulary import FragmentHeader, Vocabulary, collect_vocabulary
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS, NAMESPACES
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.nodes import NAMESPACES as DOCUMENTED
from acdl_mkdocs.language.syntax.nodes import Index, Path, Range
from acdl_mkdocs.language.syntax.tokens import Token
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of

_NAME_DEFINITION = re.compile(r"(?:\bName\s+|^[ \t]*+)[@$]?([^\W\d]\w*+)\s*+:?=(?!=)", re.MULTILINE)
_VALUES = {"none": "no value", "true": "yes", "false": "no", "empty": "nothing in it"}
_TIME = re.compile(r"(@[\w.]+)(?:[+-]\d+)?")
_INDEX = re.compile(r"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]\Z")
_LAST = re.compile(r"(?:[@$]|(?<!\w))\w+\Z")


class NameOffers:
    """The names available at one position."""

    def __init__(self, workspace: Workspace, document: Document, cursor: CursorPosition) -> None:
        self.workspace = workspace
        self.document = document
        self.cursor = cursor
        self._indices: dict[str, tuple[str, bool]] = {}

    @cached_property
    def texts(self) -> tuple[tuple[str, Vocabulary], ...]:
        """The words of the enclosing spec, of its text, and of all other documents, with a key for nearness."""
        cursor = self.cursor
        around = (
            cursor.text[cursor.definition_start : cursor.start]
            + " "
            + cursor.text[cursor.offset : cursor.definition_end]
        )
        others = [each.text for each in self.workspace.documents.values() if each.uri != self.document.uri]
        page = self._rest_of_document()
        near = [("0", collect_vocabulary(around)), *([("1", collect_vocabulary(page))] if page != around else [])]
        return (*near, *(("2", collect_vocabulary(text)) for text in others))

    def _rest_of_document(self) -> str:
        """Return the document without the word that is being typed."""
        cursor = self.cursor
        if self.document.language == "acdl":
            return f"{cursor.text[: cursor.start]} {cursor.text[cursor.offset :]}"
        texts = (each.source.text for each in self.document.pieces)
        return "\n".join(
            f"{cursor.text[: cursor.start]} {cursor.text[cursor.offset :]}" if t is cursor.text else t for t in texts
        )

    # -------------------------------------------------------------------------------------------------------- in scope

    @cached_property
    def _parameters(self) -> tuple[str, ...]:
        """The parameters in the title of the enclosing spec or fragment."""
        head = next((each.head for each in self.cursor.blocks if each.kind != "LABEL"), ())
        path = next((each for each in head if isinstance(each, Path)), None)
        indices = (part.values for part in path.parts if isinstance(part, Index)) if path is not None else ()
        return tuple(text_of(words_of(value, WRITTEN)) for values in indices for value in values)

    @cached_property
    def _loops(self) -> tuple[tuple[str, bool], ...]:
        """The variables of the enclosing loops, innermost first, and whether each is a time."""
        loops: list[tuple[str, bool]] = []
        for block in reversed(self.cursor.blocks):
            for variable in self.cursor.variables_of(block):
                is_time = variable.is_time or any(isinstance(each, Range) for each in block.head)
                loops.append((variable.name, is_time))
        return tuple(loops)

    @cached_property
    def _times(self) -> tuple[str, ...]:
        """The times in scope, the nearest first."""
        loops = [f"@{name}" for name, is_time in self._loops if is_time]
        parameter_times = [each for each in self._parameters if each.startswith("@")]
        return tuple(dict.fromkeys((*loops, *parameter_times, *(each.partition(".")[0] for each in parameter_times))))

    def offer_times(self) -> Iterator[Offer]:
        """Yield times: of loops, of the title, and the one before."""
        for number, time in enumerate(self._times):
            yield Offer(time, "time", time, f"0{number}", detail="the present time" if time[1:2].isupper() else "")
        for number, time in enumerate(each for each in self._times if _TIME.fullmatch(each)):
            if "." not in time:
                yield Offer(f"{time}-1", "time", f"{time}-1", f"1{number}", detail="the one before")
        for number, name in enumerate(self._defined_names):
            yield Offer(f"@${name}", "time", f"@${name}", f"2{number}", detail="the time of a `Name`")

    def offer_parameters(self) -> Iterator[Offer]:
        """Yield the usual parameters of a title."""
        yield Offer("@T", "time", "@T", "00", detail="the present time")
        yield Offer("@T.I", "time", "@T.I", "01", detail="the present time, and a step of it")

    def offer_compared_values(self) -> Iterator[Offer]:
        """Yield values to compare with: those of the language, and words that are compared with elsewhere."""
        for name, near in self._rank_names("compared"):
            yield Offer(name, "value", name, f"0{near}", detail="a word")
        for name, about in _VALUES.items():
            yield Offer(name, "value", name, "09", detail=about)

    def offer_local_names(self) -> Iterator[Offer]:
        """Yield the names that loops, the title and `Name`s bind."""
        for number, (name, is_time) in enumerate(self._loops):
            if not is_time:
                yield Offer(name, "loop", name, f"0{number}", detail="the variable of the loop")
        for number, name in enumerate(self._parameters):
            if not name.startswith("@"):
                yield Offer(name, "name", name, f"1{number}", detail="a parameter")
        yield from self.offer_references()

    @cached_property
    def _defined_names(self) -> tuple[str, ...]:
        cursor = self.cursor
        matches = _NAME_DEFINITION.finditer(cursor.text, cursor.definition_start, cursor.start)
        names = [each[1] for each in matches if each.end() != self._sign_end]
        return tuple(dict.fromkeys(reversed(names)))

    @cached_property
    def _sign_end(self) -> int:
        """The end of the `:=` of the `Name` whose value is being written, in which its name is unknown; else -1."""
        tokens = [piece for piece in self.cursor.partial_parse.pieces if isinstance(piece, Token)]
        signs = [token for token in tokens if token.kind == "ASSIGN"]
        if not signs or (tokens[-1] is not signs[-1] and self.cursor.begins_statement):
            return -1
        return self.cursor.start - len(self.cursor.before) + signs[-1].end

    def offer_references(self) -> Iterator[Offer]:
        """Yield the references that earlier `Name`s define."""
        for number, name in enumerate(self._defined_names):
            yield Offer(f"${name}", "name", f"${name}", f"1{number:03}", detail="defined by a `Name`")

    # -------------------------------------------------------------------------------------------------- from all texts

    def _rank_names(self, field: str) -> Iterator[tuple[str, str]]:
        """Yield names of one kind with a key for how near they are used, most used first."""
        seen: set[str] = set()
        for near, words in self.texts:
            counter: Counter[str] = getattr(words, field)
            for number, (name, _) in enumerate(counter.most_common()):
                if name not in seen:
                    seen.add(name)
                    yield name, f"{near}{number:04}"

    def offer_variables(self) -> Iterator[Offer]:
        """Yield variables that are used anywhere, with an index that fits, and the namespaces."""
        seen: set[str] = set()
        for near, words in self.texts:
            parts = {path[:size] for path in words.fields for size in range(2, len(path))}
            for path, indices in words.fields.items():
                name = ".".join(path)
                is_part = not indices and path in parts  # only ever the beginning of longer ones
                if path[0] in DOCUMENTED and name not in seen and not is_part:
                    seen.add(name)
                    yield self._offer_variable(name, name, indices, f"2{near}")
        for name in DOCUMENTED:
            about = NAMESPACES[name].sentence
            yield Offer(name, "variable", f"{name}.$0", f"7{name}", True, f"{name}.…", about)

    def _offer_variable(self, label: str, insert: str, indices: Counter[str], near: str) -> Offer:
        index, is_snippet = self._choose_index(indices)
        display = f"{label}{index}" if not is_snippet else label
        return Offer(label, "variable", f"{insert}{index}", f"{near}{label.lower()}", is_snippet, display)

    def _choose_index(self, indices: Counter[str]) -> tuple[str, bool]:
        """Return the index of a variable: the time in scope where other uses have a time."""
        if not indices:
            return "", False
        usual = next(iter(indices)) if len(indices) == 1 else indices.most_common(1)[0][0]
        index = self._indices.get(usual)
        if index is None:
            index = self._indices[usual] = self._in_scope(usual)
        return index

    def _in_scope(self, usual: str) -> tuple[str, bool]:
        """Return the usual index of a variable with the time in scope, and whether it has a placeholder."""
        time = _TIME.fullmatch(usual)
        if time is None:
            return f"[${{1:{escape_snippet(usual)}}}]", True
        is_in_loop = any(is_time for _, is_time in self._loops)
        is_known = not self._times or (not is_in_loop and time[1] in self._times)
        return (f"[{usual}]" if is_known else f"[{self._times[0]}]"), False

    def offer_fields(self) -> Iterator[Offer]:
        """Yield the fields that are written elsewhere after the path before the dot."""
        path = self._path_before()
        if not path:
            return
        if path[0].startswith("@"):
            yield from self._offer_steps(path[0])
            return
        seen: set[str] = set()
        for near, words in self.texts:
            if near == "2" and path[0] not in DOCUMENTED:
                break
            for name, indices in words.list_fields_after(path):
                if name not in seen:
                    seen.add(name)
                    offer = self._offer_variable(name, name, indices, near)
                    yield Offer(name, "field", offer.insert, offer.sort, offer.is_snippet, ".".join((*path, name)))

    def _offer_steps(self, time: str) -> Iterator[Offer]:
        """Yield what follows a time and its dot: a step."""
        parameter_steps = [each.partition(".")[2] for each in self._parameters if each.startswith(f"{time}.")]
        loops = [name for name, _ in self._loops if f"@{name}" != time]
        for number, name in enumerate(dict.fromkeys((*loops, *parameter_steps))):
            yield Offer(name, "loop", name, f"0{number}", detail=f"step `{name}`")
        yield Offer("substeps", "field", "substeps", "1", detail="how many steps there are")
        yield Offer("*", "field", "*", "2", detail="all steps")

    def _path_before(self) -> tuple[str, ...]:
        """Return the names before the dot, without their brackets."""
        text, at = self.cursor.text, self.cursor.start
        names: list[str] = []
        while text[at - 1 : at] == ".":
            begun = text[max(0, at - 200) : at - 1].rstrip(" \t")
            while (index := _INDEX.search(begun)) is not None:
                begun = begun[: index.start()]
            word = _LAST.search(begun)
            if word is None:
                return ()
            names.append(word[0])
            at = at - 1 - (len(text[max(0, at - 200) : at - 1]) - word.start())
        return tuple(reversed(names))

    def offer_templates(self) -> Iterator[Offer]:
        """Yield templates that are used anywhere."""
        for name, near in self._rank_names("templates"):
            yield Offer(name, "template", name, f"3{near}", detail="a template")

    def offer_functions(self, *, is_range: bool) -> Iterator[Offer]:
        """Yield functions that are used anywhere, and those of the language."""
        for name, near in self._rank_names("functions"):
            yield Offer(name, "function", f"{name}($1)", f"4{near}", True, "a function")
        for name in ("range",) if is_range else ("max", "min"):
            insert = "range(${1:1}, ${2:@T})" if is_range else f"{name}($1)"
            rank = "0" if is_range else "8"
            yield Offer(name, "function", insert, rank, True, KEYWORDS[name].example, KEYWORDS[name].sentence)

    def offer_fragments(self, *, has_keyword: bool) -> Iterator[Offer]:
        """Yield fragments that may be used here, with placeholders for their arguments.

        Parameters:
            has_keyword: Whether `Frag` is written already.
        """
        keyword = "RolesFrag" if self.cursor.scope == "messages" else "StrFrag"
        is_known = bool(self.cursor.blocks)
        seen: set[str] = set()
        for near, words in self.texts:
            for fragment in words.fragments:
                if fragment.name not in seen and (fragment.keyword == keyword or not is_known):
                    seen.add(fragment.name)
                    yield _offer_fragment_use(fragment, near, has_keyword=has_keyword)


def _offer_fragment_use(fragment: FragmentHeader, near: str, *, has_keyword: bool) -> Offer:
    """Return the offer for the use of a fragment."""
    places = ", ".join(f"${{{number}:{escape_snippet(name)}}}" for number, name in enumerate(fragment.parameters, 1))
    head = "" if has_keyword else "Frag "
    insert = f"{head}{fragment.name}[{places}]" if places else f"{head}{fragment.name}"
    label = f"{head}{fragment.name}"
    return Offer(label, "fragment", insert, f"1{near}{label.lower()}", bool(places), fragment.header, fragment.about)
