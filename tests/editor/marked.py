"""Texts with a `|` where the cursor is, or two around what is selected, as workspaces."""

from dataclasses import dataclass
from pathlib import Path

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.documents import Document, Language
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.workspace import Workspace

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.acdl"))
URI: dict[Language, str] = {"acdl": "file:///project/chat.acdl", "markdown": "file:///project/page.md"}


@dataclass(frozen=True)
class Marked:
    """A document in a workspace, and a part of it."""

    workspace: Workspace
    uri: str
    text: str
    span: Span

    @property
    def offset(self) -> int:
        """Where the cursor is."""
        return self.span.start

    def edited(self, edits: tuple[TextEdit, ...]) -> str:
        """The text after edits, none of which may touch another one."""
        text, last = self.text, len(self.text) + 1
        for edit in sorted(edits, key=lambda each: each.span.start, reverse=True):
            assert edit.uri == self.uri
            assert edit.span.end <= last
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
            last = edit.span.start
        return text


def marked(text: str, language: Language = "acdl", state: str = "", **others: str) -> Marked:
    """A text whose marks are taken out, with other files by the name before `.acdl`."""
    start = text.index("|") if "|" in text else 0
    text = text.replace("|", "", 1)
    end = text.index("|") if "|" in text else start
    text = text.replace("|", "", 1)
    uri = URI[language]
    documents = {uri: Document(uri, text, language)}
    for name, other in others.items():
        documents[f"file:///project/{name}.acdl"] = Document(f"file:///project/{name}.acdl", other, "acdl")
    states = {uri: Source(state, "/project/chat.state.yaml")} if state else {}
    return Marked(Workspace(documents, states=states), uri, text, Span(start, end))


def example(path: Path) -> Marked:
    """A file of the examples, alone, with its state if it has one."""
    text = path.read_text("utf-8")
    uri = path.as_uri()
    beside = path.with_suffix(".state.yaml")
    states = {uri: Source(beside.read_text("utf-8"), str(beside))} if beside.exists() else {}
    return Marked(Workspace({uri: Document(uri, text, "acdl")}, states=states), uri, text, Span(0, 0))
