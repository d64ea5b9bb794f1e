"""A prompt as the steps of an agent: a turn is a step, an answer of the model with its results a sub-step.

Knows nothing about state files.
"""

from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.pml.turns import turns
from acdl_mkdocs.prompt import Call, Message, Prompt


@dataclass(frozen=True, slots=True)
class Round:
    """A sub-step: an answer of the model, and what came of it."""

    answer: Message
    after: tuple[Message, ...]
    """Results of its calls, and instructions; never of the user."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """What the model asked for."""
        return tuple(part for part in self.answer.parts if isinstance(part, Call))


@dataclass(frozen=True, slots=True)
class Step:
    """A turn."""

    messages: tuple[Message, ...]
    """What stands before the first answer: of the user, and results and instructions before it."""
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A whole prompt."""

    instructions: tuple[Message, ...]
    """Those at the beginning, outside of all turns."""
    steps: tuple[Step, ...]

    @property
    def counts(self) -> list[int]:
        """How many sub-steps each step has; there is at least one step."""
        return [len(step.rounds) for step in self.steps] or [0]


def conversation_of(prompt: Prompt) -> Conversation:
    """The steps of a prompt in their order, counted from 1 whatever numbers its turns have."""
    found = turns(prompt.messages)
    instructions = tuple(turn.messages[0] for turn in found if turn.is_outside)
    return Conversation(instructions, tuple(_step(turn.messages) for turn in found if not turn.is_outside))


def _step(messages: Sequence[Message]) -> Step:
    starts = [at for at, message in enumerate(messages) if message.role == "assistant"]
    first = starts[0] if starts else len(messages)
    rounds = tuple(
        Round(messages[start], tuple(messages[start + 1 : end]))
        for start, end in zip(starts, [*starts[1:], len(messages)], strict=False)
    )
    return Step(tuple(messages[:first]), rounds)


def joined(conversation: Conversation) -> Conversation:
    """The same with a turn in which the user says nothing as more of the step before it."""
    steps: list[Step] = []
    for step in conversation.steps:
        if not steps or not steps[-1].rounds or any(message.role == "user" for message in step.messages):
            steps.append(step)
            continue
        *rounds, last = steps[-1].rounds
        last = Round(last.answer, (*last.after, *step.messages))
        steps[-1] = Step(steps[-1].messages, (*rounds, last, *step.rounds))
    return Conversation(conversation.instructions, tuple(steps))


def without_answers(conversation: Conversation) -> Conversation:
    """The same with answers that ask for a tool only: others are what the step ends with."""
    steps = tuple(Step(step.messages, tuple(each for each in step.rounds if each.calls)) for step in conversation.steps)
    return Conversation(conversation.instructions, steps)
