"""An inspection of recordings: what each request keeps of the one before, where the prefix ends and why, and costs."""

import json
import subprocess
import sys
from functools import partial
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from exhaustive import exhaustive
from hypothesis import given
from hypothesis import strategies as st
from traces.runs import answer, lines, result, system, user

from acdl_mkdocs import inspect_recording
from acdl_mkdocs.app.inspect import inspect
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.runs.check_files import open_recordings
from acdl_mkdocs.runs.inspect import INSPECTIONS
from acdl_mkdocs.runs.inspect.inspect_runs import InspectOptions, inspect_requests, read_usage
from acdl_mkdocs.runs.inspect.inspection import Inspection, Step
from acdl_mkdocs.runs.inspect.options import InspectionOptions, Price
from acdl_mkdocs.runs.inspect.prefix import count_common_prefix, explain_text
from acdl_mkdocs.runs.inspect.weigh_messages import Limits
from acdl_mkdocs.runs.read.recorded import Origin, Recorded

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "inspect"
CASE = GOLDEN / "every-kind.jsonl"
SCHEMA = json.loads(files("acdl_mkdocs").joinpath("assets/inspect.schema.json").read_text("utf-8"))
ESTIMATE = InspectOptions(counter=counter("estimate"))
LONG = "The chain is oiled every month, and the saddle is as high as the hip. " * 20


def request(*messages: Message, tools: tuple[Tool, ...] = (), **keys: Json) -> Recorded:
    """A recorded request of a run."""
    settings = (Opaque("anthropic", keys),) if keys else ()
    prompt = Prompt(messages, tools, settings=settings)
    return Recorded(prompt, "anthropic", Origin("run.jsonl", 1), episode="a", model="m")


def steps(*requests: Recorded) -> tuple[Step, ...]:
    """The steps of a run."""
    return inspect_requests(requests, ["run.jsonl"], ESTIMATE).steps


def reason(before: list[Message], after: list[Message]) -> tuple[str, str] | None:
    """Why the second request does not begin with the first, and where."""
    end = steps(request(*before), request(*after))[1].end
    return None if end is None else (end.reason, end.path)


# -------------------------------------------------------------------------------------------------------- whole reports


