"""Explain specs in words: what each sends and when, how the prompt grows, and what it needs. Knows no format.

```python
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.evaluation.explain.explain import explain
from acdl_mkdocs.evaluation.explain.text import write
from acdl_mkdocs.foundation.source import Source

(explanation,) = explain(parse_and_resolve(Source("Chat[@T]: { U: env.question[@T] }")).resolved)
assert "`env.question` of the current turn" in write([explanation])
```
"""

from collections.abc import Container, Iterator, Sequence
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.explain.items import LOOP_ENDS, PROMPT_ENDS, ItemBuilder
from acdl_mkdocs.evaluation.explain.model import (
    ExamplePoint,
    Explanation,
    Item,
    Kind,
    Message,
    RequiredEntry,
    format_place,
)
from acdl_mkdocs.evaluation.explain.words import NEVER, TimeNames
from acdl_mkdocs.evaluation.state.shapes import InsertedText, ValueShape
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest, format_count
from acdl_mkdocs.language.names.resolve import Resolved, binding_part
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.nodes import (
    NAMESPACES,
    Comment,
    Field,
    File,
    Fragment,
    Prompt,
    RoleMessage,
    Symbol,
    TimeIndex,
    walk,
)
from acdl_mkdocs.language.syntax.pragmas import front_words, is_for_tools
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of

_BRANCHES = ("loop", "arm")
_First: TypeAlias = Literal["piece", "end"] | None
"""The first content: a piece at all times, or a possible end of the prompt; `None` if there is neither."""


def list_messages(items: Sequence[Item], again: Container[str]) -> Iterator[Message]:
    """Yield every message with a phrase for the loops and conditions around it.

    Parameters:
        items: The outline.
        again: Fragments that are used more than once; the outline has their messages at their first use.
    """
    may_end = False
    heads: dict[str, _First] = {}
    sure: set[int] = set()
    for top in items:
        _find_first(top, heads, sure)
    for top in items:
        for item, around in top.walk_items():
            may_end |= _is_end(item, PROMPT_ENDS)
            if item.kind == "message":
                when = _describe_occurrence(around, again, may_end, is_sure=id(item) in sure)
                yield Message(item.role, when, tuple(_describe_contents(item)), item.file, item.line)


def _describe_occurrence(around: Sequence[Item], again: Container[str], may_end: bool, *, is_sure: bool) -> str:
    heads = [each.text for each in around if each.kind in _BRANCHES]
    loops = [each for each in around if each.kind == "loop"]
    never = next((each for each in heads if each.startswith(NEVER)), None)
    description = never or ", and in it ".join(heads) or "always"
    if not is_sure:
        description += ", if there is anything in it"
    if may_end or any(_is_end(each, PROMPT_ENDS) for loop in loops for each, _ in loop.walk_items()):
        description += ", unless the prompt has ended before"
    if any(_has_break(each) for each in loops):
        description += ", unless the loop has ended before or continued with its next round"
    repeated = [each.fragment for each in around if each.fragment and each.fragment in again]
    return f"at each use of the fragment `{repeated[-1]}`; at the first: {description}" if repeated else description


def _is_end(item: Item, words: str) -> bool:
    return item.kind == "end" and item.text.endswith(words)


def _has_break(loop: Item) -> bool:
    """Return whether a loop can end early, or skip the rest of a round."""
    for each, around in loop.walk_items():
        inner = [outer for outer in around if outer.kind == "loop"]
        if any(_is_end(each, words) for words in LOOP_ENDS) and inner[-1:] == [loop]:
            return True
    return False


def _find_first(item: Item, heads: dict[str, _First], sure: set[int]) -> _First:
    """Return what an item begins with; each item is visited once, and uses of a fragment look up its first use.

    Parameters:
        item: The item.
        heads: What fragments begin with, by their first uses, which come before the others; one that uses itself adds
            nothing.
        sure: Takes the `id()` of each message that has a piece at all times.
    """
    inside = [_find_first(each, heads, sure) for each in item.items]
    first: _First = next((each for each in inside if each is not None), None)
    if item.kind == "fragment" and not item.items:
        return heads.get(item.fragment) if item.fragment else "piece"  # the content of an unknown fragment is not known
    if item.kind in ("content", "other") and item.is_sure:
        first = "piece"
    elif _is_end(item, PROMPT_ENDS):
        first = "end"
    if item.kind == "fragment":
        heads[item.fragment] = first
    if item.kind == "message" and first == "piece":
        sure.add(id(item))
    return None if item.kind in _BRANCHES and first == "piece" else first


