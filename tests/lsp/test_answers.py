"""Every question that the protocol knows and the server answers, asked once as an editor asks it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from lsp.talking import Talk, at, talk

T = TypeVar("T")
PARTS = "// Says hello.\nStrFrag Greeting[name, @T]: { HELLO name }\n"
SPEC = """Chat[@T]: {
    ForEach(@t: range(1, @T)): {
        U: env.question[@t]
    }
    S: { Frag Greeting[env.user[@T], @T] }
}
"""
SNIPPETS = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(snippet_support=True)
        )
    ),
    workspace=lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
    ),
)


def with_editor(folder: Path, scenario: Callable[[Talk], Awaitable[T]], options: object = None) -> T:
    """Run a scenario with a folder that has a fragment in a file that nobody opened."""
    (folder / "parts.acdl").write_text(PARTS, "utf-8")

    async def run() -> T:
        async with talk(folder, SNIPPETS, options) as editor:
            await editor.until(lambda: bool(editor.checked))
            return await scenario(editor)

    return asyncio.run(run())


async def ask_at(editor: Talk, method: str, text: str, kind: type, **more: object) -> Any:
    """Open a text, and ask about the place of its mark `|`."""
    text, position = at(text)
    editor.open("chat.acdl", text)
    return await editor.ask(method, kind(text_document=editor.doc("chat.acdl"), position=position, **more))


def test_hover(tmp_path: Path) -> None:
    """A fragment of another file is shown with its header and its comment."""

    async def scenario(editor: Talk) -> None:
        text = SPEC.replace("Frag Gree", "Frag Gr|ee")
        found = await ask_at(editor, "textDocument/hover", text, lsp.HoverParams)
        assert "Greeting[name, @T]" in found.contents.value
        assert found.range.start.line == 4

    with_editor(tmp_path, scenario)


def test_completion(tmp_path: Path) -> None:
    """A fragment of another file is offered with places for its arguments."""

    async def scenario(editor: Talk) -> None:
        text = "P[@T]: { U: { Frag Gr|"
        found = await ask_at(editor, "textDocument/completion", text, lsp.CompletionParams)
        offered = {each.label: each for each in found.items}
        item = next(each for label, each in offered.items() if label.startswith("Greeting"))
        assert item.insert_text_format == lsp.InsertTextFormat.Snippet
        assert item.text_edit.range.start.character == 19

    with_editor(tmp_path, scenario)


def test_signature(tmp_path: Path) -> None:
    """Between the brackets of a fragment, the argument that is being written is known."""

    async def scenario(editor: Talk) -> None:
        text = "P[@T]: { U: { Frag Greeting[env.user[@T], |"
        found = await ask_at(editor, "textDocument/signatureHelp", text, lsp.SignatureHelpParams)
        assert "Greeting" in found.signatures[0].label
        assert found.active_parameter == 1

    with_editor(tmp_path, scenario)


def test_definition_and_references(tmp_path: Path) -> None:
    """From a use to the definition in another file, and from there to all uses."""

    async def scenario(editor: Talk) -> None:
        text = SPEC.replace("Frag Gree", "Frag Gr|ee")
        (place,) = await ask_at(editor, "textDocument/definition", text, lsp.DefinitionParams)
        assert (place.uri, place.range.start) == (editor.uri("parts.acdl"), lsp.Position(1, 8))
        there = lsp.ReferenceParams(lsp.ReferenceContext(False), editor.doc("parts.acdl"), place.range.start)
        (use,) = await editor.ask("textDocument/references", there)
        assert (use.uri, use.range.start) == (editor.uri("chat.acdl"), lsp.Position(4, 14))

    with_editor(tmp_path, scenario)


def test_highlight(tmp_path: Path) -> None:
    """The variable of a loop, where it is bound and where it is read."""

    async def scenario(editor: Talk) -> None:
        text = SPEC.replace("question[@t", "question[@|t")
        found = await ask_at(editor, "textDocument/documentHighlight", text, lsp.DocumentHighlightParams)
        assert sorted((each.range.start.line, each.kind) for each in found) == [(1, 3), (2, 2)]

    with_editor(tmp_path, scenario)


def test_rename(tmp_path: Path) -> None:
    """A fragment gets another name in all files, those that nobody opened among them."""

    async def scenario(editor: Talk) -> None:
        text, position = at(SPEC.replace("Frag Gree", "Frag Gr|ee"))
        uri = editor.open("chat.acdl", text)
        prepared = lsp.PrepareRenameParams(text_document=editor.doc("chat.acdl"), position=position)
        assert (await editor.ask("textDocument/prepareRename", prepared)).placeholder == "Greeting"
        wanted = lsp.RenameParams(editor.doc("chat.acdl"), position, "Welcome")
        edit = await editor.ask("textDocument/rename", wanted)
        changed = {
            each.text_document.uri: (each.text_document.version, len(each.edits)) for each in edit.document_changes
        }
        assert changed == {uri: (1, 1), editor.uri("parts.acdl"): (None, 1)}
        assert {each.new_text for change in edit.document_changes for each in change.edits} == {"Welcome"}
        with pytest.raises(JsonRpcException) as refused:
            await editor.ask("textDocument/rename", lsp.RenameParams(editor.doc("chat.acdl"), position, "no name"))
        assert refused.value.code == -32803

    with_editor(tmp_path, scenario)


def test_symbols(tmp_path: Path) -> None:
    """The outline of a document, and specs and fragments of all of them."""

    async def scenario(editor: Talk) -> None:
        editor.open("chat.acdl", SPEC)
        (spec,) = await editor.ask("textDocument/documentSymbol", lsp.DocumentSymbolParams(editor.doc("chat.acdl")))
        assert (spec.name, spec.range.end.line) == ("Chat", 5)
        assert spec.children
        found = await editor.ask("workspace/symbol", lsp.WorkspaceSymbolParams("greet"))
        assert [(each.name, each.location.uri) for each in found] == [("Greeting", editor.uri("parts.acdl"))]

    with_editor(tmp_path, scenario)


def words_of(data: list[int], text: str) -> list[str]:
    """The words that tokens mean, in a text that has only plain letters."""
    lines, found, line, column = text.splitlines(), [], 0, 0
    for down, right, length, _, _ in zip(*[iter(data)] * 5, strict=True):
        line, column = line + down, right if down else column + right
        found.append(lines[line][column : column + length])
    return found


def test_semantic_tokens(tmp_path: Path) -> None:
    """All words, those of a part, and what changed since the last answer."""

    async def scenario(editor: Talk) -> None:
        uri = editor.open("chat.acdl", SPEC)
        doc = editor.doc("chat.acdl")
        whole = await editor.ask("textDocument/semanticTokens/full", lsp.SemanticTokensParams(doc))
        words = words_of(list(whole.data), SPEC)
        assert {"ForEach", "Greeting", "Chat"} <= set(words)
        part = lsp.Range(lsp.Position(4, 0), lsp.Position(5, 0))
        some = await editor.ask("textDocument/semanticTokens/range", lsp.SemanticTokensRangeParams(doc, part))
        assert "Greeting" in words_of(list(some.data), SPEC)
        assert "ForEach" not in words_of(list(some.data), SPEC)
        changed = SPEC.replace("question", "questions")
        editor.replace(uri, changed)
        asked = lsp.SemanticTokensDeltaParams(doc, whole.result_id)
        delta = await editor.ask("textDocument/semanticTokens/full/delta", asked)
        data = list(whole.data)
        for edit in delta.edits:
            data[edit.start : edit.start + edit.delete_count] = edit.data or []
        again = await editor.ask("textDocument/semanticTokens/full", lsp.SemanticTokensParams(doc))
        assert data == list(again.data)
        assert "questions" in " ".join(words_of(data, changed))

    with_editor(tmp_path, scenario)


def test_folding_and_selection(tmp_path: Path) -> None:
    """Blocks fold, and a selection grows from a word to the whole text."""

    async def scenario(editor: Talk) -> None:
        editor.open("chat.acdl", SPEC)
        doc = editor.doc("chat.acdl")
        folded = await editor.ask("textDocument/foldingRange", lsp.FoldingRangeParams(doc))
        assert {(0, 4), (1, 2)} <= {(each.start_line, each.end_line) for each in folded}
        place = lsp.Position(2, 17)
        (grown,) = await editor.ask("textDocument/selectionRange", lsp.SelectionRangeParams(doc, [place]))
        sizes = []
        while grown:
            sizes.append((grown.range.end.line - grown.range.start.line, grown.range.end.character))
            grown = grown.parent
        assert sizes[0][0] == 0
        assert sizes[-1][0] == 6
        assert len(sizes) >= 4

    with_editor(tmp_path, scenario)


def test_formatting(tmp_path: Path) -> None:
    """A document and a part of one in their normal form, by edits that the editor applies."""

    async def scenario(editor: Talk) -> None:
        uri = editor.open("chat.acdl", "Chat[@T]:{U:{env.question[@T]}}\n")
        doc, options = editor.doc("chat.acdl"), lsp.FormattingOptions(4, True)
        edits = await editor.ask("textDocument/formatting", lsp.DocumentFormattingParams(doc, options))
        text = applied("Chat[@T]:{U:{env.question[@T]}}\n", edits)
        assert text == "Chat[@T]: {\n    U: {\n        env.question[@T]\n    }\n}\n"
        editor.replace(uri, text)
        assert not await editor.ask("textDocument/formatting", lsp.DocumentFormattingParams(doc, options))
        part = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        whole = lsp.DocumentRangeFormattingParams(doc, part, options)
        assert not await editor.ask("textDocument/rangeFormatting", whole)

    with_editor(tmp_path, scenario)


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text of plain letters after edits."""
    starts = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

    def offset(place: lsp.Position) -> int:
        return starts[place.line] + place.character

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def test_code_actions(tmp_path: Path) -> None:
    """A fix of a problem, told with the problem that it solves; and all safe fixes at once."""
    text = "Chat[@T]: { u: { env.question[@T] } }\n"

    async def scenario(editor: Talk) -> None:
        uri = editor.open("chat.acdl", text)
        await editor.until(lambda: bool(editor.rules(uri)))
        (problem, *_) = editor.client.diagnostics[uri]
        context = lsp.CodeActionContext(list(editor.client.diagnostics[uri]))
        asked = lsp.CodeActionParams(editor.doc("chat.acdl"), problem.range, context)
        found = await editor.ask("textDocument/codeAction", asked)
        fixes = [each for each in found if each.kind == "quickfix" and each.diagnostics]
        assert fixes
        assert fixes[0].diagnostics[0].code == problem.code
        assert len({each.title for each in found}) == len(found)
        only = lsp.CodeActionContext([], only=["source.fixAll"])
        every = await editor.ask(
            "textDocument/codeAction", lsp.CodeActionParams(editor.doc("chat.acdl"), problem.range, only)
        )
        assert {each.kind for each in every} <= {"source.fixAll.acdl"}

    with_editor(tmp_path, scenario)


