"""The cost of a text grows with its length, however it is written: counted steps, and a generous limit for the rest."""

import argparse
import math
import subprocess
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest
from exhaustive import exhaustive, few
from steps import n_steps, soon

from acdl_mkdocs.app.check import check_all
from acdl_mkdocs.app.rejected import explain_rejected
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.fixing import fix_files
from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.pages.search_text import hide_drawings
from acdl_mkdocs.frontends.docs.settings import Settings as SiteSettings
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.rules import RULES as ALL_RULES
from acdl_mkdocs.language.rules.fragment_argument_count import fragment_argument_count
from acdl_mkdocs.language.rules.recursive_fragment import recursive_fragment
from acdl_mkdocs.language.rules.snippet_in_file import snippet_in_file
from acdl_mkdocs.language.rules.unknown_block import unknown_block
from acdl_mkdocs.language.rules.unknown_fragment import unknown_fragment
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.workspace.catalog import Catalog, Cycles
from acdl_mkdocs.workspace.fences import code_spans
from acdl_mkdocs.workspace.inputs import gather_texts
from acdl_mkdocs.workspace.read_block import BlockText
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import Settings

if sys.platform != "win32":
    import resource

RULES = (fragment_argument_count, snippet_in_file, unknown_block, unknown_fragment)
"""Those that look at headers and names, for which many words are compared."""

STEPS = {
    "errors": "U: {{ ? }} ",
    "errors after a bracket": "U: a[? ",
    "words": "a b {{ }} ",
    "stray cases": "Case a {{ }} ",
    "open blocks": "a {{ ",
    "branches": "}} {{\n",
    "indented branches": "x {{\n  }}\n",
    "open titles": "a[\n",
    "foreign blocks that never end": "Flow x {{\n",
    "foreign blocks that end": "Flow x {{ }} ",
    "messages in messages": "U: ",
    "messages in messages and blocks": "U: If a {{ ",
    "alternatives": "If a {{ U: A }} ElseIf b {{ U: B }} ",
    "broken alternatives": "If a {{ }} Else b ",
    "unknown fragments": "Frag Document{n}Context {{ }} StrFrag Documents{n}Context {{ }}\n",
    "misspelled keywords": "Forech{n} (x) {{ }}\n",
    "comments in blocks": "If a {{ // c\n",
    "objects": '{{"a": ',
    "values in braces": "U: f({{ ",
    "headers in braces": "ForEach {{a}} {{ ",
    "switches of another language": "match a {{ case b {{ ",
    "namespaces apart": "U: env q ",
}
"""Pieces that are repeated; each is tried in one line and in many."""


def examine(text: str) -> None:
    """Everything that looks at a text as a whole."""
    with system.pause_collector():
        resolved = resolve(parse(Source(text)))
        for rule in RULES:
            list(rule(resolved, Config(snippet=rule is unknown_fragment)))


def examine_and_describe(text: str) -> None:
    """Everything from a text to its figure, without the layout."""
    examine(text)
    describe(resolve(parse(Source(text))))


@pytest.mark.parametrize(("kind", "end"), few(product(STEPS, ["", "\n"]), 9))
def test_steps_grow_with_the_length(kind: str, end: str) -> None:
    """Four times the text takes about four times the steps."""
    texts = ("".join(STEPS[kind].format(n=n) + end for n in range(size)) for size in (200, 800))
    few, many = (n_steps(partial(examine_and_describe, text)) for text in texts)
    assert many < 5.5 * few + 5_000


DEEP = {
    "times": "U: env.q[@t] ",
    "steps of times": "U: env.q[@t.i] ",
    "words": "If t > 1 { U: x } ",
    "messages": "U: A ",
    "labels": "a { U: @t } ",
    "names": "Name x := $x ",
    "fragments": "Frag F[@t] ",
    "contents": "x[t] ",
    "templates": "Task ",
    "marks": "Mark { U: A } ",
    "loops": "ForEach(k: env.q[@T]) { U: A } ",
    "lists": "U: [k for k in env.q[@T]] ",
    "hidden variables": "ForEach(x: env.q[@T]) { U: A } ",
}
"""Pieces that stand beside each other, far in."""


