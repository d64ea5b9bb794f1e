"""What is written is read again as it was, whatever a prompt, a tool or a call says."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.prompts.pml.calls import read_call, write_call
from acdl_mkdocs.prompts.pml.losses import losses
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.tail import tail
from acdl_mkdocs.prompts.pml.tree import read_tree
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Call, Json, Prompt, Tool
from pml.any_prompts import CALLS, KEYS, OBJECTS, PROMPTS, TOOLS, WORDS

many = settings(max_examples=3 * settings().max_examples)
"""6,000 with `--hypothesis-profile long`, 300,000 with `nightly`."""
TYPES: st.SearchStrategy[Json] = st.sampled_from(
    ["string", "integer", "number", "boolean", "null", "array", "object"]
) | st.sampled_from([["integer", "null"], ["string", "integer"]])
SCALARS: st.SearchStrategy[Json] = (
    WORDS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
)
DECLARED = st.dictionaries(KEYS, st.builds(lambda kind: {"type": kind}, TYPES) | st.just({}), max_size=6).map(
    lambda properties: Tool("W", parameters={"type": "object", "properties": dict(properties)})
)
ARGUMENTS = st.dictionaries(KEYS, SCALARS, max_size=6) | OBJECTS


@many
@given(prompt=PROMPTS)
def test_prompt(prompt: Prompt) -> None:
    """A document says all of a prompt in both styles, and is the same when it is written again."""
    assert losses(prompt) == ()
    for text in (write(prompt), write(prompt, "min")):
        found = read(text)
        assert found.prompt == prompt, [each.message for each in found.problems]
    assert found.prompt is not None
    assert write(found.prompt, "min") == text


@many
@given(args=ARGUMENTS, tool=DECLARED)
def test_arguments(args: dict[str, Json], tool: Tool) -> None:
    """A call says its arguments and their types, whether they are declared as such or not."""
    problems: list[Diagnostic] = []
    for declared in (tool, None):
        text = write_call(Call("W", args), declared)
        tree = read_tree(text)
        assert tree.root is not None, tree.problems
        found = read_call(tree.root, declared, problems)
        assert {key: repr(value) for key, value in found.args.items()} == {k: repr(v) for k, v in args.items()}
    assert problems == []


@given(calls=st.lists(CALLS, min_size=1, max_size=3), before=WORDS, after=st.sampled_from(["", "\n", " \n\n"]))
def test_written_by_a_model(calls: list[Call], before: str, after: str) -> None:
    """Calls at the end of an answer are found, and nothing else is."""
    sent = [Call(each.tool, each.args, each.id) for each in calls]
    said = f"{before}.\n"
    found = tail(said + "\n".join(write_call(each) for each in sent) + after)
    ids = [each.id for each in sent if each.id is not None]
    if len(set(ids)) < len(ids):
        assert found.calls == ()
        return
    assume(all(" x:json=" not in write_call(each) for each in sent))
    assert found.calls == tuple(sent), found.problems
    assert found.text == said
    assert found.problems == ()


@given(tool=TOOLS)
def test_tool(tool: Tool) -> None:
    """A tool comes back with its schema and all else that is known of it."""
    found = read(write(Prompt((), (tool,)), "min"))
    assert found.prompt is not None
    assert found.prompt.tools == (tool,)
    assert repr(found.prompt.tools[0].more) == repr(tool.more)