def _describe_contents(message: Item) -> Iterator[str]:
    """Yield what a message can contain, each with the loops and conditions around it."""
    for each, around in message.walk_items():
        is_unknown = each.kind == "fragment" and not each.items
        if each.kind == "content" or is_unknown:
            heads = [outer.text for outer in around if outer.kind in _BRANCHES]
            yield f"{', '.join(heads)}: {each.text}" if heads else each.text


def find_growth(items: Sequence[Item], own: str) -> Iterator[str]:
    """Yield phrases for what has more rounds as time goes by, in the spec's own file and others."""
    for top in items:
        for item, around in top.walk_items():
            if any(each.grows for each in around):
                continue  # an item around it has the same growth
            messages = [each for each, _ in item.walk_items() if each.kind == "message"]
            roles = ", ".join(dict.fromkeys(each.text for each in messages))
            for each in item.grows:
                what = each.what or roles or "more pieces of the same message"
                limit = f" ({each.limit})" if each.limit and each.limit not in each.loop else ""
                yield f"{format_place(item.file, item.line, own)}: {each.loop}: {what}{limit}"


_ORIGINS = {
    "env": "the world outside: users, tools, documents",
    "sys": "the program itself",
    "resp": "earlier answers of the model",
}
_MOST_WORDS = 6


def find_required_entries(resolved: Resolved, prompts: Sequence[Prompt]) -> tuple[RequiredEntry, ...]:
    """Return the entries of a state that the specs of a text read, grouped by their origin."""
    reads = collect_reads(resolved, prompts)
    entries = [
        RequiredEntry(f"args.{name}", "who asks for the prompt", _describe_use(shape), "", tuple(shape.comments))
        for name, shape in reads.args.items()
    ]
    for namespace in NAMESPACES:
        entries += _list_values(namespace, reads.values.fields.get(namespace, ValueShape()), "")
    agent = reads.agents.by_key or ValueShape()
    for namespace in NAMESPACES:
        entries += _list_values(namespace, agent.fields.get(namespace, ValueShape()), "agents.NAME.")
    for name, inserted in sorted(reads.templates.items()):
        entries.append(
            RequiredEntry(
                f"templates.{name}",
                "the author of the prompts",
                _describe_template(inserted),
                "",
                _list_comments(inserted),
            )
        )
    for name, inserted in sorted(reads.functions.items()):
        entries.append(
            RequiredEntry(
                f"functions.{name}",
                "a function of the program",
                _describe_result(inserted),
                "",
                _list_comments(inserted),
            )
        )
    return tuple(entries)


def _list_values(namespace: str, tree: ValueShape, prefix: str) -> Iterator[RequiredEntry]:
    for name, shape in tree.fields.items():
        path = f"{prefix}{namespace}.{name}"
        yield RequiredEntry(
            path, _ORIGINS[namespace], _describe_use(shape), _describe_changes(shape), tuple(shape.comments)
        )


def _describe_changes(shape: ValueShape) -> str:
    """Describe how often a value, or a value inside it, changes."""
    times = set(shape.times)
    for each in (*shape.fields.values(), *filter(None, (shape.by_key,))):
        times |= each.times
    fixed = sorted({step for levels, step in times if levels and step is not None})
    levels = max((levels for levels, step in times if step is None), default=0)
    if levels:
        return "one for each step" if levels > 1 else "one for each turn"
    return f"only at turn {' and '.join(map(str, fixed))}" if fixed else "the same at all times"


def _describe_use(shape: ValueShape) -> str:
    """Describe how the spec uses a value."""
    uses: list[str] = []
    if shape.element is not None:
        inner = _format_fields(shape.element)
        uses.append(f"a list whose items have {inner}" if inner else "a list")
    if shape.by_key is not None:
        uses.append("a map that is looked into by key")
    if shape.fields:
        uses.append(f"a value with {_format_fields(shape)}")
    if shape.is_number:
        uses.append("a number")
    if shape.words:
        uses.append(f"a word such as {', '.join(f'`{each}`' for each in list(shape.words)[:_MOST_WORDS])}")
    if shape.is_text:
        uses.append("sent")
    if shape.is_condition:
        uses.append("looked at by a condition")
    return ", ".join(uses) or "read"


