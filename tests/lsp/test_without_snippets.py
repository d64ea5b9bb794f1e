"""What an editor is offered that knows no snippets, such as Vim without a plug-in."""

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from lsp.talking import at, talk


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("P[@T]: {\n    |\n}\n", {"S": "S: ", "ForEach": "ForEach(t: range(1, @T)) {", "Else": None}),
        ("P[@T]: { U: { env.a[@T] f(1) |} }\n", {"env.a": "env.a[@T]", "f": "f(", "env": "env."}),
    ],
)
def test_offers(tmp_path: Path, text: str, wanted: dict[str, str | None]) -> None:
    """It gets the same offers as plain text, up to the first place that has to be written."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            plain, position = at(text)
            identifier = lsp.TextDocumentIdentifier(editor.open("a.acdl", plain))
            found = await editor.ask("textDocument/completion", lsp.CompletionParams(identifier, position))
            assert {each.insert_text_format for each in found.items} == {lsp.InsertTextFormat.PlainText}
            written = {each.label: each.text_edit.new_text for each in reversed(found.items)}
            assert {label: written.get(label) for label in wanted} == wanted
            assert not any("\n" in each or "$" in each.replace("@$", "") for each in written.values())

    asyncio.run(scenario())
