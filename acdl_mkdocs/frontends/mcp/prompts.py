"""Tasks that a person can give to an agent by name. Knows no protocol."""

from collections.abc import Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import code_fence
from acdl_mkdocs.frontends.mcp.answers import CallError
from acdl_mkdocs.frontends.mcp.arguments import Argument
from acdl_mkdocs.frontends.mcp.resources import language_text

_STEPS = """\
Write an ACDL spec of what {code} sends to a language model.

1. Find every place that calls a model. Each is one prompt, however much code they share; name it after the call.
2. Follow the list of messages backwards from the call to everything that appends, inserts, slices or rewrites it.
3. Decide the clock: what is a turn, and is there a step inside it? `[@T]` for one call a turn, `[@T.I]` for several.
4. Sort every piece by origin: constant text is a template in capitals, `env` comes from outside, `sys` from the
   program, `resp` from earlier answers of the model. Give `[@T]` or `[@t]` to whatever changes.
5. Write loops over history as `ForEach(t: range(1, @T))` and slices as bounds; write conditions by what is looked at.
6. Cite the code beside each message or loop: `// <- path:line`.
7. Call the tool `check` until `is_fine`, then `format`, then read what `explain` and `render` say, and compare that
   with the code. Call `new_state`, fill it in, and `unroll` it at `1` and at a later point: is each list of messages
   the one that the code builds?

{where}
"""
_KEEP = """\
The spec {spec} and the code {code} belong together. Find out where they differ: call `explain` on the spec, read the
code that its comments `// <- path:line` cite, and list each difference with both places. Do not bend one to the other:
say what differs, and ask which is right.
"""


@dataclass(frozen=True, slots=True)
class TaskPrompt:
    """A task with placeholders."""

    name: str
    title: str
    about: str
    arguments: tuple[Argument, ...]


PROMPTS = (
    TaskPrompt(
        "write_spec",
        "Write a spec for this agent code",
        "Extract an ACDL spec from code that builds messages for a model",
        (
            Argument("code", "path of the code, or the code itself", is_required=True),
            Argument("spec", "path of the file to write, as `specs/agent.acdl`"),
        ),
    ),
    TaskPrompt(
        "compare_with_code",
        "Compare a spec with its code",
        "Find where an ACDL spec and the code that it describes differ",
        (
            Argument("spec", "path of the spec", is_required=True),
            Argument("code", "path of the code", is_required=True),
        ),
    ),
)


def fill_prompt(name: str, sent: Mapping[str, str] | None) -> tuple[TaskPrompt, str]:
    """Return a task with its placeholders filled.

    Raises:
        CallError: There is no such task, or something that it needs is missing.
    """
    prompt = next((each for each in PROMPTS if each.name == name), None)
    if prompt is None:
        raise CallError(f"there is no prompt `{name[:80]}`", f"there are {', '.join(each.name for each in PROMPTS)}")
    values = {key: value.strip() for key, value in (sent or {}).items() if value.strip()}
    for each in prompt.arguments:
        if each.is_required and each.name not in values:
            raise CallError(f"the argument `{each.name}` is missing", f"it is {each.about}")
    if prompt.name == "compare_with_code":
        return prompt, _KEEP.format(spec=f"`{values['spec']}`", code=f"`{values['code']}`")
    code = values["code"]
    is_path = "\n" not in code
    where = f"Write the spec to `{values['spec']}`." if "spec" in values else "Show the spec."
    parts = [_STEPS.format(code=f"`{code}`" if is_path else "the code below", where=where)]
    parts += [] if is_path else [f"The code:\n\n{_fence_code(code)}\n"]
    return prompt, "\n".join([*parts, language_text()])


def _fence_code(code: str) -> str:
    mark = code_fence(code)
    return f"{mark}\n{code.rstrip()}\n{mark}"
