"""`choose()`: a tool that a person's words ask for, `[#W: "Oslo"]`, becomes the choice of the provider.

The words stay in the text: the model reads the arguments there. Only the newest message is looked at, only where it is
of the user, and only its own texts; what is quoted in files and results is never looked at.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from acdl_mkdocs.pml.tools import by_name
from acdl_mkdocs.pml.triggers import Trigger, triggers
from acdl_mkdocs.prompt import Json, Opaque, Prompt, Text
from acdl_mkdocs.wire.changes import Change, Places

_CHOICES: Mapping[str, Callable[[str], dict[str, Json]]] = {
    "openai": lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}},
    "responses": lambda name: {"tool_choice": {"type": "function", "name": name}},
    "anthropic": lambda name: {"tool_choice": {"type": "tool", "name": name}},
    "gemini": lambda name: {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}},
}


def choose(prompt: Prompt, to: str, places: Places) -> tuple[Prompt, tuple[Change, ...]]:
    """A prompt whose settings make the model call what the newest text of the user asks for.

    Parameters:
        prompt: What is sent.
        to: Key in `PROVIDERS` of who gets it.
        places: Where its parts stand.
    """
    found = list(_asked(prompt))
    changes: list[Change] = []
    chosen: str | None = None
    for part, trigger in found:
        name = _sent_name(prompt, trigger.call.tool)
        if trigger.faults:
            sentence = f"`{name}` is not chosen, its arguments are not right: {trigger.faults[0].message}"
            changes.append(_change("warning", sentence, "write what the tool takes", part, places))
        elif chosen not in (None, name):
            sentence = f"`{name}` is not chosen: a request can ask for one tool, and `{chosen}` is asked for first"
            changes.append(_change("warning", sentence, "ask for it in another message", part, places))
        elif chosen is None:
            chosen = name
            instead = ", instead of what the request said" if _is_chosen(prompt, to) else ""
            sentence = f"the request makes the model call `{name}`{instead}, as the text asks; the text stays"
            changes.append(_change("change", sentence, "", part, places))
    if chosen is None:
        return prompt, tuple(changes)
    return replace(prompt, settings=(*prompt.settings, Opaque(to, _CHOICES[to](chosen)))), tuple(changes)


def _asked(prompt: Prompt) -> Iterator[tuple[str, Trigger]]:
    """What the newest message asks for, each with the path of its text."""
    last_idx = len(prompt.messages) - 1
    if last_idx < 0 or prompt.messages[last_idx].role != "user":
        return
    for number, part in enumerate(prompt.messages[last_idx].parts):
        if isinstance(part, Text):
            for trigger in triggers(part.text, prompt.tools):
                yield f"messages[{last_idx}].parts[{number}]", trigger


def _is_chosen(prompt: Prompt, to: str) -> bool:
    """Whether the request says already what is to be called."""
    said = [each.json for each in prompt.settings if each.provider == to and isinstance(each.json, dict)]
    return any(key in each for each in said for key in _CHOICES[to](""))


def _sent_name(prompt: Prompt, code: str) -> str:
    tool = by_name(prompt.tools).get(code)
    return code if tool is None else tool.alias or tool.name


def _change(kind: str, sentence: str, cure: str, part: str, places: Places) -> Change:
    return Change("warning" if kind == "warning" else "change", sentence, cure, part, "", *places.at(part))
