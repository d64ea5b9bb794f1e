"""Ways to show what is sent, on golden cases and on texts that would act on what shows them."""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import EXPORTS, TRANSCRIPTS, TranscriptOptions
from acdl_mkdocs.evaluation.formats.growth import compare_transcripts
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import (
    Choice,
    Finding,
    Origin,
    Piece,
    Round,
    SentMessage,
    Status,
    Transcript,
    build_prompt,
)
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.evaluation.weights import weigh_transcript
from acdl_mkdocs.foundation.diagnostics import Label, error
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.prompts.pml.read import read as read_document
from acdl_mkdocs.prompts.prompt import Attachment, Call, Opaque, Output, Text, Thinking
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.tokens.counter import counter

GOLDEN = Path(__file__).parent / "golden" / "transcripts"
SCHEMA = json.loads(files("acdl_mkdocs").joinpath("assets/transcript.schema.json").read_text("utf-8"))
ESTIMATE = counter("estimate")
VOID = {"br", "img", "meta"}
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What no text for people has: controls of a terminal, and what turns the direction of a line."""


def state_of(case: Path) -> State:
    """The state beside a case."""
    path = case.with_suffix(".state.yaml")
    file = read_state(path.read_text("utf-8"), path.name, path.parent)
    assert file.state is not None
    assert not file.has_errors, file.problems
    return file.state


def transcripts_of(case: Path) -> list[Transcript]:
    """A case at all points that its state names."""
    state = state_of(case)
    resolved = parse_and_resolve(Source(case.read_text("utf-8"), case.name)).resolved
    how = Options(missing="placeholder")
    return [evaluate(resolved, state, point, how) for point in parse_points(state.at or "1", state)]


def one(text: str, at: str = "1", state: str = "acdl_state: 1") -> Transcript:
    """A text at a point."""
    given = read_state(state).state
    return evaluate(parse_and_resolve(Source(text, "one.acdl")).resolved, given, at, Options(missing="placeholder"))


def shown(name: str, transcripts: Sequence[Transcript], **options: object) -> str:
    """A way to show transcripts."""
    return TRANSCRIPTS[name](transcripts, TranscriptOptions(counter=ESTIMATE, **options)).text  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        pytest.param("transcript", "transcript.txt", id="transcript"),
        pytest.param("growth", "growth.txt", id="growth"),
        pytest.param("html", "html", id="html"),
    ],
)
def test_golden(name: str, suffix: str, case: Path, golden: Callable[[str, str], None]) -> None:
    """What people read."""
    golden(shown(name, transcripts_of(case), is_standalone=False, place_of=state_of(case).place_of), suffix)


def test_json(case: Path, golden: Callable[[str, str], None]) -> None:
    """Every object is as the schema says: one for one point, else one with a list. The last point is compared."""
    found = transcripts_of(case)
    last = shown("json", found[-1:], place_of=state_of(case).place_of)
    for text in (last, shown("json", found), TRANSCRIPTS["json"](found, TranscriptOptions()).text):
        assert [problem.message for problem in Draft202012Validator(SCHEMA).iter_errors(json.loads(text))] == []
    whole = json.loads(shown("json", found))
    assert len(whole.get("transcripts", [whole])) == len(found)
    golden(last, "json")


@pytest.mark.parametrize("name", PROVIDERS)
def test_requests(name: str, case: Path) -> None:
    """One point is one object, several are JSON lines; both say the same."""
    found = transcripts_of(case)
    lines = TRANSCRIPTS[name]([*found, found[-1]], TranscriptOptions(model="m")).text.splitlines()
    assert len(lines) == len(found) + 1
    alone = TRANSCRIPTS[name](found[-1:], TranscriptOptions(model="m")).text
    assert json.loads(alone) == json.loads(lines[-1]) == json.loads(lines[-2])


def test_nothing_acts(case: Path) -> None:
    """No text of a prompt controls a terminal, in whatever way it is shown."""
    found = transcripts_of(case)
    for name in TRANSCRIPTS:
        for command in (False, name in PROVIDERS):
            assert not ACTING.search(
                TRANSCRIPTS[name](fitting(name, found), TranscriptOptions(ESTIMATE, "m", command)).text
            )


@pytest.mark.parametrize("name", EXPORTS.keys() - PROVIDERS.keys())
def test_document(name: str, case: Path) -> None:
    """A point is a document that is read as the prompt which was sent; several points are told to be several."""
    found = transcripts_of(case)
    for each in found:
        document = read_document(TRANSCRIPTS[name]([each], TranscriptOptions()).text)
        assert document.prompt == build_prompt(each)
    with pytest.raises(SettingsError, match=rf"2 points are 2 documents: choose one, `--at {found[-1].at}`"):
        TRANSCRIPTS[name]([found[0], found[-1]], TranscriptOptions())
    with pytest.raises(SettingsError, match="choose a request, one of `openai`"):
        TRANSCRIPTS[name](found[-1:], TranscriptOptions(model="m", is_command=True))


def fitting(name: str, found: list[Transcript]) -> list[Transcript]:
    """What can be shown in one way: a document has one point."""
    return found[-1:] if name in EXPORTS.keys() - PROVIDERS.keys() else found


class Tags(HTMLParser):
    """Checks that all tags are closed in their order, and collects attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        assert self.open.pop() == tag


