"""Every format of a figure: right, safe, small, and the same everywhere."""

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import figure_samples as samples
import pytest
from generated_stylesheet import PARTS, regenerated
from steps import n_steps, soon

from acdl_mkdocs.drawing import formats
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.figure.theme import LOOKS, PALETTES, Theme
from acdl_mkdocs.drawing.formats import FORMATS, OUTPUTS, box_text, svg
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.drawing.formats.xml import Markup
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.safe_text import RISKY
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.text_width import count_columns
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.words import Pill, Run, text_of

SVG = "{http://www.w3.org/2000/svg}"
INLINE = OutputOptions(standalone=False)
HOSTILE = [
    "</svg><script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "\"' onload='alert(1)' x=\"",
    "<!-- ]]> &amp; &#60;",
    "a\x00b\x1b[31mc\ud800\uffff",
    "a\u202egnp.exe",
]
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.acdl"))


def example_figure(path: Path) -> Box:
    """The boxes of an example file."""
    return describe(analyse(Source(path.read_text("utf-8"), path.name), Config()).resolved)


def write(name: str, figure: Box, options: OutputOptions | None = None) -> str:
    """The figure in the format of that name."""
    return OUTPUTS[name](figure, options or OutputOptions())


def parsed(figure: Box, options: OutputOptions | None = None) -> ElementTree.Element:
    """The figure as SVG, read by an XML parser."""
    return ElementTree.fromstring(write("svg", figure, options))  # noqa: S314  # our own text


class Balanced(HTMLParser):
    """Fails on an end tag without its beginning; collects names, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins."""
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        """End what began last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def test_every_module_that_writes_is_listed() -> None:
    """Each file with a `write` is an output, and each output has its file."""
    folder = Path(formats.__file__).parent
    writers = {path.stem for path in folder.glob("*.py") if re.search(r"^def write\(", path.read_text("utf-8"), re.M)}
    assert writers == {"json_tree" if name == "json" else name for name in FORMATS}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("figure", samples.FIGURES.values(), ids=samples.FIGURES)
def test_every_output_writes_every_figure(name: str, figure: Box) -> None:
    """All formats hold all headers, end with a line end, and are the same when written twice."""
    written = write(name, figure)
    assert written == write(name, figure)
    assert written.endswith("\n") or not figure.children
    for box, _, is_beginning in box_text.walk_boxes(figure):
        first = re.split(r"\W", text_of(box.header).strip('/ "'))[0]
        if is_beginning and box.kind != "comment":
            assert first.lower() in written.lower()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_written_in_every_format(path: Path) -> None:
    """Every example becomes well-formed SVG, JSON and HTML, and all its statements are lines of text."""
    figure = example_figure(path)
    assert parsed(figure).tag == f"{SVG}svg"
    assert json.loads(write("json", figure))["version"] == 1
    assert Balanced(write("html", figure)).tags
    n_statements = sum(is_beginning for _, _, is_beginning in box_text.walk_boxes(figure)) - 1
    assert len([line for line in write("text", figure).splitlines() if line]) >= n_statements


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("figure", [samples.nested(300), samples.nested_pills(200)], ids=["boxes", "pills"])
def test_deep_nesting(name: str, figure: Box) -> None:
    """No format runs out of Python frames, also deep inside another program."""

    def deeper(n_frames: int) -> str:
        return deeper(n_frames - 1) if n_frames else write(name, figure)

    assert deeper(350)


@pytest.mark.parametrize("name", OUTPUTS)
def test_same_bytes_whatever_the_hash_seed(name: str) -> None:
    """Another process with another hash seed writes the same."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import figure_samples;"
        "from acdl_mkdocs.drawing.formats import OUTPUTS;"
        "from acdl_mkdocs.drawing.formats.options import OutputOptions;"
        f"sys.stdout.buffer.write(OUTPUTS[{name!r}](figure_samples.EVERYTHING, OutputOptions()).encode())"
    )
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        assert ran.stdout.decode() == write(name, samples.EVERYTHING)


