"""`pair_calls()`: which result answers which call; knows no format.

A result names its call by id: the latest open call that has it. Without an id it answers the earliest call of its tool
that has no answer yet, and that no later result names. Results are moved behind their calls where the provider rejects
any other order.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.pending_calls import OpenIds
from acdl_mkdocs.prompts.prompt import Call, Output, Text
from acdl_mkdocs.prompts.providers.results import Loss, ProviderLimits, ProviderMessage, ProviderPart
from acdl_mkdocs.prompts.providers.tagged_text import write_output

JOINED = "the message is joined with the one before it, since results have to be right after their calls"
"""The loss of a message of the model that is sent as part of another one."""


@dataclass(slots=True)
class _PendingCall:
    """A call, and whether it has its answer."""

    sent_idx: int
    path: str
    tool: str
    id: str | None
    given_id: str | None
    """Its id in the prompt."""
    is_answered: bool = False
    is_kept: bool = False
    """Whether it is reserved for a result that names it."""


@dataclass(slots=True)
class _OpenCalls:
    """Calls without a result, by the ways in which a result can name them."""

    by_id: OpenIds[_PendingCall] = field(default_factory=lambda: OpenIds(lambda asked: not asked.is_answered))
    by_tool: dict[str, deque[_PendingCall]] = field(default_factory=dict)
    in_order: deque[_PendingCall] = field(default_factory=deque)
    named: Counter[str] = field(default_factory=Counter)
    """How many results that are still to come name each id, without those of calls that are kept for them."""
    kept: Counter[str] = field(default_factory=Counter)
    """How many calls are kept for a result that names them."""

    def add_call(self, call: _PendingCall) -> None:
        if call.given_id is not None:
            self.by_id.add_call(call.given_id, call)
        self.by_tool.setdefault(call.tool, deque()).append(call)
        self.in_order.append(call)

    def answer_call(self, output: Output) -> _PendingCall | None:
        """Remove and return the call that a result answers."""
        if output.call_id:
            claims = self.kept if self.kept[output.call_id] else self.named
            claims[output.call_id] -= 1
            call = self.by_id.take_call(output.call_id)
        else:
            call = self.find_earliest(output.tool)
        if call is not None:
            call.is_answered = True
        return call

    def find_earliest(self, tool: str | None) -> _PendingCall | None:
        """Return the first open call of a tool, or of any, that no later result names."""
        self.by_id.end_step()
        queue = self.in_order if tool is None else self.by_tool.get(tool)
        while queue:
            call = queue.popleft()
            if not call.is_answered and not self.is_kept(call):
                return call
        return None

    def is_kept(self, call: _PendingCall) -> bool:
        """Return whether a call is reserved for a later result that names it, and reserve it."""
        if not call.is_kept and call.given_id is not None and self.named[call.given_id] > 0:
            self.named[call.given_id] -= 1
            self.kept[call.given_id] += 1
            call.is_kept = True
        return call.is_kept


def pair_calls(
    messages: Sequence[ProviderMessage], limits: ProviderLimits, losses: list[Loss], *, is_continued: bool = False
) -> list[ProviderMessage]:
    """Return messages in which every result names its call and is where the provider accepts it.

    Parameters:
        messages: Messages of one role each.
        limits: The requirements of the provider.
        losses: Receives the changes.
        is_continued: Whether the provider has earlier messages, so their calls may be missing here.
    """
    pairing = _CallPairer(limits, losses, _make_fresh_ids(messages), is_continued)
    parts = (piece.part for each in messages for piece in each.pieces)
    pairing.open.named.update(part.call_id for part in parts if isinstance(part, Output) and part.call_id)
    named = [pairing.pair_message(number, each) for number, each in enumerate(messages)]
    pairing.report_unanswered(len(named) - 1)
    if not limits.has_order:
        return named
    ordered = list(pairing.order_results(named))
    return ordered if limits.has_split_answers else _join_calls(ordered, losses)


def _find_calling_runs(messages: Sequence[ProviderMessage]) -> Iterator[range]:
    """Yield runs of messages of the model that begin with a call and are followed by results, if there are several."""
    start: int | None = None
    for number, message in enumerate(messages):
        if message.role != "assistant":
            if start is not None and message.role == "tool" and number - start > 1:
                yield range(start, number)
            start = None
        elif start is None and any(isinstance(piece.part, Call) for piece in message.pieces):
            start = number


def _join_calls(messages: Sequence[ProviderMessage], losses: list[Loss]) -> list[ProviderMessage]:
    """Join messages so that all calls answered by results are in the message right before the results."""
    joined = list(messages)
    for run in reversed(list(_find_calling_runs(messages))):
        first, *rest = messages[run.start : run.stop]
        pieces = tuple(piece for each in (first, *rest) for piece in each.pieces)
        other_keys = {key: value for each in (*reversed(rest), first) for key, value in each.more.items()}
        joined[run.start : run.stop] = [replace(first, pieces=pieces, more=other_keys)]
        for each in rest:
            losses.append(Loss(each.path, JOINED, "write the calls in one message"))
    return joined


def _make_fresh_ids(messages: Sequence[ProviderMessage]) -> Iterator[str]:
    """Yield ids that no call and no result has."""
    parts = [piece.part for each in messages for piece in each.pieces]
    taken = {part.id for part in parts if isinstance(part, Call)}
    taken |= {part.call_id for part in parts if isinstance(part, Output)}
    number = 0
    while True:
        number += 1
        if f"call_{number}" not in taken:
            yield f"call_{number}"


@dataclass(slots=True)
class _CallPairer:
    """Pairs calls and results in one pass over the messages."""

    limits: ProviderLimits
    losses: list[Loss]
    fresh: Iterator[str]
    is_continued: bool
    calls: list[_PendingCall] = field(default_factory=list)
    used_ids: set[str] = field(default_factory=set)
    open: _OpenCalls = field(default_factory=_OpenCalls)
    results: dict[int, int] = field(default_factory=dict)
    """Number of the message of each result, and of the message of its call."""

    def pair_message(self, number: int, message: ProviderMessage) -> ProviderMessage:
        """Return a message with the ids that are sent: of its calls, and of the call of its result."""
        if any(isinstance(piece.part, Output) for piece in message.pieces):
            return self.pair_result(number, message)
        if message.role != "assistant":
            self.open.by_id.end_step()
        pieces = tuple(
            replace(piece, part=self.number_call(number, piece.path, piece.part))
            if isinstance(piece.part, Call)
            else piece
            for piece in message.pieces
        )
        return replace(message, pieces=pieces)

    def number_call(self, number: int, path: str, call: Call) -> Call:
        """Return a call with the id that is sent."""
        pending = _PendingCall(number, path, call.tool, self.choose_id(call, path), call.id or None)
        self.calls.append(pending)
        self.open.add_call(pending)
        return replace(call, id=pending.id)

    def choose_id(self, call: Call, path: str) -> str | None:
        """Return the id of a call: its own, if the provider accepts it and no other call has it."""
        if call.id is None:
            return next(self.fresh) if self.limits.has_ids else None
        if call.id in self.used_ids:
            fault, cure = f"another call also has the id `{call.id}`", "give every call its own id"
        elif not re.fullmatch(self.limits.id_pattern, call.id):
            fault = f"the provider does not accept the id `{call.id}`"
            cure = "use ASCII letters, digits, `_` and `-`"
        else:
            self.used_ids.add(call.id)
            return call.id
        new_id = next(self.fresh)
        self.losses.append(Loss(path, f"{fault}: it is sent as `{new_id}`", cure))
        return new_id

    def pair_result(self, number: int, message: ProviderMessage) -> ProviderMessage:
        """Return a message with a result that names its call, or as text if there is no call."""
        (piece,) = message.pieces
        output = piece.part
        assert isinstance(output, Output)  # noqa: S101 - results stand alone
        call = self.open.answer_call(output)
        if call is not None:
            self.results[number] = call.sent_idx
            if output.tool not in (None, call.tool):
                sentence = f"the result names the tool `{output.tool}`, but its call is of `{call.tool}`"
                self.losses.append(Loss(piece.path, sentence, f"write `{call.tool}`, or the id of another call"))
            named = replace(output, call_id=call.id, tool=call.tool)
            return replace(message, pieces=(replace(piece, part=named),))
        if self.is_continued and output.call_id is not None:
            return message
        what = f"the call `{output.call_id}`" if output.call_id is not None else "any call"
        sentence = f"the result does not answer {what} that waits for one: it is sent as text of a user message"
        self.losses.append(Loss(piece.path, sentence, "put the call before it, in a message of `assistant`"))
        return ProviderMessage(message.path, "user", (ProviderPart(piece.path, Text(write_output(output))),))

    def report_unanswered(self, last_idx: int) -> None:
        """Report calls without a result, also at the end: a request asks for an answer, so calls need results."""
        for call in self.calls:
            if not call.is_answered:
                where = "the request ends" if call.sent_idx == last_idx else "messages follow"
                sentence = f"the call of `{call.tool}` has no result, and {where}: providers reject that"
                self.losses.append(Loss(call.path, sentence, "put its result right after it", is_advice=True))

    def order_results(self, messages: list[ProviderMessage]) -> Iterator[ProviderMessage]:
        """Yield the messages with results right after their calls."""
        last = {number: run[-1] for run in _find_calling_runs(messages) for number in run}
        results: dict[int, list[int]] = {}
        for number, call_idx in self.results.items():
            results.setdefault(last.get(call_idx, call_idx), []).append(number)
        for number, message in enumerate(messages):
            if number in self.results:
                continue
            yield message
            for count, result_idx in enumerate(results.get(number, ()), start=1):
                if result_idx != number + count:
                    sentence = f"the result is moved right after its call in `{message.path}`"
                    self.losses.append(Loss(messages[result_idx].path, sentence, "write it there"))
                yield messages[result_idx]