@pytest.mark.parametrize("format", INSPECTIONS)
def test_golden(format: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording with every kind of change, as each format shows it."""
    monkeypatch.chdir(GOLDEN)
    limits = Limits.make_page_limits() if format == "html" else Limits()
    found = inspect(partial(open_recordings, [CASE.name]), limits=limits)
    actual = INSPECTIONS[format](found, InspectionOptions(price=Price(2.5, 0.25)))
    expected = CASE.with_suffix(f".{'txt' if format == 'terminal' else format}")
    if format == "html":  # the style sheet has tests of its own
        head, _, rest = actual.partition("<style>")
        actual = head + rest.partition("</style>\n")[2]
    if request.config.getoption("--update-golden"):
        expected.write_text(actual, "utf-8")
    assert actual == expected.read_text("utf-8"), "if intended: pytest --update-golden"


def test_terminal_has_80_columns() -> None:
    """No line is wider than a terminal."""
    text = INSPECTIONS["terminal"](inspect_recording(CASE), InspectionOptions(price=Price(2.5, 0.25)))
    assert [line for line in text.split("\n") if len(line) > 80] == []
    assert "\x1b[" in INSPECTIONS["terminal"](inspect_recording(CASE), InspectionOptions(color=True))


@pytest.mark.parametrize(
    "path", [CASE, *sorted((ROOT / "examples" / "agents").glob("*.run.jsonl"))], ids=lambda p: p.name
)
def test_json_has_its_schema(path: Path) -> None:
    """What programs get is what the schema promises, with prices and without contents, too."""
    found = inspect_recording(path)
    for options in (InspectionOptions(), InspectionOptions(price=Price(1, 0.5), has_excerpts=False)):
        tree = json.loads(INSPECTIONS["json"](found, options))
        jsonschema.validate(tree, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert "bicycle" not in INSPECTIONS["json"](found, InspectionOptions(has_excerpts=False))


def test_without_excerpts() -> None:
    """No format shows contents that nobody wants to see."""
    found = inspect_recording(CASE)
    for write in INSPECTIONS.values():
        assert "bicycle" in write(found, None)
        assert "bicycle" not in write(found, InspectionOptions(has_excerpts=False))


# -------------------------------------------------------------------------------------------------------------- reasons


def test_extension() -> None:
    """A request that begins with all of the one before has no end of a prefix."""
    first = [system("Be kind."), user("Hello?")]
    assert reason(first, [*first, answer("Hi!"), user("Who?")]) is None
    assert reason(first, first) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Now: 2025-03-01. Go.", "Now: 2025-03-02. Go.", "date"),
        ("It is March 3, 2025 here", "It is March 14, 2025 here", "date"),
        ("Today is Monday", "Today is Friday", "date"),
        ("Am 3. März? 03.04.2025", "Am 3. März? 03.05.2025", "date"),
        ("2025-03-01T10:00:00Z", "2025-03-01T10:00:07Z", "date"),
        ("It is 10:41 pm", "It is 10:59 pm", "time"),
        ("You have 14 steps left", "You have 13 steps left", "number"),
        ("9 % used", "10 % used", "number"),
        ("session 6b3f3b1e-2a52-4ef0-9c1e-0a7a7e0c8f11", "session 0c8f113b-2a52-4ef0-9c1e-0a7a7e0c8f11", "identifier"),
        ("request req_8fk29d0x", "request req_7hw31m2q", "identifier"),
        ("Be kind.", "Be kind. Be brief.", "appended"),
        ("Be kind. Be brief.", "Be kind.", "shortened"),
        ("Be kind to them.", "Be very kind to them.", "text"),
        ("the may queen", "the red queen", "text"),
    ],
)
def test_texts(before: str, after: str, expected: str) -> None:
    """What kind of change a text has; in the instructions, with words."""
    found = explain_text(before, after, 0, "the instructions")
    assert found.reason == expected, found
    assert "the instructions" in found.words
    assert reason([system(before), user("x")], [system(after), user("x")]) == (expected, "messages[0].parts[0]")


def test_results() -> None:
    """Results of the same call that are cleared or shortened."""
    ask = Message("assistant", (Call("look", {}, "c1"),))
    before = [user("Rain?"), ask, result(LONG, "c1")]
    more = [answer("No."), user("Sun?")]
    place = "messages[2].parts[0]"
    assert reason(before, [user("Rain?"), ask, result("[cleared]", "c1"), *more]) == ("cleared", place)
    assert reason(before, [user("Rain?"), ask, result(LONG[:900] + "…", "c1"), *more]) == ("shortened", place)


def test_messages() -> None:
    """Messages that are inserted, removed, moved, replaced, and those at the end."""
    talk = [user(f"question {n}") if n % 2 == 0 else answer(f"answer {n} {'x' * n}") for n in range(6)]
    assert reason(talk, [user("Be brief."), *talk]) == ("inserted", "messages[0]")
    assert reason(talk, talk[2:]) == ("removed", "messages[0]")
    assert reason(talk, [talk[2], talk[1], talk[0], *talk[3:]]) == ("order", "messages[0]")
    summary = Message("user", (Text("In short: all is said."),))
    assert reason([system("S"), *talk], [system("S"), answer("They spoke."), summary]) == ("replaced", "messages[1]")
    assert reason(talk, talk[:4]) == ("shorter", "messages[4]")
    step = steps(request(*talk), request(*talk[2:], user("more")))[1]
    assert step.end is not None
    assert step.end.words == "1 earlier turn (2 messages) was removed"
    assert [each.role for each in step.dropped] == ["user", "assistant"]


def test_tools_and_parameters() -> None:
    """The order of tools, their list and definitions, parameters and the model."""
    one, two = Tool("one", "First"), Tool("two", "Second")
    talk = (system("S"), user("x"))

    def end(before: Recorded, after: Recorded) -> tuple[str, str]:
        found = steps(before, after)[1].end
        assert found is not None
        return found.reason, found.path

    both = request(*talk, tools=(one, two))
    assert end(both, request(*talk, tools=(two, one))) == ("tool-order", "tools[0]")
    assert end(both, request(*talk, tools=(one,))) == ("tools", "tools[1]")
    assert end(both, request(*talk, tools=(one, Tool("two", "Other")))) == ("tool-definition", "tools[1]")
    forced = request(*talk, tools=(one, two), tool_choice={"type": "any"})
    assert end(both, forced) == ("parameter", "settings.tool_choice")
    assert steps(both, request(*talk, tools=(one, two), temperature=1))[1].settings_changed == ("temperature",)
    assert steps(both, request(*talk, tools=(one, two), temperature=1))[1].end is None


def test_marks_are_no_content() -> None:
    """A mark of what to cache that has moved on changes nothing."""
    mark = Opaque("anthropic", {"cache_control": {"type": "ephemeral"}}, "more")
    first = request(system("S"), Message("user", (Text("x"), mark)))
    later = request(system("S"), user("x"), answer("y"), Message("user", (Text("z"), mark)))
    step = steps(first, later)[1]
    assert (step.end, step.changes) == (None, ("kept", "kept", "new", "new"))


def test_thoughts() -> None:
    """A thought that is no longer sent."""
    thought = Message("assistant", (Thinking("hm", "sig"), Text("Yes.")))
    before, after = [user("a"), thought, user("b")], [user("a"), answer("Yes."), user("b"), answer("c"), user("d")]
    assert reason(before, after) == ("thinking", "messages[1].parts[0]")


def test_several_causes() -> None:
    """What changed after the first difference is reported, too."""
    before = [system("Today is Monday. Be kind."), user("a"), answer("b"), user("c")]
    after = [system("Today is Friday. Be kind."), user("a"), answer("b!"), user("c")]
    step = steps(request(*before), request(*after))[1]
    assert step.end is not None
    assert step.end.reason == "date"
    assert [(each.reason, each.path) for each in step.others] == [("appended", "messages[2].parts[0]")]


# ----------------------------------------------------------------------------------------------------------------- sums


def test_other_tools_and_other_instructions() -> None:
    """Where the tools end a prefix, no part of instructions that changed as well is in it."""
    before = request(system("Today is Monday. " + LONG), user("x"), tools=(Tool("one"),))
    after = request(system("Today is Friday. " + LONG), user("x"), tools=(Tool("two"),))
    step = steps(before, after)[1]
    assert step.end is not None
    assert step.end.reason == "tools"
    assert (step.n_prefix, [each.reason for each in step.others]) == (0, ["date"])
    assert step.n_again > step.n_tokens - 40


def test_repeats_and_tools() -> None:
    """A long text that is there twice is found, tools are counted, and those that are never called are known."""
    tools = (Tool("look", "Look it up"), Tool("rest"))
    one = request(user(f"Read this:\n\n{LONG}"), tools=tools)
    ask = Message("assistant", (Call("look", {"q": 1}, "c"), Call("guess", {}, "d")))
    two = request(user(f"Read this:\n\n{LONG}"), ask, result("x", "c"), user(f"Again:\n\n{LONG}"), tools=tools)
    (run,) = inspect_requests([one, two], ["r"], ESTIMATE).runs
    (repeat,) = run.steps[1].repeats
    assert (repeat.messages, repeat.n_wasted) == ((0, 3), counter("estimate").count(LONG.strip()))
    assert [(each.name, each.n_steps, each.n_calls) for each in run.tools] == [
        ("look", 2, 1),
        ("rest", 2, 0),
        ("guess", 0, 1),
    ]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"usage": {"prompt_tokens": 9, "completion_tokens": 2}}, (9, None, 2)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}}, (9, 4, None)),
        ({"usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 1}}, (9, 8, 1)),
        ({"usage": {"input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}}, (10, 5, None)),
        ({"usageMetadata": {"promptTokenCount": 7, "cachedContentTokenCount": 1}}, (7, 1, None)),
        ({"usage": {"prompt_tokens": 7, "prompt_cache_hit_tokens": 3}}, (7, 3, None)),
    ],
)
def test_usage(reply: Json, expected: tuple[int, int | None, int | None]) -> None:
    """The cached tokens of each provider's replies."""
    usage = read_usage(reply)
    assert usage is not None
    assert (usage.n_input, usage.n_cached, usage.n_output) == expected


@pytest.mark.parametrize(
    "reply", [None, "x", [], {}, {"usage": 3}, {"usage": {"prompt_tokens": "9"}}, {"usage": {"x": -1}}]
)
def test_no_usage(reply: Json) -> None:
    """Nothing is made of what says nothing."""
    assert read_usage(reply) is None


words = st.text("ab \n", max_size=12)
part = st.one_of(
    st.builds(Text, words),
    st.builds(Thinking, words),
    st.builds(
        Call, st.sampled_from(["f", "g"]), st.fixed_dictionaries({"q": words}), st.sampled_from(["1", "2", None])
    ),
    st.builds(Output, st.tuples(st.builds(Text, words)), st.sampled_from(["1", "2", None])),
    st.builds(Attachment, st.just("image"), data=st.sampled_from(["AA==", "BB=="])),
    st.builds(Opaque, st.just("anthropic"), st.fixed_dictionaries({"k": words})),
)
parts: st.SearchStrategy[tuple[Part, ...]] = st.lists(part, max_size=3).map(tuple)
message = st.builds(Message, st.sampled_from(["system", "user", "assistant", "tool"]), parts)
tool = st.builds(Tool, st.sampled_from(["f", "g", "h"]), st.sampled_from([None, "x", "y"]))
recorded = st.builds(
    lambda messages, tools, choice: request(
        *messages, tools=tuple(tools), **({"tool_choice": choice} if choice else {})
    ),
    st.lists(message, max_size=6),
    st.lists(tool, max_size=3, unique_by=lambda each: each.name),
    st.sampled_from(["", "any"]),
)


@given(st.lists(recorded, min_size=1, max_size=5))
def test_every_token_is_in_one_sum(requests: list[Recorded]) -> None:
    """Prefix, again and new are all of a request; what is kept comes first; what is gone is what was not kept."""
    found = steps(*requests)
    for number, step in enumerate(found):
        whole = step.n_tools + sum(each.n_tokens for each in step.messages)
        assert step.n_prefix + step.n_again + step.n_new == whole == step.n_tokens
        assert min(step.n_prefix, step.n_again, step.n_new, step.n_gone) >= 0
        n_kept = step.changes.count("kept")
        assert step.changes[:n_kept] == ("kept",) * n_kept
        if number:
            before = found[number - 1]
            assert all(one is two for one, two in zip(before.messages[:n_kept], step.messages, strict=False))
            n_left = sum(change in ("kept", "again", "changed") for change in step.changes)
            assert n_left + len(step.dropped) == len(before.messages)
            if step.end is None:
                assert step.n_prefix == before.n_tokens
                assert step.n_again == step.n_gone == 0


@given(st.lists(message, max_size=5), st.lists(message, max_size=3))
def test_what_is_added_is_new(first: list[Message], added: list[Message]) -> None:
    """A request that only adds messages keeps all of the one before."""
    before, after = steps(request(*first), request(*first, *added))
    assert (after.n_prefix, after.n_again, after.end) == (before.n_tokens, 0, None)
    assert after.n_new == after.n_tokens - before.n_tokens


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_common_prefix(one: str, two: str) -> None:
    """As many characters as are equal, and no more."""
    n = count_common_prefix(one, two)
    assert one[:n] == two[:n]
    assert n == min(len(one), len(two)) or one[n] != two[n]


@given(st.lists(recorded, min_size=1, max_size=4), st.text(max_size=30))
def test_every_format_shows_everything(requests: list[Recorded], odd: str) -> None:
    """Nothing that a request says stops a report."""
    found = inspect_requests([*requests, request(user(odd), system(odd))], [odd], ESTIMATE)
    for write in INSPECTIONS.values():
        assert write(found, None)
    jsonschema.validate(json.loads(INSPECTIONS["json"](found, None)), SCHEMA, cls=jsonschema.Draft202012Validator)


# -------------------------------------------------------------------------------------------------------- large and odd


READ = """
import resource, sys
from acdl_mkdocs import inspect_recording
found = inspect_recording(sys.argv[1], tokens="estimate")
peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(found.steps), len(found.runs), peak_kb // 1024)
"""


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="sizes are not the same elsewhere")
def test_memory(tmp_path: Path) -> None:
    """A recording of 30 MB takes hardly more memory than one of 3 MB."""
    peaks = []
    for n_runs in (1, 10):
        path = tmp_path / f"{n_runs}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for run in range(n_runs):
                talk: list[Json] = [{"role": "system", "content": "You help. " * 50}]
                for turn in range(100):
                    talk.append({"role": "user", "content": f"question {run}.{turn} " + "and so on " * 20})
                    talk.append({"role": "assistant", "content": f"answer {run}.{turn} " + "and so on " * 40})
                    file.write(lines({"request": {"model": "m", "messages": talk}}))
        command = [sys.executable, "-c", READ, str(path)]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
        n_steps, n_found, peak_mb = map(int, ran.stdout.split())
        assert (n_steps, n_found) == (100 * n_runs, n_runs)
        peaks.append(peak_mb)
    assert peaks[1] - peaks[0] < 25, peaks