def elements(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """All elements, in document order."""
    yield from root.iter()


@pytest.mark.parametrize("standalone", [True, False])
@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_svg_is_safe_under_a_strict_policy(theme: ThemeName, standalone: bool) -> None:
    """No script, event, `style`, outside reference or foreign content; one `<style>` at most, in a file of its own."""
    options = OutputOptions(theme=theme, standalone=standalone)
    written = write("svg", samples.EVERYTHING, options)
    assert "url(" not in written
    assert written.count("<style>") == standalone
    namespace = "" if standalone else ' xmlns="http://www.w3.org/2000/svg"'
    root = ElementTree.fromstring(written.replace("<svg", "<svg" + namespace, 1))  # noqa: S314  # our own text
    allowed = {"svg", "title", "desc", "style", "g", "path", "text", "tspan", "a"}
    for element in elements(root):
        assert element.tag.removeprefix(SVG) in allowed
        for attribute, value in element.attrib.items():
            assert not attribute.startswith("on")
            assert attribute != "style"
            assert not attribute.endswith("href") or value.startswith("#")


@pytest.mark.parametrize("figure", samples.FIGURES.values(), ids=samples.FIGURES)
def test_svg_is_valid_by_svgwrite(figure: Box) -> None:
    """The validator of `svgwrite` accepts every element, and every attribute that SVG 1.1 knows."""
    from svgwrite.params import Parameter  # type: ignore[import-untyped]

    validator = Parameter(debug=True, profile="full").validator
    newer = ("data-", "aria-", "role", "href", "unicode-bidi", "xmlns")
    pending: list[Markup] = [svg.build_svg(figure, OutputOptions())]
    n_checked = 0
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            continue
        for attribute, value in node.attributes.items():
            if not attribute.startswith(newer):
                # The validator wants a blank where the grammar of path data lets a minus sign do.
                spaced = re.sub(r"(?<=\d)-", " -", value) if attribute == "d" else value
                validator.check_svg_attribute_value(node.name, attribute, spaced)
                n_checked += 1
        for child in node.children:
            # SVG 2 lets a link in text hold what the text may hold; SVG 1.1 knew only links around texts.
            if not isinstance(child, str) and node.name != "a":
                validator.check_valid_children(node.name, child.name)
        pending += node.children
    assert n_checked


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("name", OUTPUTS)
def test_hostile_text_is_only_text(name: str, hostile: str) -> None:
    """Markup, quotes and control characters in words, comments, anchors, titles and options stay text."""
    pill = Pill("fragment", (Run(hostile, "fragment"),), target=hostile)
    box = Box("content", (pill, Run(hostile, "string")), (), hostile, hostile)
    figure = samples.figure(Box("prompt", (Run(hostile, "title"),), (box,), "", f"P {hostile}"))
    options = OutputOptions(
        title=hostile, id_prefix=hostile, links={hostile: "javascript:alert(1)"}, source_url=hostile
    )
    written = write(name, figure, options)
    written.encode("utf-8")
    if name == "svg":
        root = ElementTree.fromstring(written)  # noqa: S314  # our own text
        assert {element.tag.removeprefix(SVG) for element in elements(root)} <= {
            "svg", "title", "desc", "style", "g", "path", "text", "tspan", "a",
        }  # fmt: skip
        assert not any(key.startswith("on") for element in elements(root) for key in element.attrib)
    elif name == "html":
        found = Balanced(written)
        assert found.tags <= {"ul", "li", "details", "summary", "strong", "code", "em", "a"}
        assert not any(key.startswith("on") for key, _ in found.attributes)
    elif name == "json":
        assert json.loads(written)["title"] == hostile
        assert not RISKY.search(written)
    assert name == "json" or not re.search("[\x00-\x09\x0b-\x1f\u202e\ufffe\uffff]", written)
    assert "javascript:" not in written


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("https://a.b/c?d=e#f", "https://a.b/c?d=e#f"),
        ("../page/#spec", "../page/#spec"),
        ("#x", "#x"),
        ("page.md", "page.md"),
        ("javascript:alert(1)", ""),
        (" JavaScript:alert(1)", ""),
        ("java\tscript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("vbscript:x", ""),
    ],
)
def test_only_addresses_of_pages_are_linked(href: str, expected: str) -> None:
    """A link opens a page; one that would run something is dropped."""
    assert box_text.safe_href(href) == expected


