"""A prompt as a sample state of the spec that sends any conversation. Gives text; writes no file."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import Leaf, Map, lines_of, one_line
from acdl_mkdocs.prompt import Message, Prompt
from acdl_mkdocs.states.conversation import Conversation, Round, Step, conversation_of
from acdl_mkdocs.states.part_leaves import PartLeaves
from acdl_mkdocs.states.state_file import VERSION

SPEC = "Conversation"
CONVERSATION = """\
// acdl: range=inclusive
// Sends any recorded conversation: a turn is a step, an answer of the model with its results a sub-step.
Conversation[@T.I]: {
    ForEach(text: sys.instructions) {
        S: text
    }
    ForEach(t: range(1, @T)) {
        ForEach(message: env.messages[@t]) {
            Switch message.role {
                Case system {
                    S: message.content
                }
                Case tool {
                    T: message.content
                }
                Default {
                    U: message.content
                }
            }
        }
        ForEach(i: range(1, @t.substeps)) {
            A: resp.answer[@t.i]
            ForEach(message: env.messages[@t.i]) {
                Switch message.role {
                    Case system {
                        S: message.content
                    }
                    Default {
                        T: message.content
                    }
                }
            }
        }
    }
}
"""
"""The spec that reads such a state."""


@dataclass(frozen=True, slots=True)
class MadeState:
    """A state file."""

    text: str
    told: tuple[str, ...]
    """What of the prompt it does not say, and what it says otherwise."""


def state_of_prompt(prompt: Prompt, schema: str) -> MadeState:
    """A state from which `CONVERSATION` sends the prompt, at its last point.

    Parameters:
        prompt: What was sent.
        schema: Address of the schema of state files, for editors.
    """
    leaves = PartLeaves()
    kept = leaves.sendable(prompt)
    conversation = conversation_of(kept)
    for number, step in enumerate(conversation.steps, 1):
        numbers = {message.turn for message in (*step.messages, *(each.answer for each in step.rounds))}
        leaves.told["a turn is not the step of its number"] += not numbers <= {None, number}
    top: Map = {
        "acdl_state": Leaf(VERSION),
        "spec": Leaf(SPEC),
        "at": Leaf(last_point(conversation), "the whole conversation"),
        "range": Leaf("inclusive"),
        **beside(leaves, kept),
        "sys": Leaf(
            {"instructions": Leaf([leaves.content(message.parts) for message in conversation.instructions])},
        ),
        "steps": Leaf(
            {str(at): Leaf(_step(leaves, step)) for at, step in enumerate(conversation.steps or (Step((), ()),), 1)}
        ),
    }
    return MadeState(text_of_state(top, schema, "A recorded conversation"), told(leaves))


def last_point(conversation: Conversation) -> str:
    """The point at which everything is sent."""
    steps = conversation.steps
    return f"{len(steps)}.{len(steps[-1].rounds)}" if steps else "1.0"


def beside(leaves: PartLeaves, prompt: Prompt) -> Map:
    """The sections for what goes beside the messages."""
    found = {"tools": leaves.tools(prompt.tools), "memory": leaves.memory(prompt.memory)}
    return {name: leaf for name, leaf in found.items() if leaf.value}


def text_of_state(top: Map, schema: str, about: str) -> str:
    """The lines of a state file."""
    head = [f"# yaml-language-server: $schema={one_line(schema)}", f"# {one_line(about)}"]
    return "\n".join([*head, *lines_of(top)]) + "\n"


def told(leaves: PartLeaves) -> tuple[str, ...]:
    """What was changed or left out, with how often."""
    return tuple(f"{what} ({count} times)" if count > 1 else what for what, count in leaves.told.items() if count)


def _step(leaves: PartLeaves, step: Step) -> Map:
    row: Map = {"env": Leaf({"messages": Leaf([_message(leaves, each) for each in step.messages])})}
    if step.rounds:
        row["substeps"] = Leaf({str(at): Leaf(_round(leaves, each)) for at, each in enumerate(step.rounds, 1)})
    return row


def _round(leaves: PartLeaves, given: Round) -> Map:
    messages = [_message(leaves, each) for each in given.after]
    return {
        "resp": Leaf({"answer": leaves.content(given.answer.parts)}),
        "env": Leaf({"messages": Leaf(messages)}),
    }


def _message(leaves: PartLeaves, message: Message) -> Leaf:
    return Leaf({"role": Leaf(message.role), "content": leaves.content(message.parts)})