def _format_fields(shape: ValueShape) -> str:
    names = [f"`{name}`" for name in shape.fields]
    return ", ".join(names[:_MOST_WORDS]) + (" and more" if len(names) > _MOST_WORDS else "")


def _describe_template(inserted: InsertedText) -> str:
    slots = ", ".join(f"`{name}`" for name in inserted.params)
    return f"a text with slots for {slots}" if slots else "a text"


def _describe_result(inserted: InsertedText) -> str:
    return f"a sample of what it gives: {_describe_use(inserted.result)}"


def _list_comments(inserted: InsertedText) -> tuple[str, ...]:
    return tuple(inserted.comments)


_POINTS = {
    1: ("1", "2", "3"),
    2: ("1", "1.1", "1.2", "2", "2.1", "2.2"),
    3: ("1", "1.1", "1.1.1", "1.1.2", "1.2.1", "2.1.1"),
}
"""The points of examples, by the levels of the time; `1` is turn 1 before its first step."""
_LIMITS = Limits(iterations=5_000, statements=20_000, messages=500, characters=1_000_000)
_KINDS: dict[str, Kind] = {"string": "string-fragment", "roles": "roles-fragment"}
_CALLED = {
    "chat": "a chat prompt",
    "completion": "a completion prompt: one text, without roles",
    "snippet": "a part of a prompt, without a title",
    "string-fragment": "a string fragment: pieces that messages of other specs have in common",
    "roles-fragment": "a roles fragment: messages that other specs have in common",
}


def explain(
    resolved: Resolved, spec: str | None = None, config: Config | None = None, *, has_examples: bool = True
) -> tuple[Explanation, ...]:
    """Explain the specs of a text; its fragments if it has no spec, all of it if it has no title.

    Parameters:
        resolved: The text with resolved names.
        spec: Name of one spec or fragment to explain.
        config: How to read ranges if the text does not specify it.
        has_examples: Whether to evaluate the first points, which takes longer than everything else together.

    Raises:
        UnknownSpecError: The text has no definition of that name.
    """
    file = resolved.parsed.file
    defined = [item for item in file.items if isinstance(item, (Prompt, Fragment))]
    if spec is not None:
        chosen: Sequence[Prompt | Fragment | File] = [each.node for each in resolved.definitions.get(spec, ())][:1]
        if not chosen:
            raise UnknownSpecError(_describe_unknown_spec(resolved, spec, [each.name.name for each in defined]))
    else:
        chosen = [each for each in defined if isinstance(each, Prompt)] or defined or [file]
    run = _Explainer(resolved, config or Config(), has_examples)
    return tuple(run.explain_definition(each) for each in chosen)


