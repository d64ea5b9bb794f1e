"""All documents of an editor, with names resolved across them.

A workspace never changes: an edit makes a new one, which reuses everything that the edit did not touch. It gives
the same verdict as `acdl check` on the same files, because it asks the same functions. Knows no protocol; of files it
reads only those that a text names and that are not open.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.name_occurrences import NameOccurrence, names_of
from acdl_mkdocs.frontends.editor.neighbours import NameIndex, Neighbours, catalog_of, index_of, order_of
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.language.analyse import Analysis, check_analysis, parse_and_resolve
from acdl_mkdocs.language.names.library import Definitions, Library, definitions_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.files import include_file, read_text
from acdl_mkdocs.workspace.options import BlockOptions, read_block_header
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.read_block import BlockText, find_defined_names
from acdl_mkdocs.workspace.used_files import UsedFiles, may_use_files, read_uses

_N_FILES = 256
"""Size of the parse cache for texts that are in no document."""
_N_PATHS = 65_536
"""Size of the cache of paths with links resolved."""


@dataclass(slots=True)
class _AnalysedPiece:
    """The results of analysing a piece, with what they depend on."""

    neighbours: Neighbours
    understood: Analysis
    for_figure: tuple[Levels, Analysis] | None = None
    checked: tuple[Config, Analysis] | None = None
    sites: tuple[NameOccurrence, ...] | None = None


class Workspace:
    """Documents by their URI."""

    def __init__(
        self,
        documents: Mapping[str, Document],
        config: Config | None = None,
        states: Mapping[str, Source] | None = None,
        configs: Mapping[str, Config] | None = None,
    ) -> None:
        """Create a workspace of documents.

        Parameters:
            documents: By their URI.
            config: How texts are read and checked.
            states: The sample state of a document, by its URI, and of one spec of it, by `URI#SPEC`.
            configs: How the texts of a document with its own settings are read, by its URI.
        """
        self.documents = dict(documents)
        self.config = config or Config()
        self.states = dict(states or {})
        self.configs = dict(configs or {})
        self._analyses: dict[tuple[str, str], _AnalysedPiece] = {}
        """Keyed by name and text, so that a fence that moves within its page is not checked again."""
        self._catalogs: dict[str, Catalog] = {}

    def find_document(self, uri: str) -> Document | None:
        """Return a document; `None` if the workspace has none of that URI."""
        return self.documents.get(uri)

    def with_document(self, document: Document) -> "Workspace":
        """Return the workspace with a new or edited document."""
        return self.with_documents((document,))

    def with_documents(self, documents: Iterable[Document]) -> "Workspace":
        """Return the workspace with several such documents."""
        return self._with_documents(self.documents | {each.uri: each for each in documents})

    def without_document(self, uri: str) -> "Workspace":
        """Return the workspace without a document."""
        return self._with_documents({each: document for each, document in self.documents.items() if each != uri})

    def with_settings(
        self,
        config: Config | None = None,
        states: Mapping[str, Source] | None = None,
        configs: Mapping[str, Config] | None = None,
    ) -> "Workspace":
        """Return the workspace with other settings or states; the others stay."""
        states = self.states if states is None else states
        configs = self.configs if configs is None else configs
        other = Workspace(self.documents, config or self.config, states, configs)
        other._analyses = self._analyses
        return other

    def _with_documents(self, documents: Mapping[str, Document]) -> "Workspace":
        other = Workspace(documents, self.config, self.states, self.configs)
        outdated = [each for uri, each in self.documents.items() if documents.get(uri) is not each]
        left = {_key_of(piece) for each in outdated for piece in each.pieces}
        left -= {
            _key_of(piece)
            for uri in documents.keys() & {each.uri for each in outdated}
            for piece in documents[uri].pieces
        }
        other._analyses = {key: analysis for key, analysis in self._analyses.copy().items() if key not in left}
        return other

    # ------------------------------------------------------------------------------------------ meaning of a piece

    def pieces_of(self, uri: str) -> tuple[Piece, ...]:
        """Return the ACDL of a document; nothing if there is no such document."""
        document = self.documents.get(uri)
        return document.pieces if document else ()

    def all_pieces(self) -> Iterator[Piece]:
        """Yield the ACDL of all documents."""
        for document in self.documents.values():
            yield from document.pieces

    def config_of(self, piece: Piece) -> Config:
        """Return the settings for a piece: those of its document, overridden by the opening line of its fence."""
        config = self.configs.get(piece.uri, self.config)
        if piece.lines is None:
            return config
        opening = Source(make_printable(piece.lines.fence.opening))
        options = read_block_header(opening, BlockOptions(range=config.range)).options
        return replace(config, snippet=True, range=options.range)

    def resolve_piece(self, piece: Piece) -> Resolved:
        """Resolve the names of a piece, as the checker does."""
        return self._analyse_piece(piece).understood.resolved

    def resolve_for_figure(self, piece: Piece) -> Resolved:
        """Resolve them together with fragments that fragments of other texts use: for drawing and evaluation."""
        analysis, levels = self._analyse_piece(piece), self._catalog_of(piece.uri).find_all_sources(self.text_of(piece))
        if analysis.for_figure is None or analysis.for_figure[0] != levels:
            analysis.for_figure = levels, parse_and_resolve(piece.source, self._build_library(levels), piece.parsed)
        return analysis.for_figure[1].resolved

    def check_piece(self, piece: Piece) -> Analysis:
        """Check a piece with the rules."""
        analysis, config = self._analyse_piece(piece), self.config_of(piece)
        if analysis.checked is None or analysis.checked[0] != config:
            analysis.checked = config, check_analysis(analysis.understood, config)
        return analysis.checked[1]

    def list_diagnostics(self, piece: Piece) -> tuple[Diagnostic, ...]:
        """Return the problems of a piece; spans are those of the piece."""
        return self.check_piece(piece).diagnostics

    def list_names(self, piece: Piece) -> tuple[NameOccurrence, ...]:
        """Return the names in a piece and what they refer to."""
        analysis = self._analyse_piece(piece)
        if analysis.sites is None:
            analysis.sites = names_of(analysis.understood.resolved)
        return analysis.sites

    def _analyse_piece(self, piece: Piece) -> _AnalysedPiece:
        neighbours = self.neighbours_of(piece)
        analysis = self._analyses.get(_key_of(piece))
        if (
            analysis is None
            or analysis.neighbours != neighbours
            or analysis.understood.resolved.parsed.file is not piece.parsed.file
        ):
            library = self._build_library(neighbours.levels, neighbours.used)
            analysis = _AnalysedPiece(neighbours, parse_and_resolve(piece.source, library, piece.parsed))
        elif analysis.understood.source != piece.source:
            analysis = _move_analysis(analysis, piece)
        self._analyses[_key_of(piece)] = analysis
        return analysis

    # ---------------------------------------------------------------------------------------- other texts of a piece

    def neighbours_of(self, piece: Piece) -> Neighbours:
        """Return the texts that define the fragments of a piece."""
        catalog, text = self._catalog_of(piece.uri), self.text_of(piece)
        return Neighbours(catalog.find_sources(text), catalog.find_shared_fragments(text))

    def _catalog_of(self, uri: str) -> Catalog:
        """Return the catalog of a document and of the texts that names connect with it."""
        if uri not in self._catalogs:
            page = self._texts_of_document(self.documents[uri])
            texts = [source.text for each in page for source in (each.source, *each.uses.list_sources())]
            self._catalogs[uri] = catalog_of(page, self._name_index.find_connected_pieces(texts), self.text_of)
        return self._catalogs[uri]

    def text_of(self, piece: Piece) -> BlockText:
        """Convert a piece for the catalog of a site."""
        document = self.documents[piece.uri]
        if document.path is None or not may_use_files(piece.source.text):
            return BlockText(piece.source)
        uses = read_uses(piece.source, document.path.parent, self.root_of(document), self.used_files)[0]
        return BlockText(piece.source, uses=uses)

    def _texts_of_document(self, document: Document) -> list[BlockText]:
        """Return the texts of a document, including those of files that its blocks show."""
        if document.language == "acdl":
            return [self.text_of(document.pieces[0])]
        pieces = iter(document.pieces)
        texts: list[BlockText] = []
        for fence in document.fences:
            if fence.is_acdl:
                texts.append(self.text_of(next(pieces)))
            elif fence.is_block:
                file_text = self.text_of_shown_file(document, fence.options.src)
                texts += [BlockText(file_text)] if file_text else []
        return texts

    def text_of_shown_file(self, document: Document, src: str) -> Source | None:
        """Return the text of a file that a block of a page shows: as open in the editor, else as on the disk."""
        included = include_file(src, Source(src), self.root_of(document))
        open_one = self.document_at(included.path) if included.path else None
        return open_one.pieces[0].source if open_one and open_one.language == "acdl" else included.source

    def root_of(self, document: Document) -> Path:
        """Return the project folder of a document."""
        return project_of(document.path) if document.path else Path()

    def document_at(self, path: Path) -> Document | None:
        """Return the document of a file."""
        return self._by_path.get(_resolve_path(path))

    @cached_property
    def used_files(self) -> UsedFiles:
        """The files that comments `// acdl: use` name: as open in the editor, else as on the disk."""

        def text_of(path: Path) -> str:
            document = self.document_at(path)
            return document.text if document else read_text(path)

        def name_of(path: Path, _root: Path) -> str:
            document = self.document_at(path)
            return document.name if document else path.as_posix()

        return UsedFiles(name_of, text_of)

    @cached_property
    def _by_path(self) -> Mapping[str, Document]:
        return {_resolve_path(each.path): each for each in self.documents.values() if each.path}

    @cached_property
    def _name_index(self) -> NameIndex:
        return index_of(self.all_pieces())

    def _build_library(self, levels: Levels, used: frozenset[str] = frozenset()) -> Library:
        return Library(tuple(tuple(map(self._definitions_of, level)) for level in levels), used)

    def _definitions_of(self, source: Source) -> Definitions:
        piece = self._pieces_by_source.get(source)
        return piece.definitions if piece else _definitions_of_file(source)

    # ------------------------------------------------------------------------------------------------ places of names

    @cached_property
    def _pieces_by_source(self) -> Mapping[Source, Piece]:
        return {piece.source: piece for piece in self.all_pieces()}

    def piece_of(self, source: Source) -> Piece | None:
        """Return the piece with a text; `None` if no document has it."""
        return self._pieces_by_source.get(source)

    def find_location(self, source: Source, span: Span) -> Location | None:
        """Return the place of a span of any text of the workspace; `None` if no document has the text."""
        piece = self._pieces_by_source.get(source)
        return Location(piece.uri, piece.to_document(span)) if piece else None

    def find_definitions(self, name: str) -> tuple[Location, ...]:
        """Return the places where specs and fragments with a name are defined, in the order of the documents."""
        locations: list[Location] = []
        for piece in self.find_pieces_with(name):
            if name in find_defined_names(piece.source.text):
                defined = self.resolve_piece(piece).definitions.get(name, ())
                locations += (Location(piece.uri, piece.to_document(each.node.name.span)) for each in defined)
        return tuple(locations)

    @cached_property
    def spec_names(self) -> frozenset[str]:
        """The names of all specs and fragments."""
        return frozenset(name for piece in self.all_pieces() for name in find_defined_names(piece.source.text))

    def find_pieces_with(self, word: str) -> list[Piece]:
        """Return the pieces whose text may have a word, in order; found without a parser."""
        pieces = [each for each in self.all_pieces() if word in each.source.text or not each.source.text.isascii()]
        return sorted(pieces, key=lambda each: (order_of(each.uri), each.start))


def _key_of(piece: Piece) -> tuple[str, str]:
    return piece.source.name, piece.source.text


def _move_analysis(analysis: _AnalysedPiece, piece: Piece) -> _AnalysedPiece:
    """Return the results for a fence that moved within its page: its tree and its problems are the same."""
    understood = analysis.understood
    resolved = replace(understood.resolved, parsed=piece.parsed)
    moved = Analysis(piece.source, resolved, understood.diagnostics)
    checked = analysis.checked
    if checked is not None:
        checked = checked[0], Analysis(piece.source, resolved, checked[1].diagnostics)
    return _AnalysedPiece(analysis.neighbours, moved, checked=checked)


@lru_cache(maxsize=_N_PATHS)
def _resolve_path(path: Path) -> str:
    """Return the path with links resolved."""
    return os.path.realpath(path)


@lru_cache(maxsize=_N_FILES)
def _definitions_of_file(source: Source) -> Definitions:
    """Return the definitions of a text that is in no document."""
    return definitions_of(parse(source))