@pytest.mark.parametrize(("kind", "around"), few(product(DEEP, ["If a { ", "ForEach(x: range(1, @T)) { "]), 5))
def test_steps_do_not_grow_with_the_depth(kind: str, around: str) -> None:
    """What stands in 240 blocks costs about what it costs in 20, by any rule."""
    costs: dict[str, list[int]] = {name: [] for name in ALL_RULES}
    for depth in (20, 240):
        for pieces, sign in ((DEEP[kind] * 400, 1), ("", -1)):
            resolved = resolve(parse(Source("P[@T]: { " + around * depth + pieces + "} " * (depth + 1))))
            for name, rule in ALL_RULES.items():
                with system.pause_collector():
                    costs[name].append(sign * n_steps(partial(list, rule(resolved, Config()))))
    grown = {name: (few + none, many + blocks) for name, (few, none, many, blocks) in costs.items()}
    assert {name: cost for name, cost in grown.items() if cost[1] > 2 * cost[0] + 2_000} == {}


FOLDERS = {
    "a shared library": lambda size: {
        "lib": "".join(f"StrFrag Shared{number}[@t]: {{ WORDS }}\n" for number in range(size)),
        **{f"{number}": f"P{number}[@T]: {{ U: {{ Frag Shared{number}[@T] }} }}\n" for number in range(size)},
    },
    "a chain": lambda size: {
        f"{number}": f"StrFrag Link{number}[@t]: {{ {f'Frag Link{number + 1}[@t]' if number + 1 < size else 'END'} }}\n"
        for number in range(size)
    },
    "files that name the next": lambda size: {
        f"{number}": (
            f"// acdl: use {number + 1}.acdl\nStrFrag Link{number}[@t]: {{ Frag Link{number + 1}[@t] }}\n"
            if number + 1 < size
            else f"StrFrag Link{number}[@t]: {{ END }}\n"
        )
        for number in range(size)
    },
    "files that name the one before": lambda size: {
        f"{number:03}": f"// acdl: use {number - 1:03}.acdl\nP{number}[@T]: {{ U: {{ Frag Base[@T] }} }}\n"
        if number
        else "StrFrag Base[@t]: { END }\n"
        for number in range(size)
    },
    "a ring of files": lambda size: {
        f"{number}": f"// acdl: use {(number + 1) % size}.acdl\nStrFrag Part{number}[@t]: {{ WORDS }}\n"
        f"P{number}[@T]: {{ U: {{ Frag Part{number}[@T] Frag Part{(number + size // 2) % size}[@T] }} }}\n"
        for number in range(size)
    },
}
"""Files that use fragments of each other."""