def test_only_browsers_choose_among_fonts() -> None:
    """CairoSVG does not read `@supports`: it would take the first name only, and break letters by the precision."""
    written = write("svg", samples.EVERYTHING, OutputOptions(theme="light"))
    assert 'font-family="monospace,' in written
    style = written.partition("<style>")[2].partition("</style>")[0]
    assert style.partition("@supports")[0] == ".acdl-svg{font-variant-ligatures:none}"
    assert style.partition("@supports")[2].startswith(
        "(font-size-adjust:ch-width 1){.acdl-svg{font-family:JetBrains Mono,"
    )
    assert "text-rendering:geometricPrecision" in style


def test_ids_have_the_prefix_and_are_unique() -> None:
    """Two figures with two prefixes share no id."""
    first, second = (
        {element.get("id") for element in elements(parsed(samples.EVERYTHING, OutputOptions(id_prefix=prefix)))}
        - {None}
        for prefix in ("a-", "b-")
    )
    assert {"a-React2", "a-React2-mark-1", "a-React2-foreach"} <= first
    assert not first & second


@pytest.mark.parametrize("theme", get_args(ThemeName))
def test_narrow_drawing_follows_a_wide_one(theme: ThemeName) -> None:
    """It has the same words and places in the source, no ids, and only the colours that the style sheet leaves open."""
    options = OutputOptions(standalone=False, reflows=True, theme=theme)
    text = OUTPUTS["svg"](samples.EVERYTHING, options)
    pair = ElementTree.fromstring(f"<pair>{text}</pair>")  # noqa: S314  # our own
    wide, narrow = pair
    assert float(narrow.attrib["width"]) <= 320 < float(wide.attrib["width"])
    assert narrow.attrib["display"] == "none"
    assert not [node for node in narrow.iter() if "id" in node.attrib]

    def words(drawing: ElementTree.Element) -> list[str]:
        texts = ["".join(node.itertext()) for node in drawing.iter("text")]
        return ["".join(text.split()) for text in texts]

    def places(drawing: ElementTree.Element) -> list[str]:
        return [node.attrib["data-acdl"] for node in drawing.iter() if "data-acdl" in node.attrib]

    assert words(narrow) == words(wide)
    assert places(narrow) == places(wide)
    coloured = [node for node in narrow.iter() if node.attrib.get("fill", "none") != "none" or "stroke" in node.attrib]
    assert bool(coloured) == (theme == "light")


def test_small_figure_has_one_drawing() -> None:
    """A figure that fits the column of a phone is drawn once."""
    figure = samples.figure(samples.definition("P", "@T", samples.content(Run("X", "template"))))
    assert OUTPUTS["svg"](figure, OutputOptions(standalone=False, reflows=True)).count("<svg") == 1


def test_a_mark_around_a_comment() -> None:
    """The comment stands before the bracket and the number behind it, in one element with the anchor of the mark."""
    figure = describe(analyse(Source("S: {\n  Mark 1 { // only words\n  }\n}\n"), Config(snippet=True)).resolved)
    root = parsed(figure)
    (mark,) = (each for each in elements(root) if each.get("id") == "system-mark-1")
    comment, number = mark
    assert (comment.text, number.text) == ("// only words", "1")
    width_px = count_columns("// only words") * Theme().column_width(is_small=True)
    assert float(comment.get("x", 0)) + width_px < float(number.get("x", 0))
    assert comment.get("font-style") == "italic"
    assert number.get("font-style") is None


def test_every_construct_says_where_it_comes_from() -> None:
    """Each box with a span is one element with `data-acdl`."""
    spans = {
        f"{box.span.start}-{box.span.end}"
        for box, _, begins in box_text.walk_boxes(samples.EVERYTHING)
        if begins and box.span
    }
    found = [element.get("data-acdl") for element in elements(parsed(samples.EVERYTHING))]
    assert spans == {each for each in found if each}
    assert len(spans) == sum(each is not None for each in found)


