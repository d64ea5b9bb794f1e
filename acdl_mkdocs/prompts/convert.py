"""`convert()`: a prompt, or a list of tools, from any format to any other, including calls requested in text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.changes import Change, ChangeKind, SourcePositions, changes_from_losses, collapse_changes
from acdl_mkdocs.prompts.parse_input import ParsedInput, parse_input, read_tools, write_tools
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.pml.triggers import Trigger, triggers
from acdl_mkdocs.prompts.pml.write import Section, Style
from acdl_mkdocs.prompts.pml.write import write as write_document
from acdl_mkdocs.prompts.prompt import Attachment, Json, Opaque, Output, Part, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.curl import format_json
from acdl_mkdocs.prompts.providers.pml import list_losses
from acdl_mkdocs.prompts.providers.results import Loss
from acdl_mkdocs.prompts.round_trip import find_differences


def choose_tool(prompt: Prompt, to: str, positions: SourcePositions) -> tuple[Prompt, tuple[Change, ...]]:
    """Return the prompt with settings that make the model call the tool requested by the newest text of the user.

    Parameters:
        prompt: The prompt.
        to: Key in `PROVIDERS` of the output format.
        positions: Positions of its parts.
    """
    requested = list(_find_triggers(prompt))
    changes: list[Change] = []
    chosen: str | None = None
    for part, trigger in requested:
        name = _find_sent_name(prompt, trigger.call.tool)
        if trigger.faults:
            sentence = f"`{name}` is not chosen, because its arguments are wrong: {trigger.faults[0].message}"
            changes.append(_make_change("warning", sentence, "write arguments that the tool accepts", part, positions))
        elif chosen not in (None, name):
            sentence = (
                f"`{name}` is not chosen: a request can choose one tool, and the trigger of `{chosen}` comes first"
            )
            changes.append(_make_change("warning", sentence, "write its trigger in another message", part, positions))
        elif chosen is None:
            chosen = name
            instead = ", instead of its own tool choice" if _is_chosen(prompt, to) else ""
            sentence = (
                f"the request makes the model call `{name}`{instead}, because of the trigger in the text, which stays"
            )
            changes.append(_make_change("change", sentence, "", part, positions))
    if chosen is None:
        return prompt, tuple(changes)
    return replace(prompt, settings=(*prompt.settings, Opaque(to, PROVIDERS[to].tool_choice(chosen)))), tuple(changes)


def _find_triggers(prompt: Prompt) -> Iterator[tuple[str, Trigger]]:
    """Yield the triggers in the newest message, each with the path of its text."""
    last_idx = len(prompt.messages) - 1
    if last_idx < 0 or prompt.messages[last_idx].role != "user":
        return
    for number, part in enumerate(prompt.messages[last_idx].parts):
        if isinstance(part, Text):
            for trigger in triggers(part.text, prompt.tools):
                yield f"messages[{last_idx}].parts[{number}]", trigger


def _is_chosen(prompt: Prompt, to: str) -> bool:
    """Return whether the request already chooses a tool."""
    settings = [each.json for each in prompt.settings if each.provider == to and isinstance(each.json, dict)]
    return any(key in each for each in settings for key in PROVIDERS[to].tool_choice(""))


def _find_sent_name(prompt: Prompt, code: str) -> str:
    tool = index_by_name(prompt.tools).get(code)
    return code if tool is None else tool.alias or tool.name


def _make_change(kind: str, sentence: str, cure: str, part: str, positions: SourcePositions) -> Change:
    return Change("warning" if kind == "warning" else "change", sentence, cure, part, "", *positions.locate_part(part))


_CONTROL = re.compile(r"<\|[A-Za-z0-9_]{1,40}\|>|<｜[^｜<>]{1,40}｜>|\[/?INST\]|<</?SYS>>")
"""Control strings between messages in chat templates of models."""
_MOST_WARNINGS = 20
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Converted:
    """The result of a conversion."""

    text: str | None
    """The output; `None` if the input has errors, unless reading is lenient and can continue."""
    changes: tuple[Change, ...]
    """All changes and problems: first those of reading, then those of writing."""
    from_: str | None
    """Name of the input format, such as `anthropic`; `None` if it was not detected."""
    to: str
    """Name of the output format."""

    @property
    def problems(self) -> tuple[Change, ...]:
        """The errors of the input."""
        return tuple(each for each in self.changes if each.kind == "error")

    @property
    def is_lossless(self) -> bool:
        """Whether the output holds everything that was read, and reading changed nothing."""
        return self.text is not None and not any(each.kind in ("error", "loss", "repair") for each in self.changes)


def convert(
    text: str | bytes,
    to: str,
    *,
    from_: str | None = None,
    is_lenient: bool = False,
    model: str | None = None,
    style: Style = "pretty",
    has_triggers: bool = False,
) -> Converted:
    """Convert a text to another format; never raises because of the content of the text.

    Parameters:
        text: A request body, a list of tools, both as JSON, or a PML document; bytes are UTF-8.
        to: Name of the output format, such as `openai` or `pml`: a key of
            `acdl_mkdocs.prompts.providers.WIRES`. A list of tools stays one.
        from_: Name of the format of the text; `None` detects it.
        is_lenient: Whether to read a text with errors as far as possible, and to report each error and repair.
        model: Name of the model; by default the one in the text, if it is for the same provider.
        style: `pretty` for people, `min` without white space.
        has_triggers: Whether `[#W: "Oslo"]` in the newest message, if it is of the user, makes the request choose that
            tool.

    Raises:
        UnknownFormatError: There is no such format.
    """
    for name in filter(None, (to, from_)):
        _check_format(name)
    source = parse_input(text, from_, is_lenient=is_lenient)
    if source.prompt is None:
        return Converted(None, collapse_changes(source.changes), source.format, to)
    prompt, changes = source.prompt, [*source.changes, *_warn_control_strings(source.prompt, source.places)]
    if has_triggers and to in PROVIDERS and not source.is_tools:
        prompt, chosen = choose_tool(prompt, to, source.places)
        changes += chosen
        # other reports about triggers are complete
        prompt = replace(prompt, tools=tuple(replace(each, has_trigger=False) for each in prompt.tools))
    changes += _warn_unwritten_model(model, to, is_tools=source.is_tools)
    written = _write_prompt(replace(source, prompt=prompt), prompt, to, model, style)
    changes += [*changes_from_losses(written.losses, source.places), *written.faults]
    reported = {loss.path for loss in written.losses if not loss.is_advice}
    for part, sentence, is_loss in (
        find_differences(prompt, written.back, to, reported) if written.back is not None else ()
    ):
        kind: ChangeKind = "loss" if is_loss else "change"
        changes.append(Change(kind, sentence, "", part, "", *source.places.locate_part(part)))
    if written.back is None and not written.faults:
        sentence = "the document exceeds a limit for reading: it has too many elements, levels or bytes"
        changes.append(Change("warning", sentence, "split the prompt, or read it from Python with other `Limits`"))
    return Converted(None if written.faults else written.text, collapse_changes(changes), source.format, to)


def _warn_unwritten_model(model: str | None, to: str, *, is_tools: bool) -> Iterator[Change]:
    """Warn that the name of the model is not written."""
    if model is not None and is_tools:
        yield Change("warning", f"a list of tools does not name a model: `{model}` is left out")
    elif model is not None and WIRES[to].is_model_in_address:
        sentence = f"a request of `{to}` names the model in its address, not in its body: `{model}` is left out"
        path = urlsplit(WIRES[to].address).path.replace("{model}", model)
        yield Change("warning", sentence, f"send it to `{path}`")


def _check_format(name: str) -> None:
    if name not in WIRES:
        near = find_closest(name, WIRES)
        cure = f"did you mean `{near}`?" if near else f"choose one of {', '.join(f'`{each}`' for each in WIRES)}"
        raise UnknownFormatError(f"there is no format `{name}`: {cure}")


class _WrittenText(NamedTuple):
    """The output for a prompt."""

    text: str
    losses: tuple[Loss, ...]
    """Content that the output does not hold."""
    back: Prompt | None
    """The prompt that is read back from the output."""
    faults: tuple[Change, ...] = ()
    """Problems of reading the document again."""


def _write_prompt(parsed: ParsedInput, prompt: Prompt, to: str, model: str | None, style: Style) -> _WrittenText:
    if to == "pml":
        text = write_document(prompt, style, _choose_section(parsed, prompt))
        again = parse_input(text, "pml", is_lenient=True)
        errors = [each for each in again.changes if each.kind == "error" and each.rule != "over-limit"]
        sentence = "the document would have an error, {}"
        faults = [Change("error", sentence.format(each.sentence), each.cure, rule=each.rule) for each in errors]
        return _WrittenText(text, list_losses(prompt, None if parsed.is_tools else model), again.prompt, tuple(faults))
    if parsed.is_tools:
        tools, losses = write_tools(prompt, to)
        return _WrittenText(_format_json(tools, style), losses, read_tools(tools, to).prompt)
    rest, own_model = _remove_model(prompt, to)
    written = PROVIDERS[to].write(rest, model or own_model)
    return _WrittenText(_format_json(written.body, style), written.losses, PROVIDERS[to].read(written.body).prompt)


def _choose_section(parsed: ParsedInput, prompt: Prompt) -> Section:
    """Return the section of a document to write: the one read; but `<tools>` cannot hold tools that a provider runs."""
    return "prompt" if parsed.section is None or prompt.settings else parsed.section


def _remove_model(prompt: Prompt, to: str) -> tuple[Prompt, str | None]:
    """Return the prompt without the setting that names the model of a provider, and that name."""
    if PROVIDERS[to].is_model_in_address:  # the address names it; a name in the body stays a setting
        return prompt, None
    model: str | None = None
    settings: list[Opaque] = []
    for each in prompt.settings:
        if each.provider == to and isinstance(each.json, dict) and isinstance(name := each.json.get("model"), str):
            model = name
            each = replace(each, json={key: value for key, value in each.json.items() if key != "model"})
        settings.append(each)
    return replace(prompt, settings=tuple(settings)), model


def _format_json(value: Json, style: Style) -> str:
    if style == "pretty":
        return f"{format_json(value)}\n"
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", compact)


def _warn_control_strings(prompt: Prompt, positions: SourcePositions) -> Iterator[Change]:
    """Warn about text that a model's chat template could take for the end of a message."""
    cure = "no change is needed if the provider escapes such text; otherwise remove it"
    n_told = 0
    for part, text in _list_texts(prompt):
        match = _CONTROL.search(text)
        if match is not None and n_told < _MOST_WARNINGS:
            n_told += 1
            sentence = f"the text has `{match[0]}`, a control token of chat templates"
            yield Change("warning", sentence, cure, part, "", *positions.locate_part(part))


def _list_texts(prompt: Prompt) -> Iterator[tuple[str, str]]:
    """Yield all texts of people, files, tools and models, each with its path."""
    for number, memory in enumerate(prompt.memory):
        yield f"memory[{number}]", memory.text
    for number, message in enumerate(prompt.messages):
        yield from _list_part_texts(message.parts, f"messages[{number}].parts")


def _list_part_texts(parts: Sequence[Part], path: str) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(parts):
        match part:
            case Text(text) | Attachment(text=str(text)):
                yield f"{path}[{number}]", text
            case Output(inside):
                yield from _list_part_texts(inside, f"{path}[{number}].parts")
            case _:
                pass
