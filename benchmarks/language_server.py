"""How long an editor waits for the language server: from a keystroke to its problems, over standard input and output.

Run `make bench-editor`. The first row is a spec of 60 lines, the second a file of
2,000, the third a spec among 1,000 files. The server waits 80 ms after a keystroke for the next one; that is part of
each time. An editor that asks for problems itself does not wait for that.
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from circumstances import load_around, where
from lsprotocol import types as lsp
from measure import Row
from pages import keep_rows
from pytest_lsp import LanguageClient, make_test_lsp_client

_N_EDITS = 15


def spec(name: str, n_lines: int) -> str:
    """A spec of so many lines, whose last is broken."""
    body = "".join(f"    U: {{ env.question{number}[@T] }}\n" for number in range(n_lines - 3))
    return f"{name}[@T]: {{\n{body}    U: {{ Frag Nobody[@T] }}\n}}\n"


async def waited(client: LanguageClient, uri: str, text: str) -> list[float]:
    """Milliseconds until the problems of each of some edits, each of which moves the problem."""
    item = lsp.TextDocumentItem(uri, "acdl", 0, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    times = []
    for version in range(1, _N_EDITS + 1):
        while not client.diagnostics.get(uri):
            await asyncio.sleep(0.001)
        known = client.diagnostics[uri]
        started = time.perf_counter()
        edit = lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)), "\n")
        identifier = lsp.VersionedTextDocumentIdentifier(version, uri)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [edit]))
        while client.diagnostics[uri] is known:
            await asyncio.sleep(0.001)
        times.append(1000 * (time.perf_counter() - started))
    return times


async def measured(n_lines: int, n_files: int) -> tuple[float, float, float]:
    """Seconds until a workspace is checked, then the median and the worst wait in ms."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for number in range(n_files - 1):
            (folder / f"s{number}.acdl").write_text(spec(f"P{number}", 30).replace("Frag Nobody[@T]", "A"), "utf-8")
        client = make_test_lsp_client()
        checked = asyncio.Event()
        client.feature("acdl/checked")(lambda _: checked.set())
        client.feature("acdl/changed")(lambda _: None)
        started = time.perf_counter()
        await client.start_io(sys.executable, "-m", "acdl_mkdocs", "lsp", cwd=folder)
        params = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=folder.as_uri())
        await client.initialize_session(params)
        await checked.wait()
        ready_s = time.perf_counter() - started
        times = await waited(client, (folder / "edited.acdl").as_uri(), spec("Edited", n_lines))
        await client.shutdown_session()
        await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp
    return ready_s, median(times), max(times)


def main() -> None:
    """Measure, print and keep."""
    circumstances = where()
    rows = []
    for title, n_lines, n_files in (
        ("a spec of 60 lines", 60, 1),
        ("a file of 2,000 lines", 2000, 1),
        ("a spec of 60 lines among 1,000 files", 60, 1000),
    ):
        ready_s, usual_ms, worst_ms = asyncio.run(measured(n_lines, n_files))
        rows += [
            Row(f"{title}: from the start to the first problems of all files", ready_s, "s"),
            Row(f"{title}: from a key to its problems", usual_ms, "ms"),
            Row(f"{title}: the longest of {_N_EDITS}", worst_ms, "ms"),
        ]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    keep_rows("editor", load_around(circumstances), [*rows, Row("most memory that a server took", peak / 1024, "MB")])


if __name__ == "__main__":
    main()
