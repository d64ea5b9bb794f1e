"""Signature help: the parameters of a fragment or function while its arguments are being written."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.editor.cursor import CursorPosition
from acdl_mkdocs.frontends.editor.vocabulary import FragmentHeader, collect_vocabulary
from acdl_mkdocs.frontends.editor.words_about import KEYWORDS
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.language.syntax.tokens import Token

_BUILT_IN = {"range": ("start", "stop", "step"), "max": ("a", "b"), "min": ("a", "b")}
_OPTIONAL = {"range": "range(start, stop, step = 1)"}


@dataclass(frozen=True, slots=True)
class Signature:
    """A fragment or function whose arguments are being written, and the current argument."""

    label: str
    """The name with its parameters: `Facts[@t, who]`."""
    parameters: tuple[tuple[int, int], ...]
    """The span of each parameter in the label."""
    active: int
    """Index of the current parameter; not less than their number if there are too many arguments."""
    documentation: str = ""


def signature_at(workspace: Workspace, uri: str, offset: int) -> Signature | None:
    """Return the signature for the arguments at an offset; `None` outside of arguments."""
    document = workspace.find_document(uri)
    piece = document.piece_at(offset) if document is not None else None
    at = piece.from_document(offset) if piece is not None else None
    if piece is None or at is None:
        return None
    cursor = CursorPosition(piece.source.text, at)
    if cursor.comment is not None or cursor.is_in_string:
        return None
    tokens = tokenize(f"{cursor.before}{cursor.word}").tokens[:-1]
    opened = _open_bracket(tokens)
    if opened is None:
        return None
    bracket, active = opened
    head = tokens[bracket - 1] if bracket else None
    if head is None or head.kind not in ("IDENT", "FIELDS"):
        return None
    if tokens[bracket].kind == "LPAR":
        return _describe_function(head.text, active)
    is_use = bracket > 1 and tokens[bracket - 2].kind == "FRAG"
    return _describe_fragment(head.text, active, workspace, document.uri if document else uri) if is_use else None


def _open_bracket(tokens: list[Token]) -> tuple[int, int] | None:
    """Return the index of the innermost bracket that is open at the end, and the number of commas in it."""
    depth = n_commas = 0
    for at in range(len(tokens) - 1, -1, -1):
        kind = tokens[at].kind
        if kind in ("RPAR", "RSQB"):
            depth += 1
        elif kind in ("LPAR", "LSQB"):
            if not depth:
                return at, n_commas
            depth -= 1
        elif kind in ("LBRACE", "RBRACE"):
            return None
        elif kind == "COMMA" and not depth:
            n_commas += 1
    return None


def _describe_function(name: str, active: int) -> Signature | None:
    parameters = _BUILT_IN.get(name)
    if parameters is None:
        return None
    label = _OPTIONAL.get(name, f"{name}({', '.join(parameters)}, …)")
    last = len(parameters) - 1
    return Signature(
        label, tuple(_find_parameter_ranges(label, parameters)), min(active, last), KEYWORDS[name].sentence
    )


def _describe_fragment(name: str, active: int, workspace: Workspace, uri: str) -> Signature | None:
    own = [document for document in workspace.documents.values() if document.uri == uri]
    others = [document for document in workspace.documents.values() if document.uri != uri and name in document.text]
    fragment = next((each for document in (*own, *others) for each in _find_fragments_named(document.text, name)), None)
    if fragment is None:
        return None
    return Signature(
        fragment.signature,
        tuple(_find_parameter_ranges(fragment.signature, fragment.parameters)),
        active,
        fragment.about,
    )


def _find_fragments_named(text: str, name: str) -> Iterator[FragmentHeader]:
    return (each for each in collect_vocabulary(text).fragments if each.name == name)


def _find_parameter_ranges(label: str, parameters: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the spans of parameters in a label, in order."""
    at = min((offset for sign in "[(" if (offset := label.find(sign)) >= 0), default=0)
    for parameter in parameters:
        at = label.index(parameter, at)
        yield at, at + len(parameter)
        at += len(parameter)