def test_fragment_use_links_to_its_definition() -> None:
    """The use of a fragment is a link to where it is drawn, or to where the caller says; such a figure is a group."""
    root = parsed(samples.EVERYTHING, OutputOptions(id_prefix="p-"))
    assert [link.get("href") for link in root.iter(f"{SVG}a")] == ["#p-DocumentContext"]
    assert root.get("role") == "group"
    labelled = {root.get("aria-labelledby"), root.get("aria-describedby")}
    assert labelled == {element.get("id") for element in root if element.tag in (f"{SVG}title", f"{SVG}desc")}
    use = samples.figure(samples.content(samples.fragment_use("Other", "i")))
    assert [
        link.get("href") for link in parsed(use, OutputOptions(links={"Other": "../o/#Other"})).iter(f"{SVG}a")
    ] == ["../o/#Other"]
    assert parsed(use).get("role") == "img"


def test_source_comments_become_links() -> None:
    """`// <- file:line` leads to the line in the repository if its address is known."""
    options = OutputOptions(source_url="https://example.org/blob/main/")
    assert "https://example.org/blob/main/src/agent.py#L120" in [
        link.get("href") for link in parsed(samples.EVERYTHING, options).iter(f"{SVG}a")
    ]
    assert 'href="https://example.org/blob/main/src/agent.py#L120"' in write("html", samples.EVERYTHING, options)


GITHUB = "https://github.com/o/r/blob/main"
GITLAB = "https://gitlab.example.org/o/r/-/blob/main/"
BITBUCKET = "https://bitbucket.org/o/r/src/main/"


@pytest.mark.parametrize(
    ("comment", "source_url", "expected"),
    [
        ("// <- agent.py", GITHUB, f"{GITHUB}/agent.py"),
        ("// <- agent.py:40", GITHUB, f"{GITHUB}/agent.py#L40"),
        ("//<-agent.py:40", GITHUB, f"{GITHUB}/agent.py#L40"),
        ("// <- src/agent.py:40-52", GITHUB, f"{GITHUB}/src/agent.py#L40-L52"),
        ("// <- /src/agent.py:40", GITHUB, f"{GITHUB}/src/agent.py#L40"),
        ("// <- src/agent.py:40", GITLAB, f"{GITLAB}src/agent.py#L40"),
        ("// <- src/agent.py:40-52", GITLAB, f"{GITLAB}src/agent.py#L40-52"),
        ("// <- src/agent.py:40", BITBUCKET, f"{BITBUCKET}src/agent.py#lines-40"),
        ("// <- src/agent.py:40-52", BITBUCKET, f"{BITBUCKET}src/agent.py#lines-40:52"),
        ("// <- app/[...all]/page.tsx:7", GITHUB, f"{GITHUB}/app/%5B...all%5D/page.tsx#L7"),
        ("// <- Makefile:3", GITHUB, f"{GITHUB}/Makefile#L3"),
        ("// <- bin/agent", GITHUB, f"{GITHUB}/bin/agent"),
        ("// <- agent.py:40", "", ""),
        ("// <- ../../a.py", GITHUB, ""),
        ("// <- the newest", GITHUB, ""),
        ("// <- newest", GITHUB, ""),
        ("// <- turn:1", GITHUB, ""),
        ("// see a.py", GITHUB, ""),
        ("// <- javascript:1.py", GITHUB, ""),
    ],
)
def test_addresses_of_code(comment: str, source_url: str, expected: str) -> None:
    """A comment that only names a place in code leads there, in the way of the repository's host."""
    assert box_text.source_href(comment, source_url) == expected


