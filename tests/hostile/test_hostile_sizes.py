"""Bodies, values, pictures, scores and fonts that ask for much or lie about it: each reader alone, in this process."""

import base64
import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from steps import n_steps, soon

from acdl_mkdocs import render
from acdl_mkdocs.drawing.formats.fonts import font_path
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.errors import UnusableFontError
from acdl_mkdocs.foundation.redact_text import find_hints
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.playbook.learn.score_file import scores_of
from acdl_mkdocs.prompts import strict_json as strict_json_module
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import REDACTED, may_have_secrets, redact_value
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read import har
from acdl_mkdocs.runs.read.bodies import BodyFault, read_json, unpack_body
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.recorded import Origin, Recorded, Skipped
from acdl_mkdocs.workspace.front_comments import find_definition_comments


def _logged(body: bytes, headers: dict[str, str], reply: bytes = b"") -> dict[str, Json]:
    """An entry of a log whose bodies are kept as they were sent."""
    named: Json = [{"name": key, "value": value} for key, value in headers.items()]
    post: Json = {"encoding": "base64", "text": base64.b64encode(body).decode()}
    content: Json = {"encoding": "base64", "text": base64.b64encode(reply).decode()}
    address = "https://api.openai.com/v1/chat/completions"
    return {
        "request": {"method": "POST", "url": address, "postData": post, "headers": named},
        "response": {"status": 200, "headers": named, "content": content},
    }


_BODY = b'{"model": "m", "messages": [{"role": "user", "content": "a"}]}'
PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "deflate": ("deflate", lambda data: zlib.compress(data)[2:-4]),
    "twice": ("deflate, gzip", lambda data: gzip.compress(zlib.compress(data))),
    "plain, whatever the header says": ("br", lambda data: data),
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_bodies(name: str) -> None:
    """Requests and answers of a log are unpacked as their headers say."""
    coding, pack = PACKED[name]
    entry = _logged(pack(_BODY), {"Content-Encoding": coding}, pack(b'{"id": "r"}'))
    (found,) = har.read(iter((Value({"log": {"entries": [entry]}}, Origin("a.har")),)))
    assert isinstance(found, Recorded), found
    assert found.reply == {"id": "r"}


def test_bodies_that_cannot_be_unpacked() -> None:
    """Of each it is said why."""
    entries: Json = [_logged(b"\xff" + _BODY, {"Content-Encoding": each}) for each in ("br", "zstd", "gzip")]
    found = har.read(iter((Value({"log": {"entries": entries}}, Origin("a.har")),)))
    assert [str(getattr(each, "detail", "")).partition(";")[0] for each in found] == [
        "a body is compressed with `br`, which is not supported",
        "a body is compressed with zstd",
        "a body cannot be decompressed as its `Content-Encoding` header says",
    ]


def test_many_packed_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have a limit together: one that each may reach would be many times as much."""
    monkeypatch.setattr(har, "MOST_BYTES", 3 * len(_BODY))
    entries: Json = [_logged(gzip.compress(_BODY), {})] * 5
    found = list(har.read(iter((Value({"log": {"entries": entries}}, Origin("a.har")),))))
    assert [isinstance(each, Recorded) for each in found] == [True, True, True, False, False]
    assert isinstance(found[3], Skipped)
    assert "has more than" in found[3].detail


def test_frames_of_zstd(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are read, and no more than is wanted."""

    class ZstdDecompressor:
        def __init__(self) -> None:
            self._inner = zlib.decompressobj()

        def decompress(self, data: bytes, max_length: int = -1) -> bytes:
            return self._inner.decompress(data, max_length)

        @property
        def unused_data(self) -> bytes:
            return self._inner.unused_data

    module = SimpleNamespace(ZstdDecompressor=ZstdDecompressor, ZstdError=zlib.error)
    monkeypatch.setitem(sys.modules, "compression.zstd", module)
    frames = zlib.compress(b"a" * 10) + zlib.compress(b"b" * 10)
    assert unpack_body(frames, "zstd", 20) == b"a" * 10 + b"b" * 10
    with pytest.raises(BodyFault, match="more than 19 bytes"):
        unpack_body(frames, "zstd", 19)


MANY = ("[" + "[]," * 60_000 + "1]", '["' + '","' * 60_000 + '"]', '["' + '\\"' * 60_000 + "," * 60_000)
"""Lists, texts, and a text that nobody closes."""


