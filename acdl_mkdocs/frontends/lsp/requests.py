"""Our own requests: figures, files to save, messages at a point in time, a fence as in a page, specs of recordings.

Their parameters and answers are plain JSON; the page of the language server documents them.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acdl_mkdocs.compare.revisions import read_revision
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.errors import AcdlError, RevisionError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS, draw_block
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.editor.documents import Document, path_of
from acdl_mkdocs.frontends.editor.exports import evaluate_document, export_figure
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.preview import preview_document
from acdl_mkdocs.frontends.editor.sampled import state_text
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.lsp.answers_edits import refuse_request
from acdl_mkdocs.frontends.lsp.session import Session
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.files import UnreadableFileError, decode_text, read_text
from acdl_mkdocs.workspace.project import project_of

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.lsp.server import Server


def old_text(session: Session, document: Document, against: Mapping[str, object]) -> tuple[str, str]:
    """Return the other text, and its display name.

    Parameters:
        session: The other documents.
        document: The document to compare.
        against: `revision`, `uri`, or `text` with `name`.

    Raises:
        RevisionError: It cannot be read; the message says what to do.
    """
    text, revision, uri = against.get("text"), against.get("revision"), against.get("uri")
    if isinstance(text, str):
        return text, str(against.get("name") or "the other text")
    try:
        if isinstance(revision, str) and revision:
            return _of_revision(document, revision)
        if isinstance(uri, str) and uri:
            return _of_document(session, uri)
    except UnreadableFileError as reason:
        raise RevisionError(f"the other text {reason}") from None
    raise RevisionError("nothing to compare with; name a `revision`, a `uri` or a `text`")


def _of_revision(document: Document, revision: str) -> tuple[str, str]:
    if document.path is None:
        raise RevisionError("the document was never saved, so git has no revision of it; save and commit it first")
    data = read_revision(revision, document.path.name, document.path.parent)
    return decode_text(data), f"{document.path.name} at {revision}"


def _of_document(session: Session, uri: str) -> tuple[str, str]:
    document, path = session.find_document(uri), path_of(uri)
    if document is not None:
        return document.text, document.path.name if document.path else uri
    if path is None:
        raise RevisionError("there is no such document; open it first")
    return read_text(path), path.name


def fence_html(session: Session, document: Document | None, header: str, text: str, line: int = 0) -> str:
    """Return the HTML of a fence; empty if it is not ours.

    Parameters:
        session: The documents, whose fragments the fence may use.
        document: Its page, if known.
        header: Its opening line.
        text: The lines inside.
        line: How many lines of the page come before it, for the line numbers of problems.
    """
    opening = header if header.lstrip()[:3] in ("```", "~~~") else f"```{header}"
    mark = opening.lstrip()[0] * (len(opening.lstrip()) - len(opening.lstrip().lstrip("`~")))
    words = "\n" * line + f"{opening.strip()}\n{text if text.endswith(chr(10)) or not text else text + chr(10)}{mark}\n"
    fence = next(iter(fences_of(words)), None)
    if fence is None or fence.language not in BLOCKS:
        return ""
    path = document.path if document else None
    root = project_of(path) if path else Path()
    name = document.name if document else "<text>"
    if path and root and path.is_relative_to(root):
        name = path.relative_to(root).as_posix()
    page = Page(
        name=name, text=words, path=path, root=root, catalog=Catalog(lambda: _catalog_of_workspace(session.workspace))
    )
    return draw_block(fence, page).html


@lru_cache(maxsize=2)
def _catalog_of_workspace(workspace: Workspace) -> Catalog:
    """Return the texts of all documents, for fragments that a page does not define."""
    catalog = Catalog()
    for piece in workspace.all_pieces():
        catalog.add_text(workspace.text_of(piece))
    return catalog


_LAST_LINE = 1_000_000
_PARTS = re.compile(r'data-acdl="([0-9 -]*)"')

Json = Mapping[str, Any]
Answer = Callable[["Server", Json], Json]


def register_requests(server: "Server") -> None:
    """Register our own requests, also as commands, for editors that support only those."""
    for name, answer in REQUESTS.items():
        server.feature(f"acdl/{name}")(_wrap_request(answer))
        server.command(f"acdl.server.{name}")(_wrap_command(answer, server))


def _wrap_request(answer: Answer) -> Callable[["Server", Any], Json]:
    def handler(ls: "Server", params: Any) -> Json:
        return _run_answer(answer, ls, params)

    return handler


def _wrap_command(answer: Answer, server: "Server") -> Callable[..., Json]:
    def handler(*arguments: Any) -> Json:
        return _run_answer(answer, server, arguments[0] if arguments else None)

    return handler


def _run_answer(answer: Answer, ls: "Server", params: Any) -> Json:
    if not isinstance(params, Mapping):
        raise refuse_request("the parameters have to be an object with `textDocument`")
    try:
        return answer(ls, params)
    except AcdlError as reason:
        message, _, cure = str(reason).partition("; ")
        raise refuse_request(message, cure) from None


def _find_document(ls: "Server", params: Json) -> Document:
    """Return the document of a request."""
    named = params.get("textDocument")
    uri = named.get("uri") if isinstance(named, Mapping) else params.get("uri")
    document = ls.session.find_document(uri) if isinstance(uri, str) else None
    if document is None:
        raise refuse_request("there is no such document", "open a file of ACDL or a Markdown page")
    return document


def _read_text(params: Json, name: str) -> str:
    value = params.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise refuse_request(f"`{name}` has to be a text")
    return value


def _read_number(params: Json, name: str) -> float | None:
    value = params.get(name)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise refuse_request(f"`{name}` has to be a number")


def _read_state(params: Json) -> StateFile | None:
    """Return the state of a request, if it is not the one beside the document."""
    named = _read_text(params, "state")
    path = path_of(named) if named.startswith("file:") else Path(named) if named else None
    if path is None:
        return None
    try:
        return read_state(read_text(path), str(path), path.parent)
    except UnreadableFileError as reason:
        raise refuse_request(f"{path}: {reason}", "name a state file") from None


def on_preview(ls: "Server", params: Json) -> Json:
    """Return the figures of a document, with the place of each part."""
    document = _find_document(ls, params)
    against = params.get("against")
    text, name = old_text(ls.session, document, against) if isinstance(against, Mapping) else (None, "")
    preview = preview_document(
        ls.session.workspace,
        document.uri,
        spec=_read_text(params, "spec"),
        state=_read_state(params),
        at=_read_text(params, "at"),
        against=text,
        against_name=name,
    )
    positions = document.positions_in(ls.session.encoding)
    answer: dict[str, Any] = {
        "version": document.version if ls.session.is_open(document.uri) else None,
        "title": preview.title,
        "specs": [
            {"name": each.name, "kind": each.kind, "range": _convert_range(positions, each.span)}
            for each in preview.specs
        ],
        "html": preview.html,
        "ranges": {words: _convert_range(positions, _parse_span(words)) for words in _find_spans(preview.html)},
        "hasState": preview.has_state,
        "points": list(preview.points),
        "problems": _count_severities(ls.published.findings_of(document.uri)),
    }
    return answer if preview.is_equal is None else {**answer, "isEqual": preview.is_equal}


def _find_spans(html: str) -> list[str]:
    """Return the parts of a figure: `12-40`, each once."""
    return list(dict.fromkeys(part for words in _PARTS.findall(html) for part in words.split()))


def _parse_span(words: str) -> Span:
    start, _, end = words.partition("-")
    return Span(int(start), int(end))


def _convert_range(positions: Positions, span: Span) -> Json:
    start, end = positions.range_of(span)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def _count_severities(findings: Sequence[tuple[Diagnostic, Source]]) -> dict[str, int]:
    """Count the problems of a document by severity; those of an edit are known a moment later."""
    return {f"{kind}s": sum(each.severity == kind for each, _ in findings) for kind in ("error", "warning")}


def on_export(ls: "Server", params: Json) -> Json:
    """Return a picture or a text of a spec, for the editor to save."""
    document = _find_document(ls, params)
    scale, width = _read_number(params, "scale"), _read_number(params, "width")
    export = export_figure(
        ls.session.workspace,
        document.uri,
        _read_text(params, "format") or "svg",
        spec=_read_text(params, "spec"),
        theme=_read_text(params, "theme") or "auto",
        width_px=width,
        scale=2 if scale is None else scale,
    )
    is_text = isinstance(export.content, str)
    data = export.content if isinstance(export.content, str) else b64encode(export.content).decode("ascii")
    return {"name": export.name, "mime": export.mime, "encoding": "utf-8" if is_text else "base64", "data": data}


def on_evaluate(ls: "Server", params: Json) -> Json:
    """Return the messages of a spec at a point in time, with a sample state."""
    document = _find_document(ls, params)
    sent_text = evaluate_document(
        ls.session.workspace,
        document.uri,
        spec=_read_text(params, "spec"),
        state=_read_state(params),
        at=_read_text(params, "at"),
        format=_read_text(params, "format") or "transcript",
    )
    beside = state_text(ls.session.workspace, document.uri, _read_text(params, "spec"))
    used = _read_text(params, "state") or (Path(beside.name).as_uri() if beside else None)
    positions = document.positions_in(ls.session.encoding)
    problems = [
        {"severity": each.severity, "message": each.message}
        | ({"range": _convert_range(positions, each.span)} if each.span else {})
        for each in sent_text.problems
    ]
    return {
        "at": sent_text.at,
        "points": list(sent_text.points),
        "state": used,
        "text": sent_text.text,
        "language": sent_text.language,
        "html": sent_text.html,
        "problems": problems,
    }


def on_fence(ls: "Server", params: Json) -> Json:
    """Return one fence, drawn as in a page of the documentation."""
    document = ls.session.find_document(_read_text(params, "uri"))
    line = params.get("line", 0)
    if not isinstance(line, int) or not 0 <= line <= _LAST_LINE:
        raise refuse_request("`line` has to be the number of a line", "leave it out")
    return {"html": fence_html(ls.session, document, _read_text(params, "header"), _read_text(params, "text"), line)}


def on_infer(ls: "Server", params: Json) -> Json:
    """Return the spec of recordings, or a spec refined by them, with the state of each prompt, and its proof."""
    del ls
    recordings = params.get("recordings")
    paths = [path_of(each) for each in recordings if isinstance(each, str)] if isinstance(recordings, list) else []
    names = [str(path) for path in paths if path is not None]
    if not names or not isinstance(recordings, list) or len(names) < len(recordings):
        raise refuse_request("`recordings` has to be a list of addresses of files", "name recordings")
    from acdl_mkdocs.app.infer import NAME, InferOptions
    from acdl_mkdocs.app.infer_recording import infer_or_refine
    from acdl_mkdocs.app.infer_report import describe_inferred
    from acdl_mkdocs.runs.check_files import open_recordings  # few sessions read recordings

    into = path_of(_read_text(params, "into"))
    if into is None and params.get("into"):
        raise refuse_request("`into` has to be the address of a file", "save the text first")
    options = InferOptions(_read_text(params, "name") or NAME, file="spec" if into is None else into.name)
    inferred = infer_or_refine(lambda: open_recordings(names), into, options)
    return {
        "text": inferred.text,
        "states": [{"spec": each.name, "text": each.states[0]} for each in inferred.prompts if each.states[0]],
        "isProven": inferred.is_proven,
        "notes": list(describe_inferred(inferred, options.file)),
    }


REQUESTS: Mapping[str, Answer] = {
    "preview": on_preview,
    "export": on_export,
    "evaluate": on_evaluate,
    "fence": on_fence,
    "infer": on_infer,
}