def test_drawing_loads_no_network_library() -> None:
    """A process that writes SVG loads neither a network library nor `svgwrite` nor `lark`."""
    code = (
        "import acdl_mkdocs.drawing.formats.svg, sys;"
        "assert not {'urllib.request', 'ssl', 'svgwrite', 'lark'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_text_a_statement() -> None:
    """A statement with its comment is one `<text>`, whose characters read as they were written."""
    texts = ["".join(element.itertext()) for element in parsed(samples.EVERYTHING).iter(f"{SVG}text")]
    assert "env.user_question[@t] // Beside the message" in texts
    assert "summarize(get_history(resp.answer[@t], sys.agent_name)) // nested" in texts
    assert "ForEach @t : 1 ... @T-1" in texts
    n_written = sum(begins and box.kind != "figure" for box, _, begins in box_text.walk_boxes(samples.EVERYTHING))
    assert len(texts) == n_written


def test_title_and_description() -> None:
    """The figure has a name and says in words what it shows."""
    root = parsed(samples.TYPICAL)
    described = {element.tag.removeprefix(SVG): element.text for element in root}
    assert described["title"] == "ACDL: ToolAgent[@T]"
    assert (described["desc"] or "").startswith(
        "ToolAgent[@T]: System message: INSTRUCTIONS, AVAILABLE_TOOLS. User message:"
    )
    assert len(box_text.summarize_figure(samples.many(1000))) < 450


def test_size_budget() -> None:
    """A specification of 25 lines takes 10 kB in a page, 2.5 kB of them on the wire, and 14 kB as a file."""
    inline = write("svg", samples.TYPICAL, INLINE).encode()
    assert len(inline) <= 10_000
    assert len(gzip.compress(inline)) <= 2_500
    assert len(write("svg", samples.TYPICAL)) <= 14_000


@pytest.mark.parametrize(
    "figure",
    [
        lambda size: samples.figure(samples.content(Run("a", "plain"), comment="\u5b57" * 4 * size)),
        lambda size: samples.figure(samples.content(*(Run("a", "path"), Run("+", "operator")) * size)),
    ],
    ids=["long comment", "long sum"],
)
def test_huge_statements_are_no_attack(figure: Callable[[int], Box]) -> None:
    """A long statement is drawn without looking through it again for each of its lines or words."""
    few, many = (n_steps(partial(write, "svg", figure(size))) for size in (2_000, 8_000))
    assert many < 5 * few
    soon(partial(write, "svg", figure(50_000)))


def test_stylesheet_is_made_from_the_palettes(request: pytest.FixtureRequest) -> None:
    """The colours in `acdl.css` are those of `drawing/figure/theme.py`."""
    path = Path(formats.__file__).parents[2] / "assets" / "acdl.css"
    sheet = path.read_text("utf-8")
    made = regenerated(sheet)
    if request.config.getoption("--update-golden"):
        path.write_text(made, "utf-8")
    else:
        assert sheet == made, "make golden"
    assert {found[1] for found in re.finditer(r"/\* generated: (\w+) \*/", made)} == PARTS.keys()


def test_stylesheet_has_the_colours_of_the_themes() -> None:
    """`acdl.css` gives every class the colours that the palettes have, light and dark."""
    sheet = (files("acdl_mkdocs") / "assets" / "acdl.css").read_text("utf-8")
    declared: dict[str, list[str]] = {}
    for name, value in re.findall(r"--(acdl-[\w-]+): ([^;]+);", sheet):
        declared.setdefault(name, []).append(value)
    for style, class_name in svg.CLASSES.items():
        for part, suffix in enumerate(("", "-edge")):
            light, dark = PALETTES["light"][style][part], PALETTES["dark"][style][part]
            if light:
                name = f"acdl-{class_name}{suffix}"
                assert declared[name] == [light, f"light-dark({light}, {dark})", dark]
                assert f".acdl-auto .acdl-{class_name} {{" in sheet
                assert f"{('fill', 'stroke')[part]}: var(--{name});" in sheet


def test_every_look_has_colours() -> None:
    """No style that a theme names is unknown to the palettes or to the writer."""
    named = {look.bar for look in LOOKS.values()} | {look.rule for look in LOOKS.values()}
    named |= {look.frame.style for look in LOOKS.values() if look.frame}
    for style in named - {""}:
        assert style in svg.CLASSES
        assert all(style in palette for palette in PALETTES.values())
    assert PALETTES["light"].keys() == PALETTES["dark"].keys() == svg.CLASSES.keys()


def test_theme_is_literal() -> None:
    """A figure with a theme of its own follows neither page nor system."""
    dark = write("svg", samples.TYPICAL, OutputOptions(theme="dark"))
    assert "acdl-auto" not in dark
    assert "prefers-color-scheme" not in dark
    assert PALETTES["dark"]["green"][0] in dark
    assert PALETTES["light"]["green"][0] not in dark
    assert "prefers-color-scheme:dark" in write("svg", samples.TYPICAL)


def test_right_to_left_text_is_isolated() -> None:
    """Words that run from right to left do not reorder those around them."""
    figure = samples.figure(samples.content(Run("שלום", "string"), comment="مرحبا"))
    isolated = [element for element in elements(parsed(figure)) if element.get("unicode-bidi") == "isolate"]
    assert len(isolated) == 2


def test_text_reads_like_the_reference() -> None:
    """Two blanks a level, `Role: System`, `SF` below its title, a mark before what it brackets."""
    message = samples.role("user", samples.content(samples.variable("env.x", "@t")))
    prompt = samples.definition(
        "P",
        "@T",
        samples.role("system", samples.content(samples.template("A"), comment="first")),
        samples.each("@t", "1", "@T-1", samples.mark("2", message)),
    )
    fragment = samples.definition("F", "doc", samples.comment_line("alone"), kind="string-fragment")
    figure = samples.figure(prompt, fragment)
    assert write("text", figure) == (
        "P[@T]:\n"
        "  Role: System\n"
        "    A // first\n"
        "  ForEach @t : 1 ... @T-1\n"
        "    Mark 2\n"
        "      Role: User\n"
        "        env.x[@t]\n"
        "\n"
        "F[doc]\n"
        "SF\n"
        "  // alone\n"
    )


def test_json_has_the_tree() -> None:
    """Kinds, words, anchors and spans of all boxes, one box a line."""
    written = write("json", samples.EVERYTHING, OutputOptions(id_prefix="p-", title="T"))
    data = json.loads(written)
    assert (data["version"], data["title"]) == (1, "T")

    def same(box: Box, found: dict[str, object]) -> None:
        assert found["kind"] == box.kind
        assert found["text"] == text_of(box.header)
        assert found["comment"] == box.comment
        assert found["anchor"] == (f"p-{box.anchor}" if box.anchor else "")
        assert found["span"] == ([box.span.start, box.span.end] if box.span else None)
        words = found["words"]
        assert isinstance(words, list)
        assert "".join(word.get("text", "") for word in words) == text_of(box.header)
        children = found["children"]
        assert isinstance(children, list)
        assert len(children) == len(box.children)
        for child, inner in zip(box.children, children, strict=True):
            same(child, inner)

    same(samples.EVERYTHING, data["figure"])
    assert len(written.splitlines()) >= sum(begins for _, _, begins in box_text.walk_boxes(samples.EVERYTHING))


def test_html_has_the_same_structure() -> None:
    """Nested lists with the same words, ids beside those of the picture, and a link on each fragment use."""
    written = write("html", samples.EVERYTHING, OutputOptions(id_prefix="p-"))
    found = Balanced(written)
    n_boxes = sum(begins for _, _, begins in box_text.walk_boxes(samples.EVERYTHING)) - 1
    assert written.count("<li") == n_boxes
    assert ("id", "p-React2-mark-1-text") in found.attributes
    assert ("href", "#p-DocumentContext-text") in found.attributes
    assert "Role: System" in found.text


def test_skipped_and_broken_are_announced() -> None:
    """What was not understood says so in every format."""
    figure = samples.figure(samples.content(Run("U: }{", "plain"), kind="broken"))
    assert "[not understood] U: }{" in write("text", figure)
    assert "[not understood]" in write("html", figure)
    assert "acdl-ze" in write("svg", figure)


def test_other_options_change_nothing_but_what_they_name() -> None:
    """A title changes the title and nothing else."""
    plain, titled = (write("svg", samples.TYPICAL, replace(INLINE, title=title)).splitlines() for title in ("", "T"))
    assert [line for line in titled if line not in plain] == ["<title>T</title>"]