def test_links(tmp_path: Path) -> None:
    """A comment that uses a file leads to it."""

    async def scenario(editor: Talk) -> None:
        editor.open("chat.acdl", "// acdl: use parts.acdl\n" + SPEC)
        (link,) = await editor.ask("textDocument/documentLink", lsp.DocumentLinkParams(editor.doc("chat.acdl")))
        assert link.target.endswith("parts.acdl")
        assert link.range.start.line == 0

    with_editor(tmp_path, scenario)


@pytest.mark.parametrize("has_commands", [False, True])
def test_lenses(tmp_path: Path, has_commands: bool) -> None:
    """How often a fragment is used is said everywhere; what only our client can do, only there."""

    async def scenario(editor: Talk) -> None:
        editor.open("chat.acdl", SPEC)
        editor.open("parts.acdl", PARTS)
        found = await editor.ask("textDocument/codeLens", lsp.CodeLensParams(editor.doc("parts.acdl")))
        used = next(each for each in found if "use" in each.command.title)
        assert used.range.start.line == 1
        others = await editor.ask("textDocument/codeLens", lsp.CodeLensParams(editor.doc("chat.acdl")))
        assert bool(others) == has_commands
        if has_commands:
            uri, place, locations = used.command.arguments
            assert (uri, place["line"]) == (editor.uri("parts.acdl"), 1)
            assert [each["uri"] for each in locations] == [editor.uri("chat.acdl")]
        else:
            assert used.command.command == ""

    with_editor(tmp_path, scenario, {"commands": has_commands})