@pytest.mark.parametrize("text", MANY, ids=("lists", "texts", "one text"))
def test_many_values(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of some megabytes whose values would take gigabytes is not JSON; commas in texts are none of them."""
    assert strict_json_module.MOST_VALUES == 5_000_000
    monkeypatch.setattr(strict_json_module, "MOST_VALUES", 50_000)

    def read() -> None:
        with pytest.raises(JsonFault, match="5,000,000 values" if "]" in text else "unterminated"):
            strict_json(text)
        with pytest.raises(BodyFault, match="5,000,000 values" if "]" in text else "not JSON"):
            read_json(text.encode())
        assert strict_json('"' + "," * 60_000 + '"') == "," * 60_000

    soon(read)


def test_pictures() -> None:
    """Base64 is not searched for keys, which it seems to have by chance; what stands beside it is."""
    data = base64.b64encode(bytes(range(256)) * 201).decode() + "/eyJxoxPWDsigAKIA="
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    address = f"data:image/png;base64,{data}"
    assert may_have_secrets("eyJxoxPWDsigAKIA")
    assert not may_have_secrets(data)
    assert not may_have_secrets(address)
    assert find_hints(json.dumps({"url": address, "data": data, "inside": json.dumps([data])})) is None
    assert redact_value([address, f"{key} ![]({address}) {key}"]) == [address, f"{REDACTED} ![]({address}) {REDACTED}"]


SCORES: dict[str, str] = {
    "a key many times": "{" + ",".join(f'"k{n % 29_999}": 1' for n in range(30_000)) + "}",
    "deep": '{"id": "a", "score": 1}\n' + "[" * 100_000,
    "number": '[{"id": "a", "score": ' + "9" * 4_000 + "}]",
    "long number": '[{"id": "a", "score": ' + "9" * 100_000 + "}]",
    "quotes": 'id,score\n"' + "a\n" * 200_000,
    "columns": "id,score," + "x," * 200_000 + "\na,b",
}


@pytest.mark.parametrize("name", SCORES)
def test_scores(name: str) -> None:
    """What came of recorded runs: each problem has its line, and a pair of keys is not compared with all others."""
    read = soon(lambda: scores_of(SCORES[name]))
    assert [0 < each.line < 200_010 for each in read.problems] == [True]
    assert len(soon(lambda: read.find_unknown(f"r{n}" for n in range(1_000)))) == len(read.scores.by_id)


def _fonts() -> Iterator[tuple[str, bytes]]:
    """Fonts of which something is not as they say."""
    font = font_path("Regular").read_bytes()
    yield from (("nothing", b""), ("half", font[: len(font) // 2]), ("tables", font[:4] + b"\xff\xff" + font[6:]))
    for at in range(12, 12 + 16 * font[5], 16):
        name = font[at : at + 4].decode().replace("/", "")
        if name not in ("cmap", "glyf", "head", "hmtx", "loca", "maxp"):
            continue
        begin = int.from_bytes(font[at + 8 : at + 12])
        yield f"{name} elsewhere", font[: at + 8] + b"\xff\xff\xff\xf0" + font[at + 12 :]
        yield f"{name} long", font[: at + 12] + b"\xff" * 4 + font[at + 16 :]
        yield f"{name} gone", font[:at] + b"none" + font[at + 4 :]
        for byte in (b"\0", b"\xff"):
            yield f"{name} of {byte!r}", font[:begin] + byte * 30 + font[begin + 30 :]
    yield "a glyph of itself", _font_of_parts({"g0": ["g0"]})
    yield "a glyph of ever more", _font_of_parts({f"g{n}": [f"g{n + 1}"] * 10 for n in range(38)})


def _font_of_parts(parts: dict[str, list[str]]) -> bytes:
    """A font whose glyphs are made of others, which the package that writes fonts would not measure."""
    builder = pytest.importorskip("fontTools.fontBuilder").FontBuilder(1000, isTTF=True)
    glyf = pytest.importorskip("fontTools.ttLib.tables._g_l_y_f")
    names = [".notdef", *(f"g{n}" for n in range(40))]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x4E2D: "g0"})
    glyphs = {}
    for name in names:
        glyphs[name] = glyph = glyf.Glyph()
        glyph.xMin = glyph.yMin = glyph.xMax = glyph.yMax = 0
        glyph.numberOfContours = -1 if name in parts else 0
        if name in parts:
            glyph.components = [glyf.GlyphComponent() for _ in parts[name]]
            for component, part in zip(glyph.components, parts[name], strict=True):
                component.glyphName, component.x, component.y, component.flags = part, 0, 0, 2
    builder.setupGlyf(glyphs, calcGlyphBounds=False)
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    builder.setupHorizontalHeader()
    builder.setupNameTable({"familyName": "A", "styleName": "Regular"})
    builder.setupPost()
    builder.font.recalcBBoxes = False
    file = io.BytesIO()
    builder.font.save(file)
    return file.getvalue()


@pytest.mark.filterwarnings("ignore::acdl_mkdocs.foundation.errors.FontWarning")
def test_fonts(tmp_path: Path) -> None:
    """A font that lies about its sizes, or whose glyphs are made of each other, is refused, or drawn as it is."""
    pytest.importorskip("resvg_py")
    refused: set[str] = set()
    for number, (name, data) in enumerate(_fonts()):
        path = tmp_path / f"{name}.ttf"
        path.write_bytes(data)
        options = OutputOptions(fonts=(str(path),))
        for kind in ("png", "pdf") if "glyph" in name else ("png", "pdf")[number % 2 :][:1]:
            try:
                render("A[@T]: { U: 中 }", kind, options=options)
            except UnusableFontError as reason:
                refused.add(f"{name}: {str(reason).removeprefix(f'{path}: ')[:8]}")
    damaged = ("a glyph of itself", "a glyph of ever more", "cmap long", "glyf elsewhere", "head gone")
    assert {"nothing: is not a", "tables: is not a", *(f"{each}: is a dam" for each in damaged)} <= refused
    assert all(each.partition(": ")[2].startswith("is ") for each in refused), refused


def test_comments_above_many_definitions() -> None:
    """Those of each are found without looking at all others."""

    def n_steps_of(n: int) -> int:
        source = Source("".join(f"// acdl: runs r{k}.jsonl\nA{k}[@T]: {{ U: a }}\n" for k in range(n)))
        file = parse(source).file
        return n_steps(lambda: find_definition_comments(file, source))

    n_steps_of(1)
    assert n_steps_of(800) < 3 * n_steps_of(400)