def test_html_is_well_formed(case: Path) -> None:
    """Tags are closed, ids are unique, nothing is styled or runs in place, and spans lie inside the spec."""
    found = transcripts_of(case)
    for is_standalone in (False, True):
        tags = Tags()
        tags.feed(shown("html", found, is_standalone=is_standalone))
        assert tags.open == []
        assert tags.tags <= {"section", "h2", "p", "ol", "ul", "li", "strong", "em", "span", "code", "meter", "div"} | (
            {"br", "img", "details", "summary", "small", "a"}
            | {"html", "head", "meta", "title", "style", "body", "main", "h1"}
        )
        names = {name for name, _ in tags.attributes}
        assert names <= {
            "class",
            "id",
            "data-at",
            "data-acdl",
            "data-acdl-via",
            "title",
            "max",
            "value",
            "src",
            "alt",
            "lang",
            "charset",
        } | ({"http-equiv", "content", "name", "aria-labelledby", "aria-hidden", "href", "open"})
        ids = [value for name, value in tags.attributes if name == "id"]
        assert len(ids) == len(set(ids)) >= len(found)
        spans = [tuple(map(int, value.split("-"))) for name, value in tags.attributes if name == "data-acdl"]
        assert spans
        assert all(0 <= start < end <= len(found[0].source.text) for start, end in spans)


def test_html_of_hostile_values() -> None:
    """Nothing that any field says becomes a tag or an attribute, and nothing of it is lost."""
    evil = "</title></code></div>\"'><script x=\"'>&lt;\u202e\x1b"
    source = Source(f"{evil}\nP[@T]: {{ U: A }}", f"a{evil}.acdl")
    origin = Origin(source, Span(0, 4))
    rounds = (Round(origin, "loop", evil, evil), Round(origin, "fragment", evil, evil))
    attachments = [
        Attachment(evil, evil, evil, evil, evil, evil, evil, evil),
        Attachment(evil, mime="image/png", data=evil, name=evil),
        Attachment(evil, href=evil),
    ]
    parts = (
        Text(evil),
        Thinking(evil, evil, provider=evil),
        Call(evil, {evil: evil}, evil, signature=evil),
        Output((Text(evil), *attachments, Opaque(evil, evil)), evil, evil),
        Opaque(evil, {evil: evil}),
    )
    pieces = tuple(
        Piece("template", origin, evil, evil, text, each, status, evil, rounds)
        for status in get_args(Status)
        for text, each in ((evil, ()), (evil * 200, ()), (evil, parts))
    )
    message = SentMessage("user", origin, rounds, pieces)
    found = Finding(source, error("read-as", evil, Label(Span(0, 4), evil), help=evil))
    transcript = Transcript(
        evil, source, Time((1,)), "inclusive", (message,), (found,), (Choice(origin, evil, (evil,)),), origin
    )
    for is_standalone in (False, True):
        options = TranscriptOptions(ESTIMATE, is_standalone=is_standalone, place_of=lambda path: path, id_prefix=evil)
        text = TRANSCRIPTS["html"]([transcript, transcript], options).text
        tags = Tags()
        tags.feed(text)
        assert tags.open == []
        assert "script" not in tags.tags
        assert "x" not in {name for name, _ in tags.attributes}
        assert "\u202e" not in re.sub('(id|aria-labelledby|href)="[^"]*"', "", text)
        assert all(value.startswith("#") for name, value in tags.attributes if name == "href")
        assert "&lt;script x=&quot;" in text


def test_deterministic(case: Path) -> None:
    """The same bytes each time."""
    for name in TRANSCRIPTS:
        first, again = (fitting(name, transcripts_of(case)) for _ in range(2))
        options = TranscriptOptions(ESTIMATE, "m")
        assert TRANSCRIPTS[name](first, options) == TRANSCRIPTS[name](again, options)


def test_command_is_a_shell_script(tmp_path: Path) -> None:
    """A shell hands the body to `curl` as it is, whatever the messages say."""
    for name in PROVIDERS:
        found = transcripts_of(GOLDEN / "hostile.acdl")
        script = TRANSCRIPTS[name](found, TranscriptOptions(model="m", is_command=True)).text
        (tmp_path / "curl").write_text("#!/bin/sh\ncat > received\n")
        (tmp_path / "curl").chmod(0o755)
        keys = dict.fromkeys(re.findall(r"\$\{(\w+):\?\}", script), "key")
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", **keys}
        subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=True)
        body = json.loads((tmp_path / "received").read_text("utf-8"))
        assert body == json.loads(TRANSCRIPTS[name](found, TranscriptOptions(model="m")).text)


