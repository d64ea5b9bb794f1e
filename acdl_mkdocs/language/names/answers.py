"""The prompt of a turn that gives an answer.

A turn may make several calls, each with its own prompt. While one of them is built, the answers of the earlier calls of
that turn exist, but not its own answer. A text does not define the order of its prompts, so the decision depends on
their names, and on the message in which an answer is read.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.language.names.outline import Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import is_current
from acdl_mkdocs.language.syntax.nodes import (
    ContextVar,
    Field,
    Fragment,
    FragUse,
    Index,
    Node,
    Prompt,
    RoleMessage,
    String,
    Symbol,
    TimeIndex,
    walk,
)

AnswerSource: TypeAlias = Literal["another", "perhaps another", "itself"]
"""The prompt of a turn that gives an answer: another one, one that is missing from the text, or the one that reads
it."""

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])")
_LEAST_STEM = 4
"""Words that begin with the same four letters are about the same: `Router` and `route`, `Summarizer` and `summary`."""


def find_current_answers(resolved: Resolved) -> Iterator[tuple[ContextVar, TimeIndex]]:
    """Yield the `resp` variables at the time that the prompt is built for (`@T` or `@T.I`), each with its time."""
    tree = build_outline(resolved.parsed.file)
    for variable in tree.nodes_of(ContextVar):
        if variable.namespace != "resp":
            continue
        now = next(
            (each for each in _find_times(variable) if _is_whole(each) and is_current(each, resolved, tree)), None
        )
        if now is not None:
            yield variable, now


def find_answer_source(variable: ContextVar, resolved: Resolved) -> AnswerSource:
    """Return which prompt gives an answer of the current turn.

    Another one of the text, its page or the files that it uses does if that prompt is named after the answer:
    `resp.route` is the answer of `Router`. It also does if no name suggests another prompt, it does not itself read the
    answer in that turn, and the answer is passed on in a message that is not the Assistant's, or is an Assistant
    message that is not the last one: a prompt that ends with the very answer that it requests is a mistake. Without
    another prompt, an answer that is passed on, and never sent as the Assistant's elsewhere, may come from a prompt
    that is not in the text.
    """
    tree = build_outline(resolved.parsed.file)
    own = _own_prompts(tree.definition_of(variable), resolved)
    others = [prompt for prompt in _all_prompts(resolved) if prompt not in own]
    together = [prompt for prompt in others if _has_same_clock(prompt, own)]
    named = max(
        (
            _name_similarity(each, variable)
            for each in others
            if each in together or _name_similarity(each, variable) == 1
        ),
        default=0,
    )
    itself = max((_name_similarity(prompt, variable) for prompt in own), default=0)
    if named or itself == 1 or not own:
        return "another" if named >= itself and own else "itself"
    givers = [prompt for prompt in together if not _reads_now(prompt, _answer_name(variable))]
    message = _find_message(variable, tree)
    if message is None:
        return "another" if givers else "itself"
    is_replayed = any(
        each is not variable for each in _replayed_answers(tree.definition_of(variable), _answer_name(variable))
    )
    is_data = message.role != "assistant" or not (is_replayed or _is_last(message, tree))
    if is_data or (givers and not _is_last(message, tree)):
        return "another" if givers else "perhaps another"
    return (
        "another"
        if not is_replayed and any(any(_replayed_answers(each, _answer_name(variable))) for each in givers)
        else "itself"
    )


def _all_prompts(resolved: Resolved) -> list[Prompt]:
    """Return the prompts of the text, its page and the files that it uses."""
    nodes = [entry.node for entries in resolved.definitions.values() for entry in entries]
    texts = [each for level in resolved.library.levels[:2] for each in level]
    nodes += [entry.node for text in texts for entries in text.values() for entry in entries]
    return [node for node in nodes if isinstance(node, Prompt)]


def _own_prompts(definition: Prompt | Fragment | None, resolved: Resolved) -> list[Prompt]:
    """Return the prompts that send a variable: the one around it, or those that use the fragment around it."""
    if isinstance(definition, Prompt):
        return [definition]
    prompts = [entry.node for entries in resolved.definitions.values() for entry in entries]
    users = {each: _used_fragments(each) for each in prompts}
    names = {definition.name.name} if definition is not None else set()
    while True:
        new_names = {each.name.name for each, used in users.items() if used & names} - names
        if not new_names:
            return [each for each in prompts if isinstance(each, Prompt) and each.name.name in names]
        names |= new_names


def _used_fragments(definition: Prompt | Fragment) -> set[str]:
    return {node.name.name for node in walk(definition) if isinstance(node, FragUse)}


def _has_same_clock(prompt: Prompt, own: list[Prompt]) -> bool:
    """Return whether two prompts may be built in the same turn: their turns share a name, or one has none."""
    turns, others = _turn_names(prompt), {turn for each in own for turn in _turn_names(each)}
    return not turns or not others or bool(turns & others)


def _turn_names(prompt: Prompt) -> set[str]:
    return {each.name for each in prompt.parameters if isinstance(each, TimeIndex)}


def _name_similarity(prompt: Prompt, variable: ContextVar) -> float:
    """Return the share of words in a prompt's name that match the variable: 1 for `Router` and `resp.route`."""
    words = _split_words(prompt.name.name)
    answer_words = [word for name in _answer_names(variable) for word in _split_words(name)]
    return sum(any(_is_like(word, other) for other in answer_words) for word in words) / max(len(words), 1)


