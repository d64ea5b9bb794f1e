"""What bodies of several formats have in common: the model, tools and settings, and how messages stand together."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.wire.results import Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled

_SAID = frozenset(
    ("messages", "input", "contents", "system", "instructions", "systemInstruction", "system_instruction")
)
"""Keys of requests that the messages of a prompt become."""


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
    own = settled.settings.get("tools")
    tools = [*tools, *(own if isinstance(own, list) else [])]
    if tools:
        whole["tools"] = tools
    for key, value in settled.settings.items():
        if key in _SAID and key not in whole:
            sentence = f"the setting `{key}` is not sent: it says what messages say"
            settled.lose("settings", sentence, "write it as messages of the document")
        elif key != "tools":
            whole.setdefault(key, value)
    return Written(whole, tuple(settled.losses))


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
