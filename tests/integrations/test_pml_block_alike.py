"""What a spec sends and the same conversation read from PML are drawn alike, but for what only an evaluation knows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.formats import TranscriptOptions, html
from acdl_mkdocs.evaluation.formats.conversation_html import write_conversation
from acdl_mkdocs.evaluation.formats.growth import compare_transcripts
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.mismatches import find_prompts
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.evaluation.weights import weigh_transcript
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Prompt
from acdl_mkdocs.prompts.tokens.counter import counter

ROOT = Path(__file__).parents[2]
STATES = [
    *sorted((ROOT / "examples").glob("*.state.yaml")),
    *sorted((ROOT / "examples" / "pml").glob("*.state.yaml")),
    *sorted((ROOT / "tests" / "golden" / "transcripts").glob("*.state.yaml")),
]

ONLY_EVALUATED = {
    "acdl-sent-change",
    "acdl-sent-round",
    "acdl-sent-line",
    "acdl-sent-bar",
    "acdl-sent-tokens",
    "acdl-sent-source",
}
"""Elements about places, weights and changes."""
VOID = {"br", "img"}


@dataclass(slots=True)
class Element:
    """An element, or text in `children`."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        """The words of its class."""
        return self.attributes.get("class", "").split()


class Reader(HTMLParser):
    """Reads markup into elements."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.root = Element("root")
        self._open = [self.root]
        self.feed(markup)
        self.close()
        assert self._open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        """Text."""
        self._open[-1].children.append(data)


def messages_of(markup: str, name: str) -> list[str]:
    """The messages without what only an evaluation knows; ids without the name of the block."""
    found: list[str] = []

    def walk(element: Element) -> None:
        for child in element.children:
            if isinstance(child, Element):
                if "acdl-sent-message" in child.classes:
                    found.append("".join(plain([child], name)))
                else:
                    walk(child)

    walk(Reader(markup).root)
    return found


def plain(children: Sequence[Element | str], name: str) -> list[str]:
    """What is left of elements: pieces without their frames, words that follow each other as one text."""
    drawn: list[str] = []
    for child in children:
        if isinstance(child, str):
            drawn += [" "] if child.isspace() else [child]
        elif "acdl-sent-piece" in child.classes:
            drawn += plain(child.children, name)
        elif "acdl-sent-long" in child.classes:
            drawn += plain(child.children[1:], name)
        elif not ONLY_EVALUATED.intersection(child.classes):
            drawn += element(child, name)
    text = "".join(drawn).replace("</words><words>", "<br>")
    return [re.sub(r"\s+(?=</?(?:p|li|div|words)\b)", "", text)]


def element(child: Element, name: str) -> list[str]:
    """An element with what it has."""
    inside = plain(child.children, name)
    if child.classes == ["acdl-sent-text"]:
        return ["<words>", *inside, "</words>"]
    changes = {"acdl-sent-new", "acdl-sent-changed"}
    kept = {
        key: " ".join(word for word in value.split() if word not in changes) if key == "class" else value
        for key, value in child.attributes.items()
        if key != "title" and not key.startswith("data-")
    }
    said = "".join(f' {key}="{value.replace(f"{name}-", "", 1)}"' for key, value in sorted(kept.items()))
    return [f"<{child.tag}{said}>", *inside, *([] if child.tag in VOID else [f"</{child.tag}>"])]


def sent(state: Path) -> list[Transcript]:
    """What the specs beside a state send with it, at all its points."""
    path = state.parent / f"{state.name.partition('.')[0]}.acdl"
    resolved = parse_and_resolve(Source(path.read_text("utf-8"), path.name)).resolved
    given = read_state(state.read_text("utf-8"), state.name, state.parent).state
    assert given is not None
    specs: list[str | None] = [each.name.name for each in find_prompts(resolved, None)]
    return [
        evaluate(resolved, given, point, Options(spec=spec, missing="placeholder"))
        for spec in specs
        for point in parse_points(given.at or "", given)
    ]


@pytest.mark.parametrize("state", STATES, ids=[path.name.removesuffix(".state.yaml") for path in STATES])
def test_drawn_alike(state: Path) -> None:
    """Every message of every point is the same, with places, weights and changes and without."""
    found = sent(state)
    assert found
    n_messages = 0
    weighed = counter("estimate")
    for earlier, transcript in zip([None, *found], found, strict=False):
        prompt = read(write(build_prompt(transcript))).prompt
        assert prompt is not None
        comparison = compare_transcripts(earlier, transcript) if earlier else None
        options = TranscriptOptions(counter=weighed)
        tools = html.collect_tools(transcript, "at-1")
        lines = html.write_messages(
            transcript, options, weigh_transcript(transcript, weighed), comparison, "at-1", tools
        )
        evaluated = messages_of("".join(lines), "at-1")
        assert evaluated == messages_of(write_conversation(prompt, "pml"), "pml")
        assert len(evaluated) == len(transcript.messages)
        n_messages += len(evaluated)
    assert n_messages


def test_beside_messages() -> None:
    """Memory and tools of a state are shown as those of a document are, once for all points; calls lead to them."""
    case = next(path for path in STATES if path.parent.name == "pml")
    found = sent(case)
    prompt = read(write(build_prompt(found[-1]))).prompt
    assert prompt is not None
    assert prompt.tools
    assert prompt.memory
    name = found[0].spec
    panels = "".join(html.write_memory_and_tools(found[0], html.collect_tools(found[0], name)))
    assert panels.count("<details") == 2
    assert panels in write_conversation(prompt, name)
    shown = html.write(found, TranscriptOptions(is_standalone=False)).text
    assert shown.startswith(panels[: panels.index("</details>")])
    assert shown.count("acdl-pml-tools") == shown.count("acdl-pml-memory") == 1
    anchors = re.findall(r'<code class="acdl-call"><a href="#([^"]*)"', shown)
    assert anchors
    assert {f'id="{each}"' in shown for each in anchors} == {True}


def test_differences_are_seen() -> None:
    """The comparison sees words, roles, results and what belongs together."""
    case = next(path for path in STATES if path.name == "conversation.state.yaml")
    drawn = [messages_of(write_conversation(build_prompt(each), "a"), "a") for each in sent(case)]
    joined = "".join("".join(each) for each in drawn)
    assert '<a href="#call-1">' in joined
    assert 'id="result-2"' in joined
    assert "failed" in joined
    assert "<words>" in joined
    emptied = messages_of(write_conversation(Prompt(build_prompt(sent(case)[-1]).messages[:-1]), "a"), "a")
    assert emptied != drawn[-1]
