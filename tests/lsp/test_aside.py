"""Long questions have a thread of their own."""

import asyncio
from pathlib import Path
from threading import Event

import pytest
from lsprotocol import types as lsp

from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.lsp.background_queries import BackgroundQueries
from acdl_mkdocs.frontends.lsp.session import Session
from lsp.talking import at, talk


def fail(_workspace: Workspace) -> str:
    """Refuse."""
    raise RenameError("no", "ask something else")


def test_the_loop_goes_on() -> None:
    """While one question is answered the loop does other things; what was taken back is not begun; refusals arrive."""

    async def scenario() -> None:
        aside, gate, begun = BackgroundQueries(Session()), Event(), Event()
        slow = aside.run_query(lambda _: gate.wait(30))
        taken_back = aside.run_query(lambda _: begun.set())
        taken_back.cancel()
        refused = aside.run_query(fail)
        await asyncio.sleep(0.01)
        assert not slow.done()
        gate.set()
        assert await slow is True
        with pytest.raises(RenameError):
            await refused
        assert not begun.is_set()
        aside.stop_queries()

    asyncio.run(scenario())


def test_what_is_found_out_is_shared() -> None:
    """Texts that were read ahead are not read again, whoever asks."""

    async def scenario() -> None:
        session = Session()
        documents = [Document(f"file:///{n}.acdl", f"StrFrag F{n}[@T]: {{ A }}\n", "acdl") for n in range(3)]
        session.workspace = Workspace({each.uri: each for each in documents})
        aside = BackgroundQueries(session)
        assert not aside.is_read
        aside.read_ahead()
        seen = await aside.run_query(lambda workspace: [workspace.list_names(each) for each in workspace.all_pieces()])
        assert all(session.workspace.list_names(each.pieces[0]) is seen[n] for n, each in enumerate(documents))
        while not aside.is_read:  # it lets others have their turn
            await aside.run_query(lambda _: None)
        aside.stop_queries()

    asyncio.run(scenario())


def test_states_of_comments_and_typing(tmp_path: Path) -> None:
    """A state that a comment names counts for its spec alone; a rename edits it; a typed line is indented."""
    text, place = at("// state: one.yaml\nOne[@T]: { S: { TA|SK } }\n\nTwo[@T]: {\n\n}\n")
    (tmp_path / "p.acdl").write_text(text, "utf-8")
    (tmp_path / "one.yaml").write_text("acdl_state: 1\n# 😀\ntemplates: {TASK: Sort them.}\nsteps: {1: {}}\n", "utf-8")
    (tmp_path / "Two.state.yaml").write_text("acdl_state: 1\nsteps: {1: {}}\n", "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path, options={"commands": True}) as editor:
            uri = editor.open("p.acdl", text)
            document = lsp.TextDocumentIdentifier(uri)
            lenses = await editor.client.text_document_code_lens_async(lsp.CodeLensParams(document)) or ()
            evaluated = [
                [*(each.command.arguments or ())]
                for each in lenses
                if each.command and each.command.title == "evaluate"
            ]
            assert evaluated == [[uri, "One"], [uri, "Two"]]
            shown = await editor.client.text_document_hover_async(lsp.HoverParams(document, place))
            assert shown
            assert "Sort them." in str(shown.contents)
            found = await editor.client.text_document_rename_async(lsp.RenameParams(document, place, "JOB"))
            assert found
            assert found.changes
            (edit,) = found.changes[editor.uri("one.yaml")]
            assert (edit.range, edit.new_text) == (lsp.Range(lsp.Position(2, 12), lsp.Position(2, 16)), "JOB")
            typed = await editor.client.text_document_on_type_formatting_async(
                lsp.DocumentOnTypeFormattingParams(document, lsp.Position(4, 0), "\n", lsp.FormattingOptions(4, True))
            )
            assert [each.new_text for each in typed or ()] == ["    "]

    asyncio.run(scenario())