def test_limits() -> None:
    """Long contents are shortened, and the report says so."""
    talk = [user(LONG), Message("user", (Attachment("image", mime="image/png", data="A" * 900),))]
    found = inspect_requests(
        [request(*talk)], ["r"], InspectOptions(counter=counter("estimate"), limits=Limits(100, 150))
    )
    assert found.is_cut
    html = INSPECTIONS["html"](found, None)
    assert "(1,300 more characters)" in html
    assert len(html) < 40_000
    assert "675 bytes" in html


def test_secrets(tmp_path: Path) -> None:
    """Keys and passwords are nowhere, whatever the format."""
    key = "sk-proj-" + "a1B2c3D4e5F6" * 4
    path = tmp_path / "run.jsonl"
    bodies: list[Json] = [
        {"messages": [{"role": "user", "content": f"{text} OPENAI_API_KEY={key}"}]} for text in ("a", "b")
    ]
    path.write_text(lines(*bodies), "utf-8")
    found = inspect_recording(path)
    assert all(key not in write(found, None) for write in INSPECTIONS.values())


def test_html_is_closed() -> None:
    """A document needs nothing from elsewhere and runs nothing."""
    html = INSPECTIONS["html"](hostile(), None)
    assert "default-src 'none'" in html
    assert "<script" not in html.lower()
    assert "onerror" not in html or "&lt;img" in html
    for word in ('src="http', "@import", "url(", " style="):
        assert word not in html