@pytest.mark.parametrize("kind", few(FOLDERS))
def test_steps_grow_with_the_number_of_files(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the files take about four times the steps, however they use each other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACDL_NO_CACHE", "")
    costs = []
    for size in (40, 160):
        folder = tmp_path / f"{size}"
        folder.mkdir()
        for name, text in FOLDERS[kind](size).items():
            (folder / f"{name}.acdl").write_text(text, "utf-8")
        costs.append(n_steps(partial(check_folder, folder)))
    few, many = costs
    assert many < 5.5 * few + 5_000


def test_steps_of_a_ring_of_fragments() -> None:
    """Each file of a ring is checked by one walk around it: four times the files take 16 times the steps, not 64."""
    costs = []
    for size in (30, 120):
        sources = [
            Source(f"StrFrag Link{number}[@t]: {{ Frag Link{(number + 1) % size}[@t] }}\n", f"{number}.acdl")
            for number in range(size)
        ]
        parsed = [parse(source) for source in sources]

        def check_ring(parsed: list[Parsed] = parsed) -> None:
            for each in parsed:
                resolved = resolve(each, build_library([other for other in parsed if other is not each]))
                assert len(list(recursive_fragment(resolved, Config()))) == 1

        costs.append(n_steps(check_ring))
    few, many = costs
    assert many < 20 * few


def test_fixes_grow_with_the_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file with something to take out is fixed with what is known of all; nothing is entered anew for it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACDL_NO_CACHE", "")
    args = argparse.Namespace(unsafe=True, range=None, snippet=False)
    added: list[str] = []
    add, connect = Catalog.add_text, Cycles.add_text

    def counted(self: Catalog, text: BlockText, address: str = "") -> None:
        added.append(text.source.name)
        add(self, text, address)

    def connected(self: Cycles, words: str, defined: Collection[str], used: Collection[str]) -> None:
        added.append(words)
        connect(self, words, defined, used)

    monkeypatch.setattr(Catalog, "add_text", counted)
    monkeypatch.setattr(Cycles, "add_text", connected)
    costs = []
    for size in (5, 20):
        added.clear()
        files = [Path(f"{size}-{number}.acdl") for number in range(size)]
        for number, path in enumerate(files):
            others = [f"StrFrag {kind}{number}[@t]: {{ Frag Used{number - 1}[@t] }}\n" for kind in ("Used", "Left")]
            path.write_text(f"P{number}[@T]: {{\n    U: {{ Frag Used{number}[@T] }}\n}}\n{''.join(others)}", "utf-8")
        fix_files([NamedFile(path, path) for path in files], lambda _: Settings(), args)
        assert not any("Left" in path.read_text("utf-8") for path in files)
        costs.append(len(added))
    few, many = costs
    assert many == 4 * few


def test_steps_of_a_file_grow_with_what_it_defines(tmp_path: Path) -> None:
    """A file of many fragments, each of which uses the next and has a page, is registered once."""
    costs = []
    for size in (100, 400):
        links = (f"StrFrag Link{number}[@t]: {{ Frag Link{number + 1}[@t] }}\n" for number in range(size))
        path = tmp_path / f"{size}.acdl"
        path.write_text("".join(links), "utf-8")
        library = SiteLibrary(tmp_path, SiteSettings())
        costs.append(n_steps(partial(library.add_file, path, str)))
        assert len(library.catalog.names) == size
    few, many = costs
    assert many < 4.5 * few


def check_folder(folder: Path) -> None:
    """What `acdl check` does with the files of a folder, in this process."""
    files = [NamedFile(path, Path(path.stem)) for path in sorted(folder.iterdir())]
    gathered = gather_texts(files, lambda _: Settings(), None, is_snippet=False)
    with system.pause_collector():
        assert not any(check_all([each for _, inputs in gathered.files for each in inputs]))


def test_steps_of_a_user_do_not_grow_with_the_library() -> None:
    """Who uses one fragment of a library pays for one, once the library has been read."""
    user = BlockText(Source("P[@T]: { U: { Frag Shared7[@T] } }"))
    costs = []
    for size in (40, 800):
        site = Catalog()
        site.add_text(
            BlockText(Source("".join(f"StrFrag Shared{number}[@t]: {{ WORDS }}\n" for number in range(size))))
        )

        def understand(site: Catalog = site) -> None:
            page = Catalog(site)
            resolved = resolve(parse(user.source), page.build_library(page.find_sources(user)))
            assert not resolved.unknown_fragments

        understand()
        costs.append(n_steps(understand))
    few, many = costs
    assert many < 1.1 * few


def test_steps_of_rejections_grow_with_their_number() -> None:
    """A rejection of an evaluation is explained by the errors on its line, without a search of all errors."""
    steps: list[int] = []
    for size in (200, 800):
        text = "".join(f"U: $x{number}\n" for number in range(size))
        analysis = analyse(Source(f"P[@T]: {{\n{text}}}\n"))
        source = analysis.source
        rejected = [(replace(each, rule="unbound-value"), source) for each in analysis.diagnostics]
        assert len(rejected) == size
        steps.append(n_steps(partial(explain_rejected, rejected, analysis.diagnostics, analysis.resolved, "P")))
    assert steps[1] < 5 * steps[0]


def test_words_are_cut_once() -> None:
    """A text is cut into words once, although a rule reads its words again."""
    text = "P[@T] { system: A }"
    tokenize.cache_clear()
    found = analyse(Source(text)).diagnostics
    assert {each.rule for each in found} == {"undocumented-spelling"}
    assert tokenize.cache_info().misses == 1


LONG = {
    "comments that never end": "/* ",
    "escaped quotes": '\\"',
    "low quotes": "„",
    "quotes of both kinds": "‚\"'",
    "foreign words": "flow x ",
    "marks without a block": 'Mark "x" a ',
    "words and blanks": "Prompt a" + " " * 2_000 + "x ",
    "marks and blanks": "Mark" + " " * 2_000 + "x ",
    "namespaces and blanks": "Namespace a" + " " * 2_000 + "x ",
    "sums": "a+",
    "comparisons": "a == ",
    "signs": "!",
    "fields and indices": "env.a[1].b",
    "one path": "[1].b",
    "alternatives": "ElseIf a { U: A } ",
    "errors": "U: { ? } ",
    "dots": ".",
    "dashes": "-- ",
    "definitions and blanks": "let a" + " " * 2_000 + "x ",
    "fields and blanks": "." + " " * 300 + "x ",
    "invisible": "a\u200b",
    "combining marks": "a\u0301",
    "marks alone": " \u0301\u0301",
    "conditions": "PromptEndsHere if a ",
    "names without a keyword": "a := ",
    "tags that nobody closes": "<a>",
    "values without commas": "f(a a ",
    "loops in a fragment of many parameters": "ForEach(a: b) { U: c } ",
}
"""Pieces whose cost is in regular expressions, tuples and slices, where no step is counted."""
DRAWN = {
    "words and dashes": "a-b-",
    "dashes and words": " -- a b",
    "dashes": "- ",
    "dividers": "prompt ends here ——— x ",
    "dots": "for t in [a..b..",
    "names and blanks": "A" + " " * 150 + "\n",
    "frames": "| " + " " * 300,
}
"""Pieces of a drawing that never ends, which the notation of drawings reads by regular expressions."""
STATES = {
    "quotes behind backslashes": '\\"',
    "quotes and backslashes": '"\\',
    "open lists": "[",
    "keys": '{"a":',
}
"""Pieces of a state in JSON that nobody closes."""
_BEFORE = {
    "one path": "U: env",
    "alternatives": "If a { U: A } ",
    "loops in a fragment of many parameters": "StrFrag F["
    + ",".join(f"a{number}" for number in range(8_000))
    + "]: { ",
}
_SIZE = 80_000
_LONG_LINE = 120_000
_LIMIT_S = 120
"""Of the processor. All of them together take a few; with a square in any of them, that one alone took longer."""


@exhaustive
def test_long_texts_are_read() -> None:
    """Eighty thousand characters of anything are read; the last name printed is the one that hangs."""
    code = "import test_growth as tests; tests.examine_long()"
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=__file__.rpartition("test_growth")[0], stdout=-1, check=False)
    assert ran.returncode == 0, f"does not end: {ran.stdout.decode().split(chr(10))[-2:]}"


