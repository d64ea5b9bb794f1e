"""The problems that an editor shows are those of `acdl check`, however the texts came to be as they are."""

import asyncio
import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from exhaustive import few
from lsprotocol import types as lsp

from lsp.talking import Talk, talk

ROOT = Path(__file__).parent.parent.parent
GOOD = "P[@T]: { U: { env.question[@T] } }\n"
BROKEN = "P[@T]: { U: { Frag Greting[@T] } }\nStrFrag Greeting[@T]: { HELLO }\n"
PULLING = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(diagnostic=lsp.DiagnosticClientCapabilities()),
    workspace=lsp.WorkspaceClientCapabilities(diagnostics=lsp.DiagnosticWorkspaceClientCapabilities(True)),
)

Told = Counter[tuple[str, str, int, int, int, int]]


def checked(folder: Path, *paths: str) -> Told:
    """What `acdl check` says of a folder: file, rule and place of each problem, counted from 0."""
    command = [sys.executable, "-m", "acdl_mkdocs", "check", *(paths or ["."]), "--format", "json"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode in (0, 1), ran.stderr
    told: Told = Counter()
    for line in ran.stdout.splitlines():
        found = json.loads(line)
        place = (found["line"], found["column"], found["end_line"], found["end_column"])
        told[(str((folder / found["file"]).resolve()), found["rule"], *(each - 1 for each in place))] += 1
    return told


def shown(editor: Talk) -> Told:
    """The same of all that an editor shows, which counts code points."""
    told: Told = Counter()
    for uri, diagnostics in editor.client.diagnostics.items():
        path = lsp_path(uri)
        for each in diagnostics:
            start, end = each.range.start, each.range.end
            place = (start.line, start.character, end.line, end.character)
            told[(str(path.resolve()), str(each.code), *place)] += 1
    return told


def lsp_path(uri: str) -> Path:
    """The file of a URI, as Python reads it."""
    from urllib.parse import unquote, urlsplit

    return Path(unquote(urlsplit(uri).path))


def counting(encoding: str) -> lsp.ClientCapabilities:
    """An editor that counts only in one way."""
    general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind(encoding)])
    return lsp.ClientCapabilities(general=general)


@pytest.mark.parametrize("name", few(["examples", "site_src", "tests/golden/check"]))
def test_same_verdict_as_check(name: str, tmp_path: Path) -> None:
    """All problems of a folder, its pages and its specs, are those of `acdl check FOLDER`, at the same places."""
    folder = ROOT / name
    if name.startswith("tests/"):  # the settings of this project exclude it
        folder = Path(shutil.copytree(folder, tmp_path / "copied"))

    async def scenario() -> Told:
        async with talk(folder, counting("utf-32")) as editor:
            await editor.until(lambda: bool(editor.checked))
            return shown(editor)

    assert asyncio.run(scenario()) == checked(folder)


def test_problem_with_all_that_is_known(tmp_path: Path) -> None:
    """A problem has its rule, its cure, the other places that explain it, and the page of its rule."""

    async def scenario() -> None:
        settings = {"settings": {"ruleUrl": "https://example.org/rules/{rule}/"}}
        async with talk(tmp_path, options=settings) as editor:
            uri = editor.open("a.acdl", BROKEN)
            (found,) = await editor.shows(uri, "unknown-fragment")
            assert found.severity == lsp.DiagnosticSeverity.Error
            assert found.source == "acdl"
            assert found.range == lsp.Range(lsp.Position(0, 19), lsp.Position(0, 26))
            assert found.message.startswith("no fragment named `Greting`\n")
            assert "help: did you mean `Greeting`?" in found.message
            assert found.code_description == lsp.CodeDescription("https://example.org/rules/unknown-fragment/")
            (related,) = found.related_information or ()
            assert related.location == lsp.Location(uri, lsp.Range(lsp.Position(1, 8), lsp.Position(1, 16)))
            assert found.data == {"rule": "unknown-fragment", "help": ["did you mean `Greeting`?"], "isFixable": False}

    asyncio.run(scenario())