def _answer_names(variable: ContextVar) -> Iterator[str]:
    """Yield the names that identify an answer: `route` of `resp.route[@T]`, `judge` of `resp[judge].verdict[@T]`."""
    for part in variable.parts:
        if isinstance(part, Field):
            yield part.name
        elif isinstance(part, Index):
            yield from (each.name for each in part.values if isinstance(each, Symbol))
            yield from (each.value for each in part.values if isinstance(each, String))


def _split_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _is_like(word: str, other: str) -> bool:
    return word == other or (len(word) >= _LEAST_STEM and word[:_LEAST_STEM] == other[:_LEAST_STEM])


def _answer_name(variable: ContextVar) -> str:
    return next(_answer_names(variable), "")


def _reads_now(prompt: Prompt, name: str) -> bool:
    """Return whether a prompt reads an answer of its own turn."""
    return any(
        _answer_name(each) == name and any(time.name.isupper() and _is_whole(time) for time in _find_times(each))
        for each in _answers_in(prompt)
    )


def _answers_in(node: Node) -> Iterator[ContextVar]:
    return (each for each in walk(node) if isinstance(each, ContextVar) and each.namespace == "resp")


def _find_message(variable: ContextVar, outline: Outline) -> RoleMessage | None:
    """Return the message around a variable."""
    node: Node | None = variable
    while node is not None and not isinstance(node, RoleMessage):
        node = outline.parents.get(node)
    return node


def _is_last(message: RoleMessage, outline: Outline) -> bool:
    """Return whether no message follows in the same definition."""
    definition, start = outline.definition_of(message), message.span.start
    return not any(
        each.span.start > start and outline.definition_of(each) is definition for each in outline.nodes_of(RoleMessage)
    )


def _replayed_answers(node: Node | None, name: str) -> Iterator[ContextVar]:
    """Yield the answers of that name in Assistant messages."""
    nodes = walk(node) if node is not None else ()
    messages = (each for each in nodes if isinstance(each, RoleMessage) and each.role == "assistant")
    return (answer for message in messages for answer in _answers_in(message) if _answer_name(answer) == name)


def _find_times(variable: ContextVar) -> list[TimeIndex]:
    indices = [part for part in variable.parts if isinstance(part, Index)]
    return [each for index in indices for each in index.values if isinstance(each, TimeIndex)]


def _is_whole(time: TimeIndex) -> bool:
    """Return whether a time is `@T` or `@T.I`; the `i` of `@T.i` is an earlier step."""
    return all(isinstance(part, Field) and part.name.isupper() for part in time.parts)