@pytest.mark.parametrize("has_hints", [True, False])
def test_inlay_hints(tmp_path: Path, has_hints: bool) -> None:
    """The name of a parameter stands before its argument, unless somebody has switched that off."""

    async def scenario(editor: Talk) -> None:
        editor.open("chat.acdl", SPEC)
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
        found = await editor.ask("textDocument/inlayHint", lsp.InlayHintParams(editor.doc("chat.acdl"), whole))
        assert bool(found) == has_hints
        assert any("name" in each.label and each.position.line == 4 for each in found) == has_hints

    with_editor(tmp_path, scenario, {"settings": {"inlayHints": has_hints}})


def test_unknown_documents_have_no_answers(tmp_path: Path) -> None:
    """Nothing is known of a document that nobody has opened and no folder has."""

    async def scenario(editor: Talk) -> None:
        doc, place = lsp.TextDocumentIdentifier("file:///nowhere/else.acdl"), lsp.Position(0, 0)
        assert await editor.ask("textDocument/hover", lsp.HoverParams(doc, place)) is None
        assert not await editor.ask("textDocument/definition", lsp.DefinitionParams(doc, place))
        assert not await editor.ask("textDocument/documentSymbol", lsp.DocumentSymbolParams(doc))
        assert list((await editor.ask("textDocument/semanticTokens/full", lsp.SemanticTokensParams(doc))).data) == []

    with_editor(tmp_path, scenario)