def hostile() -> Inspection:
    """A recording whose every text is markup."""
    odd = '"><img src=x onerror=alert(1)></li></style><script>alert(1)</script>\x1b[31m'
    talk = [Message("user", (Text(odd), Call(odd, {odd: odd}, odd), Output((Text(odd),), odd, odd)), odd)]
    one = Recorded(Prompt(tuple(talk), (Tool(odd, odd),)), "openai", Origin(odd, 1, odd), episode=odd, model=odd)
    two = Recorded(Prompt((user(f"x{odd}"),)), "openai", Origin(odd, 2), episode=odd, model=f"{odd}2")
    return inspect_requests([one, two], [odd], ESTIMATE)


def test_nothing_acts_on_a_terminal() -> None:
    """No escape of a recording reaches a terminal."""
    assert "\x1b" not in INSPECTIONS["terminal"](hostile(), None)
    assert "\x1b" not in INSPECTIONS["json"](hostile(), None)


# ---------------------------------------------------------------------------------------------------------- as a reader


def test_tools_that_the_provider_runs() -> None:
    """They are called, and nobody misses their definition; another tool without one is named."""
    search = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "bridge"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "tool_use", "id": "t1", "name": "look_up", "input": {}},
    ]
    asked = {"role": "user", "content": "Is the bridge open?"}
    given = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Yes."}]}
    said = {"role": "assistant", "content": search}
    found = inspect_recording([[{"max_tokens": 9, "messages": each} for each in ([asked], [asked, said, given])]])
    text = " ".join(INSPECTIONS["terminal"](found, None).split())
    assert "called without a definition: `look_up`" in text
    assert {tool.name: tool.n_calls for tool in found.runs[0].tools} == {"web_search": 1, "look_up": 1}
    assert "web_search({" in text