def test_unused_is_faded(tmp_path: Path) -> None:
    """What could as well not be there has the tag that lets editors fade it."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("a.acdl", "P[@T]: { Name x := env.a[@T] U: { env.b[@T] } }\n")
            (found,) = await editor.shows(uri, "unused-name")
            assert list(found.tags or ()) == [lsp.DiagnosticTag.Unnecessary]

    asyncio.run(scenario())


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 27), ("utf-16", 25), ("utf-32", 24)])
def test_position_encodings(tmp_path: Path, encoding: str, column: int) -> None:
    """Places are counted as the editor counts, here behind a sign that is one, two or four long."""

    async def scenario() -> None:
        async with talk(tmp_path, counting(encoding)) as editor:
            assert editor.greeting.capabilities.position_encoding == encoding
            uri = editor.open("a.acdl", 'P[@T]: { U: { "😀" Frag Nobody[@T] } }\r\n')
            found, _ = sorted(
                await editor.shows(uri, "literal-content", "unknown-fragment"),
                key=lambda each: str(each.code),
                reverse=True,
            )
            assert (found.range.start.line, found.range.start.character) == (0, column - 1)

    asyncio.run(scenario())


def test_edits_with_emoji_and_crlf(tmp_path: Path) -> None:
    """An edit in UTF-16 behind an emoji, in a text with CR LF, changes what it should."""

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("a.acdl", "// 😀😀\r\nP[@T]: { U: { Frag 😀Good[@T] } }\r\nStrFrag Good[@T]: { A }\r\n")
            await editor.until(lambda: uri in editor.client.diagnostics)
            place = lsp.Range(lsp.Position(1, 19), lsp.Position(1, 21))
            editor.change(uri, lsp.TextDocumentContentChangePartial(place, ""))
            await editor.shows(uri)

    asyncio.run(scenario())


def test_fences_of_a_page(tmp_path: Path) -> None:
    """A fence in a list has its problems where it stands, and uses fragments of another file of the folder."""
    (tmp_path / "parts.acdl").write_text("StrFrag Greeting[@T]: { HELLO }\n", "utf-8")
    page = "# Page\n\n- item\n\n    ```acdl\n    P[@T]: { U: { Frag Greeting[@T] Frag Nobody[@T] } }\n    ```\n"

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            uri = editor.open("page.md", page)
            (found,) = await editor.shows(uri, "unknown-fragment")
            assert (found.range.start.line, found.range.start.character) == (5, 41)

    asyncio.run(scenario())


def random_edit(text: str, random_number: random.Random) -> tuple[int, int, str]:
    """A part of a text and what is put in its place, often something that matters to the language."""
    start = random_number.randrange(len(text) + 1)
    end = min(len(text), start + random_number.choice((0, 0, 1, 1, 3, 12)))
    words = ("{", "}", "\n", "\r\n", " ", "😀", "U: ", "Frag X[@T]", "[@T-1]", "ForEach", "```acdl\n", "é", "$", "")
    return start, end, random_number.choice(words)


@pytest.mark.parametrize("name", few(["react.acdl", "page.md"]))
def test_two_hundred_random_edits(tmp_path: Path, name: str) -> None:
    """After any edits, one upon the other, the editor shows what `acdl check` says of the text that they made."""
    spec = next(iter(sorted((ROOT / "examples").glob("*.acdl")))).read_text("utf-8")
    text = (
        spec
        if name.endswith(".acdl")
        else f"# Page 😀\n\n> ```acdl\n> P[@T]: {{ U: {{ A }} }}\n> ```\n\n```acdl\n{spec}```\n"
    )
    (tmp_path / "acdl.toml").write_text("", "utf-8")
    random_number = random.Random(9)  # noqa: S311 - edits, not secrets

    async def scenario() -> tuple[str, Told]:
        current = text
        async with talk(tmp_path, counting("utf-32")) as editor:
            uri = editor.open(name, current)
            for number in range(200):
                start, end, words = random_edit(current, random_number)
                place = lsp.Range(position(current, start), position(current, end))
                editor.change(uri, lsp.TextDocumentContentChangePartial(place, words))
                before, after = settled(current, start), settled(current, end)
                current = current[:before] + words + current[after:]
                if number % 20 == 0:
                    await asyncio.sleep(0.1)
            n_checked = len(editor.checked)
            await editor.until(lambda: len(editor.checked) > n_checked)
            return current, shown(editor)

    made, told = asyncio.run(scenario())
    (tmp_path / name).write_bytes(made.encode("utf-8"))
    assert told == checked(tmp_path)


def settled(text: str, offset: int) -> int:
    """Where an offset within CR LF is for an editor, which knows no place there: at the end of the line."""
    return offset - 1 if text[offset - 1 : offset + 1] == "\r\n" and offset else offset


def position(text: str, offset: int) -> lsp.Position:
    """The place of an offset in code points, for lines that end with LF, CR LF or CR."""
    before = text[: settled(text, offset)].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lsp.Position(len(before) - 1, len(before[-1]))


def test_pull(tmp_path: Path) -> None:
    """An editor that asks for problems gets those of the text as it is, and is not told of them besides."""

    async def scenario() -> None:
        async with talk(tmp_path, PULLING) as editor:
            uri = editor.open("a.acdl", BROKEN)
            report = await editor.ask("textDocument/diagnostic", lsp.DocumentDiagnosticParams(editor.doc("a.acdl")))
            assert [each.code for each in report.items] == ["unknown-fragment"]
            again = lsp.DocumentDiagnosticParams(editor.doc("a.acdl"), previous_result_id=report.result_id)
            same = await editor.ask("textDocument/diagnostic", again)
            assert (same.kind, same.result_id) == ("unchanged", report.result_id)
            editor.replace(uri, GOOD)
            mended = await editor.ask("textDocument/diagnostic", again)
            assert (mended.kind, list(mended.items)) == ("full", [])
            assert editor.client.diagnostics == {}

    asyncio.run(scenario())


def test_pull_of_a_workspace(tmp_path: Path) -> None:
    """Files that nobody opened have their problems too; what did not change is not told again."""
    (tmp_path / "a.acdl").write_text(BROKEN, "utf-8")
    (tmp_path / "b.acdl").write_text(GOOD, "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path, PULLING) as editor:
            await editor.until(lambda: bool(editor.checked))
            report = await editor.ask("workspace/diagnostic", lsp.WorkspaceDiagnosticParams([]))
            (item,) = report.items
            assert (item.uri, [each.code for each in item.items]) == (editor.uri("a.acdl"), ["unknown-fragment"])
            known = [lsp.PreviousResultId(item.uri, item.result_id)]
            again = await editor.ask("workspace/diagnostic", lsp.WorkspaceDiagnosticParams(known))
            assert [each.kind for each in again.items] == ["unchanged"]

    asyncio.run(scenario())


def test_one_edit_changes_what_others_have(tmp_path: Path) -> None:
    """A fragment that is renamed in one open file is missing in another that nobody opened; unsaved texts count."""
    (tmp_path / "parts.acdl").write_text("StrFrag Greeting[@T]: { HELLO }\n", "utf-8")
    (tmp_path / "use.acdl").write_text("P[@T]: { U: { Frag Greeting[@T] } }\n", "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            await editor.until(lambda: bool(editor.checked))
            assert shown(editor) == Counter()
            uri = editor.open("parts.acdl", "StrFrag Welcome[@T]: { HELLO }\n")
            await editor.shows(editor.uri("use.acdl"), "unknown-fragment")
            editor.close(uri)
            await editor.shows(editor.uri("use.acdl"))

    asyncio.run(scenario())


def test_used_files_are_those_of_the_editor(tmp_path: Path) -> None:
    """What `// acdl: use` and `src=` lead to is read from the editor where it is open."""
    (tmp_path / "acdl.toml").write_text("", "utf-8")
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shown.acdl").write_text(GOOD, "utf-8")

    async def scenario() -> None:
        async with talk(tmp_path) as editor:
            page = editor.open("page.md", "```acdl src=specs/shown.acdl spec=Q\n```\n")
            await editor.shows(page, "unknown-spec")
            editor.open("specs/shown.acdl", GOOD + "Q[@T]: { U: { env.a[@T] } }\n")
            await editor.shows(page)

    asyncio.run(scenario())
