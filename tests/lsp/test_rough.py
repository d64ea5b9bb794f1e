"""An editor that asks out of range, takes back what it asked, and edits at random: it is told what a new one is."""

import asyncio
import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from lsp.talking import Talk, talk

PAGE = """# A page 😀

See [[acdl:Chat]].

```acdl
Chat[@T]: {
    S: { INSTRUCTIONS }
    ForEach(t: range(1, @T)) { U: env.input[@t] }
    U: { Frag Part[@T] "ü 😀" }
}
```

> - ```acdl
>   StrFrag Part[@k]: { env.a[@k] }
>   ```
"""
WORDS = (
    "```acdl\n",
    "```\n",
    "\n",
    "}",
    "{",
    " ",
    "U: ",
    "😀",
    "é",
    "Frag Part[@T] ",
    "> ",
    "env.q[@T]",
    "\r\n",
    "\t",
    "]",
)
FAR = 2**31 - 1
SOON_S = 40
"""How long many questions that are taken back, and one that is not, may take together."""
CANCELLED = -32800
NUMBERS = count()
QUESTIONS: tuple[tuple[str, Callable[[lsp.TextDocumentIdentifier, lsp.Position], object]], ...] = (
    ("hover", lsp.HoverParams),
    ("completion", lsp.CompletionParams),
    ("definition", lsp.DefinitionParams),
    ("prepareRename", lsp.PrepareRenameParams),
    ("signatureHelp", lsp.SignatureHelpParams),
    ("rename", lambda document, where: lsp.RenameParams(document, where, "\ud800")),
)


def units(text: str) -> int:
    """How long a text is, as the editor counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def place(text: str, offset: int) -> lsp.Position:
    """A place of a text as the editor counts."""
    before = text[:offset]
    return lsp.Position(before.count("\n"), units(before.rpartition("\n")[2]))


def edited(text: str, chance: random.Random) -> tuple[str, lsp.TextDocumentContentChangePartial]:
    """A text with something put, taken or replaced anywhere."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 0, 1, 3, 30)))
    if "\r" in text[max(start - 1, 0) : start + 1] + text[max(end - 1, 0) : end + 1]:
        start = end = 0  # no editor puts its cursor between the two
    new = chance.choice(WORDS)
    change = lsp.TextDocumentContentChangePartial(lsp.Range(place(text, start), place(text, end)), new)
    return text[:start] + new + text[end:], change


async def said(editor: Talk, uri: str) -> dict[str, Any]:
    """All that an editor shows of a document."""
    document = lsp.TextDocumentIdentifier(uri)
    report = await editor.ask("textDocument/diagnostic", lsp.DocumentDiagnosticParams(document))
    symbols = await editor.ask("textDocument/documentSymbol", lsp.DocumentSymbolParams(document))
    tokens = await editor.ask("textDocument/semanticTokens/full", lsp.SemanticTokensParams(document))
    return {"problems": report.items, "symbols": symbols, "tokens": tokens.data}


def test_random_edits(tmp_path: Path) -> None:
    """After many small edits the server knows what one knows that is given the text as a whole."""
    chance = random.Random(9)  # noqa: S311  # nothing is secret

    async def fresh(text: str) -> dict[str, Any]:
        async with talk(tmp_path) as editor:
            return await said(editor, editor.open("page.md", text))

    async def scenario() -> None:
        text = PAGE
        async with talk(tmp_path, is_program=True) as editor:
            uri = editor.open("page.md", text)
            for number in range(1, 201):
                if number % 25 == 0:
                    text = PAGE  # or nothing is left that could be understood
                    editor.replace(uri, text)
                text, change = edited(text, chance)
                editor.change(uri, change)
                bother(editor, uri, text, chance)
                if number % 40 == 7:
                    assert await said(editor, uri) == await fresh(text), text

    asyncio.run(scenario())


def bother(editor: Talk, uri: str, text: str, chance: random.Random) -> None:
    """Ask about places that there are and that there are not, and take some of it back."""
    document = lsp.TextDocumentIdentifier(uri)
    anywhere = place(text, chance.randrange(len(text) + 1))
    for where in (anywhere, lsp.Position(FAR, 0), lsp.Position(0, FAR)):
        name, params = chance.choice(QUESTIONS)
        given = params(document, where)
        asked(editor, f"textDocument/{name}", given, is_taken_back=chance.random() < 0.5)


def asked(editor: Talk, method: str, params: object, *, is_taken_back: bool) -> "asyncio.Task[object]":
    """Ask something, and take it back at once."""
    number = f"question {next(NUMBERS)}"
    answer = editor.client.protocol.send_request_async(method, params, number)  # type: ignore[no-untyped-call]  # pygls
    task = asyncio.ensure_future(forgiven(answer))
    if is_taken_back:
        asyncio.get_running_loop().call_soon(editor.client.cancel_request, lsp.CancelParams(number))
    return task


async def forgiven(answer: Any) -> object:
    """An answer, or the number of the refusal."""
    try:
        return await answer
    except JsonRpcException as refusal:
        return refusal.code


def test_storm_of_questions_taken_back(tmp_path: Path) -> None:
    """Forty long questions that nobody waits for do not delay what follows, nor the end."""
    (tmp_path / "part.acdl").write_text("StrFrag Part[@t]: { env.a[@t] }\n", "utf-8")
    for number in range(60):
        (tmp_path / f"s{number}.acdl").write_text(f"P{number}[@T]: {{ U: {{ Frag Part[@T] }} }}\n", "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path, is_program=True) as editor:
            uri = editor.open("part.acdl", "StrFrag Part[@t]: { env.a[@t] }\n")
            params = lsp.ReferenceParams(
                lsp.ReferenceContext(include_declaration=True), lsp.TextDocumentIdentifier(uri), lsp.Position(0, 9)
            )
            method = "textDocument/references"
            tasks = [asked(editor, method, params, is_taken_back=number < 39) for number in range(40)]
            *taken_back, last = await asyncio.wait_for(asyncio.gather(*tasks), SOON_S)
            assert isinstance(last, tuple)
            assert len(last) == 61
            assert CANCELLED in taken_back

    asyncio.run(scenario())