def test_images_are_not_counted() -> None:
    """What has no model tokens here is said; what changed is named in words."""
    pixel, words = Attachment("image", mime="image/png", data="aGk="), Text("What is it?")
    before, after = Message("user", (words, pixel)), Message("user", (words, Attachment("image", data="aGo=")))
    found = inspect_requests((request(before), request(after, answer("A dot."))), ["run.jsonl"], ESTIMATE)
    for name in ("terminal", "html"):
        text = " ".join(INSPECTIONS[name](found, None).split())
        assert "without images, files and what a provider adds" in text
        assert "an image in a user message changed" in text
    assert "images" not in INSPECTIONS["terminal"](
        inspect_requests((request(user("Hi")),), ["run.jsonl"], ESTIMATE), None
    )


def test_nothing_to_inspect(tmp_path: Path) -> None:
    """The name of the file and the reason are said once."""
    path = tmp_path / "run.jsonl"
    path.write_text("", "utf-8")
    with pytest.raises(TraceError) as told:
        inspect_recording(path)
    assert str(told.value) == f"{path}: there is no request in it: an empty file; record a run first"
    path.write_text("{}", "utf-8")
    with pytest.raises(TraceError, match=r"no request in it: .*run\.jsonl:1: cannot be read: an object without"):
        inspect_recording(path)