def examine_long() -> None:
    """Examine all of `LONG`, each twice: in one line and in many; whoever takes longer than is possible is ended."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT_S, _LIMIT_S))
    for kind, piece in LONG.items():
        for end in ("", "\n"):
            sys.stdout.write(f"{kind} {end!r}\n")
            sys.stdout.flush()
            before = _BEFORE.get(kind, "")
            examine(before + (piece + end) * ((_SIZE - len(before)) // len(piece + end)))


@pytest.mark.parametrize("kind", few(DRAWN, 2))
def test_long_lines_of_drawings_are_read(kind: str) -> None:
    """A line of a drawing is looked through once, not from each of its words."""
    piece = DRAWN[kind]
    soon(partial(read_drawing, "A[@T]:\n  U: x " + piece * (_LONG_LINE // len(piece)) + "="))


@pytest.mark.parametrize("kind", STATES)
def test_states_that_nobody_closes_are_read(kind: str) -> None:
    """Nothing is looked for again from each quote."""
    piece = STATES[kind]
    soon(partial(read_state, '{"acdl_state": 1, "at": ' + piece * (_LONG_LINE // len(piece))))


def test_drawings_without_a_line_that_is_understood_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are parsed a few times, although a hundred errors are told each time and there are thousands."""
    counted = Mock(wraps=parse)
    monkeypatch.setattr("acdl_mkdocs.drawing.from_drawing.read.parse", counted)
    read_drawing("A[@T]:\n  System: RULES\n  User: " + "- \n" * 10_000)
    assert counted.call_count <= 4 + math.log2(10_000)


def test_quotes_of_code_that_nobody_closes_are_read() -> None:
    """No run of backquotes is looked for again from each other one, also where no two are as long."""
    soon(partial(code_spans, "".join("`" * n + "a" for n in range(3_000))))


OPENED = {
    "drawings": '<svg class="acdl-svg">',
    "descriptions": '<svg class="acdl-svg"></desc>',
    "sources": '<details class="acdl-source" data-search-exclude>',
    "codes": '<pre class="acdl-code" data-search-exclude>',
    "users": '<p class="acdl-users" data-search-exclude>',
    "messages": '<div class="acdl-sent" data-search-exclude>',
    "galleries": '<div class="acdl-gallery" data-search-exclude>',
    "headings": "<h1>",
    "headings of sections": "<h2>",
}


@pytest.mark.parametrize("kind", OPENED)
def test_elements_that_nobody_closes_are_read(kind: str) -> None:
    """An author's HTML that begins like ours is looked through up to the next beginning, not to the end of the page."""
    html = OPENED[kind] * (10 * _LONG_LINE // len(OPENED[kind]))
    assert soon(partial(hide_drawings, html)).html == html