def test_several_commands() -> None:
    """Each says which point it is for."""
    found = transcripts_of(GOLDEN / "window.acdl")
    script = TRANSCRIPTS["openai"](found, TranscriptOptions(model="m", is_command=True)).text
    assert [line for line in script.splitlines() if line.startswith("# ")] == [f"# at @{n}" for n in (1, 2, 3, 4)]


def test_what_is_lost_has_a_place() -> None:
    """A warning of a wire format leads to the spec, to the piece where it can."""
    found = transcripts_of(GOLDEN / "parts.acdl")
    lost = TRANSCRIPTS["openai"](found, TranscriptOptions(model="m"))
    spans = [(each.source.text, each.diagnostic.label.span) for each in lost.findings]
    places = {text[span.start : span.end] for text, span in spans}
    assert {"resp.thought", "resp.secret", "N: LOG"} <= places
    assert all(each.diagnostic.severity == "warning" and each.diagnostic.help for each in lost.findings)
    assert lost.remarks == ()
    (remark,) = TRANSCRIPTS["openai"](found, TranscriptOptions()).remarks
    assert "needs a model name" in remark


def test_compare() -> None:
    """Kept, changed, new and gone are counted as they say."""
    first, second = transcripts_of(GOLDEN / "window.acdl")[1:3]
    found = compare_transcripts(first, second)
    assert found.changes == ("kept", "changed", "kept", "new", "kept")
    assert (found.n_removed, found.same, found.is_prefix) == (1, 1, False)
    alike = compare_transcripts(first, first)
    assert set(alike.changes) == {"kept"}
    assert (alike.n_removed, alike.same, alike.is_prefix) == (0, len(first.messages), True)
    nothing = one("Empty[@T]: { // nothing\n }")
    assert compare_transcripts(nothing, first).is_prefix
    assert compare_transcripts(first, nothing).n_removed == len(first.messages)


def test_same_text_is_kept_once() -> None:
    """A message that is sent twice and was sent once is one kept and one new message."""
    spec = "P[@T]: { ForEach(t: range(1, @T+1)) { U: HELLO } }"
    assert sorted(compare_transcripts(one(spec, "1"), one(spec, "2")).changes) == ["kept", "new"]


def test_weights_add_up() -> None:
    """Sums are those of the parts; an image weighs nothing, a call its name and arguments."""
    (parts,) = transcripts_of(GOLDEN / "parts.acdl")
    weights = weigh_transcript(parts, counter("estimate"))
    assert weights.total == sum(weights.messages) == sum(weights.by_role.values())
    assert sum(weights.by_expression.values()) == sum(weights.by_line.values()) == sum(map(sum, weights.pieces))
    assert weights.by_expression["env.photo"] == 0
    assert weights.by_expression["sys.calls"] == ESTIMATE.count('zoom {"by": 2}') + ESTIMATE.count("colour {}")


def test_empty_prompt() -> None:
    """A prompt without messages is shown as one."""
    nothing = one("Empty[@T]: { // nothing\n }")
    assert "0 messages, ≈0 model tokens" in shown("transcript", [nothing])
    for name in TRANSCRIPTS:
        assert TRANSCRIPTS[name]([nothing], TranscriptOptions(ESTIMATE, "m")).text


def test_fragment_of_another_file() -> None:
    """What comes from another file has its name; a page links it to the place of the spec that uses it."""
    library = build_library([parse(Source("\n\nRolesFrag Turn[@T]: { U: HELLO }", "turns.acdl"))])
    resolved = parse_and_resolve(Source("P[@T]: { Frag Turn[@T] }", "one.acdl"), library).resolved
    found = evaluate(resolved, None, "1", Options(missing="placeholder"))
    text = shown("transcript", [found])
    assert "Turn  turns.acdl:3 | User" in text
    assert 'data-acdl="9-22"' in shown("html", [found])
    (message,) = json.loads(shown("json", [found]))["messages"]
    assert (message["span"]["file"], message["span"]["line"]) == ("turns.acdl", 3)
    assert message["stack"] == [{"line": 1, "file": "one.acdl", "fragment": "Turn", "value": "@1"}]
    assert list(weigh_transcript(found, ESTIMATE).by_line) == ["turns.acdl:3"]


def test_json_has_every_round() -> None:
    """Rounds around a message are those of the message, rounds inside it are those of its pieces."""
    transcript = one(
        "P[@T]: { ForEach(i: range(1, 2)) { Frag F[i] } }"
        'RolesFrag F[i]: { U: { ForEach(j: range(1, 2)) { "a" } Frag G[i] } } StrFrag G[i]: { "b" }'
    )
    (message,) = json.loads(shown("json", [transcript]))["messages"]
    assert [(each.get("loop"), each.get("fragment")) for each in message["stack"]] == [("i", None), (None, "F")]
    assert [[(each.get("loop"), each.get("fragment")) for each in piece["stack"]] for piece in message["pieces"]] == [
        [("j", None)],
        [(None, "G")],
    ]