def _describe_unknown_spec(resolved: Resolved, spec: str, names: Sequence[str]) -> str:
    near = find_closest(spec, names)
    listed = ", ".join(f"`{each}`" for each in names)
    hint = f"did you mean `{near}`?" if near else f"there are {listed}" if listed else "it defines nothing"
    return f"{resolved.source.name} has no spec or fragment `{spec}`; {hint}"


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Explains the definitions of one text."""

    resolved: Resolved
    config: Config
    has_examples: bool

    def explain_definition(self, node: Prompt | Fragment | File) -> Explanation:
        mode = range_mode(self.resolved, self.config)
        telling = ItemBuilder(self.resolved, mode, inside=[node])
        source = self.resolved.source
        levels = _find_levels(node)
        body = node.items if isinstance(node, File) else node.body
        own = map(binding_part, node.parameters) if isinstance(node, Fragment) else ()
        fixed = frozenset(each.name for each in own if isinstance(each, (TimeIndex, Symbol)))
        items = telling.build_items(body, source, TimeNames(levels, mode, fixed))
        kind = _find_kind(node)
        needs = (
            find_required_entries(self.resolved, [node] if isinstance(node, Prompt) else [])
            if not isinstance(node, Fragment)
            else ()
        )
        messages = tuple(list_messages(items, telling.again))
        return Explanation(
            name="" if isinstance(node, File) else node.name.name,
            title="" if isinstance(node, File) else _format_title(node),
            kind=kind,
            summary=_summarize_definition(node, kind, levels, messages, needs, items),
            about=self._read_front_comments(node),
            file=source.name,
            line=source.find_place(node.span.start).line,
            items=items,
            messages=messages,
            growing=tuple(find_growth(items, source.name)),
            moments=self._evaluate_examples(node, levels) if not isinstance(node, Fragment) else (),
            names=tuple(telling.names),
            needed=needs,
            fragments=tuple(telling.fragments),
            unknown=tuple(telling.unknown),
        )

    def _read_front_comments(self, node: Prompt | Fragment | File) -> str:
        """Return the comments right above a definition, without those for tools."""
        above: list[Comment] = []
        for item in self.resolved.parsed.file.items if not isinstance(node, File) else ():
            if item is node:
                break
            above = [*above, item] if isinstance(item, Comment) else []
        comments = [" ".join(each.text.split()) for each in above if not is_for_tools(each) and not front_words([each])]
        return " ".join(filter(None, (each.lstrip("*").strip() for each in comments)))

    def _evaluate_examples(self, node: Prompt | File, levels: tuple[str, ...]) -> tuple[ExamplePoint, ...]:
        """Return the messages sent at the first points."""
        if not self.has_examples or (isinstance(node, File) and not node.is_snippet):
            return ()
        name = node.name.name if isinstance(node, Prompt) else None
        options = Options(spec=name, missing="placeholder", limits=_LIMITS)
        examples: list[ExamplePoint] = []
        for point in _POINTS[min(max(len(levels), 1), len(_POINTS))]:
            transcript = evaluate(self.resolved, None, point, options, self.config)
            if any(each.diagnostic.rule == "evaluation-limit" for each in transcript.findings):
                break
            roles = tuple(message.role for message in transcript.messages)
            examples.append(
                ExamplePoint(point, roles, tuple(dict.fromkeys(each.condition for each in transcript.choices)))
            )
        return tuple(examples)


def _find_levels(node: Prompt | Fragment | File) -> tuple[str, ...]:
    """Return the names of the current turn and step in the title of a spec; empty for a fragment."""
    if isinstance(node, File):
        return ("T", "I")
    for parameter in map(binding_part, node.parameters) if isinstance(node, Prompt) else ():
        if isinstance(parameter, TimeIndex):
            return (parameter.name, *(part.name for part in parameter.parts if isinstance(part, Field)))
    return ()


def _format_title(node: Prompt | Fragment) -> str:
    written = ", ".join(text_of(words_of(each, WRITTEN)) for each in node.parameters)
    return f"{node.name.name}[{written}]" if written else node.name.name


def _find_kind(node: Prompt | Fragment | File) -> Kind:
    if isinstance(node, Fragment):
        return _KINDS[node.kind]
    if isinstance(node, File):
        return "snippet"
    roles = {each.role for each in walk(node) if isinstance(each, RoleMessage)}
    return "completion" if roles == {"none"} else "chat"


def _summarize_definition(
    node: Prompt | Fragment | File,
    kind: Kind,
    levels: tuple[str, ...],
    messages: Sequence[Message],
    needs: Sequence[RequiredEntry],
    items: Sequence[Item],
) -> str:
    """Summarize a definition in two sentences."""
    name = f"`{_format_title(node)}`" if not isinstance(node, File) else "This text"
    sentences = [f"{name} is {_CALLED[kind]}."]
    if isinstance(node, Prompt):
        clock = {0: "It does not depend on time.", 1: f"It is built once for each turn `{''.join(levels[:1])}`."}
        two = f"It is built at each step `{''.join(levels[1:2])}` of each turn `{''.join(levels[:1])}`."
        sentences.append(clock.get(len(levels), two))
        others = [
            text_of(words_of(each, WRITTEN)) for each in map(binding_part, node.parameters) if isinstance(each, Symbol)
        ]
        if others:
            sentences.append(f"It also depends on {', '.join(f'`{each}`' for each in others)}.")
        if any(each.path.startswith("agents.") for each in needs):
            sentences.append("Several agents take part, and each has values of its own.")
    if messages:
        always = sum(each.when == "always" for each in messages)
        are = "is" if always == 1 else "are"
        sent = f"{always} of them {are} always sent, once" if always else "none of them is always sent"
        sentences.append(f"Its text has {format_count(len(messages), 'message')}; {sent}.")
    elif isinstance(node, File) and not items:
        return "This text says nothing that is sent."
    return " ".join(sentences)
