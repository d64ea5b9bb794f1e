"""What bodies of several formats have in common: the model, tools and settings, and how messages stand together."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.wire.opaque import snake
from acdl_mkdocs.wire.results import Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled

_SAID = {
    **dict.fromkeys(("messages", "input", "contents", "system", "instructions", "system_instruction"), "messages"),
    **dict.fromkeys(("functions", "function_call", "function_declarations"), "tools"),
}
"""Keys of requests that the messages and the tools of a prompt become, or once became."""

END_WITH_USER = "end it with a user message, for example one that asks to continue the text, or leave the last one out"
"""What can be done where a provider does not continue the beginning of an answer."""


def leading_system(settled: Settled, apart: str | None = None) -> tuple[list[Piece], dict[str, Json], Sequence[Sent]]:
    """The instructions that a prompt begins with, for formats that have one place for them, and all other messages.

    What the provider says beside the instructions is in the middle. Messages that have said the role `apart` were read
    from among the other messages, and stay there.
    """
    is_later = (each.role != "system" or (apart and each.more.get("role") == apart) for each in settled.messages)
    n_leading = next((n for n, is_it in enumerate(is_later) if is_it), len(settled.messages))
    leading = settled.messages[:n_leading]
    for each in leading[1:]:
        settled.lose(each.path, "the instructions are joined with those before them", "write them in one message")
    more = {key: value for each in leading for key, value in each.more.items()}
    return [piece for each in leading for piece in each.pieces], more, settled.messages[n_leading:]


def written_body(settled: Settled, body: dict[str, Json], tools: list[Json]) -> Written:
    """A body with tools, if there are any, and with the settings of the provider."""
    whole = dict(body)
    tools = [*tools, *_run_by_provider(settled)]
    if tools:
        whole["tools"] = tools
    for key, value in settled.settings.items():
        said = _SAID.get(snake(key))
        if said is not None and key not in whole:
            _lose_setting(key, said, settled)
        elif key != "tools":
            whole.setdefault(key, value)
    return Written(whole, tuple(settled.losses))


def _run_by_provider(settled: Settled) -> Iterator[Json]:
    """Tools of the settings: those that the provider runs itself, as declared ones are in the document."""
    own = settled.settings.get("tools")
    for number, tool in enumerate(own if isinstance(own, list) else []):
        if not isinstance(tool, dict):
            yield tool
            continue
        declaring = [key for key in tool if snake(key) == "function_declarations"]
        rest = {key: value for key, value in tool.items() if key not in declaring}
        if declaring or _is_declared(tool):
            _lose_setting(f"tools[{number}]", "tools", settled)
        if not _is_declared(tool) and (rest or not declaring):
            yield rest


def _is_declared(tool: dict[str, Json]) -> bool:
    """Whether a tool is one that the caller runs, in the format of any provider."""
    is_named = "type" not in tool and "name" in tool
    return is_named or tool.get("type") == "function" or "function" in tool or "input_schema" in tool


def _lose_setting(key: str, said: str, settled: Settled) -> None:
    sentence = f"the setting `{key}` is not sent: it says what {said} say"
    settled.lose("settings", sentence, f"write it as {said} of the document")


def chosen_model(settled: Settled, model: str | None) -> dict[str, Json]:
    """The key that says which model is asked, where a request has to have it."""
    if model is None:
        settled.advise("", "the request needs the name of a model, and none is given", "give one: `--model NAME`")
    return {} if model is None else {"model": model}


def turns(messages: Sequence[Sent]) -> Iterator[list[Sent]]:
    """Messages, with the results of one batch of calls together, for formats that want them in one."""
    for is_result, group in groupby(messages, key=lambda each: each.role == "tool"):
        together = list(group)
        yield from [together] if is_result else ([each] for each in together)