# --------------------------------------------------------------------------------------------------------- from Python


class Typed:
    """A request of a client package."""

    def model_dump(self, **_: object) -> Json:
        """The request as plain data."""
        return {"model": "b", "messages": [{"role": "user", "content": "Two."}]}


def test_inspect_recording(tmp_path: Path) -> None:
    """A path, a folder, bodies and runs of bodies are inspected alike."""
    bodies: list[Json] = [
        {"model": "a", "messages": [{"role": "user", "content": "One."}]},
        {"model": "a", "messages": [{"role": "user", "content": "Another."}]},
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(json.dumps({"request": each, "episode": "x"}) for each in bodies))
    for recording in (str(tmp_path / "run.jsonl"), tmp_path, [bodies]):
        found = inspect_recording(recording, tokens="estimate")
        assert [len(run.steps) for run in found.runs] == [2]
        assert [step.end.path for step in found.steps if step.end] == ["messages[0]"]
    assert len(inspect_recording([*bodies, Typed()], tokens="estimate").steps) == 3
    assert len(inspect_recording([*bodies, Typed()], only={"model": "b"}, format="openai").steps) == 1
    assert inspect_recording([bodies[:1]], at="3.1").steps[0].at == parse_point("3.1")
    for wrong, error in (([{"none": 1}], TraceError), ([], TraceError), ([object()], TypeError)):
        with pytest.raises(error):
            inspect_recording(wrong)
    with pytest.raises(TraceError, match="there is no request format `opneai`"):
        inspect_recording(bodies, format="opneai")
