"""What a document looks like: every part knows its place, and nothing of a text can run."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.evaluation.formats import TRANSCRIPTS
from acdl_mkdocs.foundation.errors import PointError, UnknownFormatError, UnknownSpecError
from acdl_mkdocs.frontends.editor.exports import evaluate_document, export_figure
from acdl_mkdocs.frontends.editor.preview import preview_document
from editor.marked import EXAMPLES, example, marked

STATE = "acdl_state: 1\nsteps:\n  1: {env: {q: one}}\n  2: {env: {q: two}}\n"
REACT = Path(EXAMPLES[0].parent / "react.acdl")


class Tags(HTMLParser):
    """All tags and attributes of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag in."""
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    """Every example has a figure whose parts lie in the text, ids that are unique, and nothing that could run."""
    given = example(path)
    made = preview_document(given.workspace, given.uri)
    tags = Tags(made.html)
    assert "svg" in tags.names
    assert tags.names.isdisjoint(("script", "style", "iframe", "object", "link"))
    assert not [each for each in tags.attributes if each == "style" or each.startswith("on")]
    assert len(tags.ids) == len(set(tags.ids))
    assert made.parts
    assert all(0 <= each.start < each.end <= len(given.text) for each in made.parts)
    assert [each.name for each in made.specs] == list(given.workspace.pieces_of(given.uri)[0].definitions)
    if made.has_state:
        assert made.points
        assert "acdl-sent" in made.html


def test_parts_of_pages() -> None:
    """A part of a block is told by its place in the page."""
    given = marked("# A\n\n> ```acdl\n> U: env.query[@T]\n> ```\n\n```acdl\nS: B_C\n```\n", "markdown")
    made = preview_document(given.workspace, given.uri)
    texts = {given.text[each.start : each.end] for each in made.parts}
    assert {"env.query[@T]", "B_C", "S: B_C"} <= texts
    assert made.html.count("<figure") == 2


def test_one_spec() -> None:
    """One definition can be asked for; one that is not there, as it is being renamed, gives way to all."""
    given = example(REACT)
    whole, one = (preview_document(given.workspace, given.uri, spec=spec) for spec in ("", "React2"))
    assert "React1" in whole.html
    assert "React1" not in one.html
    assert one.title == "React2"
    gone = preview_document(given.workspace, given.uri, spec="Nope", against=given.text)
    assert preview_document(given.workspace, given.uri, spec="Nope") == whole
    assert (gone.title, gone.is_equal) == (whole.title, True)


def test_errors_are_shown() -> None:
    """A text with errors gives the panel and what can be drawn of it."""
    given = marked("P[@T]: {\n    U: env.x[@T]\n    If ) = (\n}\n")
    made = preview_document(given.workspace, given.uri)
    assert "acdl-problem-error" in made.html
    assert "<svg" in made.html
    assert "--&gt; chat.acdl:3:" in made.html
    empty = marked("")
    assert preview_document(empty.workspace, empty.uri).html == ""


def test_state() -> None:
    """With a state what is sent stands beside the figure; the state that is given wins, and the point that is asked."""
    given = marked("P[@T]: { U: env.q[@T] }", state=STATE)
    made = preview_document(given.workspace, given.uri)
    assert made.points == ("1", "2")
    assert "two" in made.html
    assert "two" not in preview_document(given.workspace, given.uri, at="1").html
    without = marked("P[@T]: { U: env.q[@T] }")
    assert not preview_document(without.workspace, without.uri).has_state


def test_difference() -> None:
    """Against another text the change is drawn, and whether the same is sent."""
    text = "P[@T]: {\n    S: A_B\n    U: env.q[@T]\n}\n"
    given = marked(text)
    other = preview_document(given.workspace, given.uri, against=text.replace("A_B", "C_D"), against_name="HEAD")
    assert other.is_equal is False
    assert "C_D" in other.html
    assert "HEAD" in other.html
    same = preview_document(given.workspace, given.uri, against=text.replace("    ", "  "))
    assert same.is_equal is True
    assert preview_document(given.workspace, given.uri).is_equal is None


def test_nothing_of_a_text_runs() -> None:
    """What a person writes is text, wherever it is shown."""
    given = marked('P[@T]: { // </style><script>alert(1)</script>\n U: "<img src=x onerror=alert(1)>" }\n')
    page = preview_document(given.workspace, given.uri).html
    assert "<script>alert" not in page
    assert "<img" not in page
    changed = preview_document(given.workspace, given.uri, against="P: { S: A_B }", against_name="<b>x</b>")
    assert "<b>x</b>" not in changed.html


def test_state_is_called_by_its_name() -> None:
    """A preview says no path of the machine."""
    given = marked("P[@T]: { U: env.q[@T] }", state=STATE)
    html = preview_document(given.workspace, given.uri).html
    assert "chat.state.yaml" in html
    assert "/project/" not in html


@pytest.mark.parametrize("format", OUTPUTS)
def test_exports(format: str) -> None:
    """A file is what the command line writes, with a name of its own."""
    given = example(REACT)
    made = export_figure(given.workspace, given.uri, format, spec="React2", theme="dark", width_px=500)
    assert made.name.startswith("React2.")
    assert "React2" in str(made.content)
    assert "React1" not in str(made.content)


def test_export_refuses() -> None:
    """What is not there is told with what is."""
    given = marked("P[@T]: { U: A }")
    with pytest.raises(UnknownFormatError, match="did you mean `svg`"):
        export_figure(given.workspace, given.uri, "svgg")
    with pytest.raises(UnknownFormatError, match="did you mean `dark`"):
        export_figure(given.workspace, given.uri, "svg", theme="darc")
    with pytest.raises(UnknownFormatError, match="width_px"):
        export_figure(given.workspace, given.uri, "svg", width_px=1)
    with pytest.raises(UnknownSpecError, match="there are `P`"):
        export_figure(given.workspace, given.uri, "svg", spec="Q")
    page = marked("words", "markdown")
    with pytest.raises(UnknownSpecError, match="write a fence"):
        export_figure(page.workspace, page.uri, "svg")


@pytest.mark.parametrize("format", TRANSCRIPTS)
def test_evaluated(format: str) -> None:
    """Every format says what is sent; JSON is JSON."""
    given = marked("P[@T]: { U: env.q[@T] }", state=STATE)
    made = evaluate_document(given.workspace, given.uri, format=format)
    assert made.at == "2"
    assert made.points == ("1", "2")
    assert format == "growth" or "two" in made.text
    if made.language == "json":
        json.loads(made.text)
    assert "one" in evaluate_document(given.workspace, given.uri, format=format, at="1").text or format == "growth"


def test_misread_value() -> None:
    """An editor shows the same note about a value of the state as the command line."""
    given = marked("P[@T]: { U: env.q[@T] }", state=STATE.replace("two", "0777"))
    (note,) = evaluate_document(given.workspace, given.uri).problems
    assert (note.severity, note.message) == ("note", "steps.2.env.q is the number `0777`, which is sent as `777`")


def test_evaluated_without_a_state() -> None:
    """Names stand for values that nobody has given; what is wrong is told with its place."""
    given = marked("P[@T]: { U: env.q[@T] A: $x }")
    made = evaluate_document(given.workspace, given.uri)
    assert "env.q[@1]" in made.text
    assert given.uri.count("/") > 3
    assert "/" not in made.text, "folders of a machine are nobody's business"
    assert [given.text[each.span.start : each.span.end] for each in made.problems if each.span][:1] == ["$x"]
    with pytest.raises(PointError):
        evaluate_document(given.workspace, given.uri, at="x")
    with pytest.raises(UnknownFormatError, match="did you mean `gemini`"):
        evaluate_document(given.workspace, given.uri, format="gemni")
