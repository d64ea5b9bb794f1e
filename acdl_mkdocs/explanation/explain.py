"""Explain specs in words: what each sends, when, how that grows, and what it needs. Deterministic; knows no format.

```python
from acdl_mkdocs.language.analyse import understand
from acdl_mkdocs.explanation.explain import explain
from acdl_mkdocs.explanation.text import write
from acdl_mkdocs.foundation.source import Source

(explanation,) = explain(understand(Source("Chat[@T]: { U: env.question[@T] }")).resolved)
assert "`env.question` of the present turn" in write([explanation])
```
"""

from collections.abc import Sequence

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.limits import Limits
from acdl_mkdocs.explanation.items import Telling
from acdl_mkdocs.explanation.messages import growing, messages_of
from acdl_mkdocs.explanation.needed import needed
from acdl_mkdocs.explanation.told import Explanation, Item, Kind, Message, Moment, Needed
from acdl_mkdocs.explanation.words import Now
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest, counted
from acdl_mkdocs.language.names.resolve import Resolved, bare
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.nodes import (
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

_POINTS = {
    1: ("1", "2", "3"),
    2: ("1", "1.1", "1.2", "2", "2.1", "2.2"),
    3: ("1", "1.1", "1.1.1", "1.1.2", "1.2.1", "2.1.1"),
}
"""Where examples are taken, by the levels of the time; `1` is turn 1 before its first step."""
_LIMITS = Limits(iterations=5_000, statements=20_000, messages=500, characters=1_000_000)
_KINDS: dict[str, Kind] = {"string": "string-fragment", "roles": "roles-fragment"}
_CALLED = {
    "chat": "a chat prompt",
    "completion": "a completion prompt: one text, without roles",
    "snippet": "a part of a prompt, without a title",
    "string-fragment": "a string fragment: pieces that messages of other specs have in common",
    "roles-fragment": "a roles fragment: messages that other specs have in common",
}


def explain(resolved: Resolved, spec: str | None = None, config: Config | None = None) -> tuple[Explanation, ...]:
    """The specs of a text in words; its fragments if it has no spec, all of it if it has no title.

    Parameters:
        resolved: The text, its names resolved.
        spec: Name of the one spec or fragment that is wanted.
        config: How ranges are read where the text does not say it.

    Raises:
        UnknownSpecError: The text has no definition of that name.
    """
    file = resolved.parsed.file
    defined = [item for item in file.items if isinstance(item, Prompt | Fragment)]
    if spec is not None:
        chosen: Sequence[Prompt | Fragment | File] = [each for each in defined if each.name.name == spec][:1]
        if not chosen:
            raise UnknownSpecError(_unknown(resolved, spec, [each.name.name for each in defined]))
    else:
        chosen = [each for each in defined if isinstance(each, Prompt)] or defined or [file]
    run = _Run(resolved, config or Config())
    return tuple(run.explanation(each) for each in chosen)


def _unknown(resolved: Resolved, spec: str, names: Sequence[str]) -> str:
    near = closest(spec, names)
    listed = ", ".join(f"`{each}`" for each in names)
    hint = f"did you mean `{near}`?" if near else f"there are {listed}" if listed else "it defines nothing"
    return f"{resolved.source.name} has no spec or fragment `{spec}`; {hint}"


@dataclass(frozen=True, slots=True)
class _Run:
    """What all definitions of a text have in common."""

    resolved: Resolved
    config: Config

    def explanation(self, node: Prompt | Fragment | File) -> Explanation:
        telling = Telling(self.resolved, inside=[node])
        source = self.resolved.source
        levels = _levels(node)
        body = node.items if isinstance(node, File) else node.body
        own = map(bare, node.parameters) if isinstance(node, Fragment) else ()
        fixed = frozenset(each.name for each in own if isinstance(each, TimeIndex | Symbol))
        items = telling.statements(body, source, Now(levels, range_mode(self.resolved, self.config), fixed))
        kind = _kind(node)
        needs = (
            needed(self.resolved, [node] if isinstance(node, Prompt) else []) if not isinstance(node, Fragment) else ()
        )
        messages = tuple(messages_of(items, telling.again))
        return Explanation(
            name="" if isinstance(node, File) else node.name.name,
            title="" if isinstance(node, File) else _title(node),
            kind=kind,
            summary=_summary(node, kind, levels, messages, needs, items),
            about=self._about(node),
            file=source.name,
            line=source.place(node.span.start).line,
            items=items,
            messages=messages,
            growing=tuple(growing(items)),
            moments=self._moments(node, levels) if not isinstance(node, Fragment) else (),
            names=tuple(telling.names),
            needed=needs,
            fragments=tuple(telling.fragments),
            unknown=tuple(telling.unknown),
        )

    def _about(self, node: Prompt | Fragment | File) -> str:
        """The comments right above a definition, without those that speak to tools."""
        above: list[Comment] = []
        for item in self.resolved.parsed.file.items if not isinstance(node, File) else ():
            if item is node:
                break
            above = [*above, item] if isinstance(item, Comment) else []
        said = [" ".join(each.text.split()) for each in above if not is_for_tools(each) and not front_words([each])]
        return " ".join(filter(None, (each.lstrip("*").strip() for each in said)))

    def _moments(self, node: Prompt | File, levels: tuple[str, ...]) -> tuple[Moment, ...]:
        """What is sent at the first points."""
        if isinstance(node, File) and not node.is_snippet:
            return ()
        name = node.name.name if isinstance(node, Prompt) else None
        options = Options(spec=name, missing="placeholder", limits=_LIMITS)
        found: list[Moment] = []
        for point in _POINTS[min(max(len(levels), 1), len(_POINTS))]:
            transcript = evaluate(self.resolved, None, point, options, self.config)
            if any(each.diagnostic.rule == "evaluation-limit" for each in transcript.findings):
                break
            roles = tuple(message.role for message in transcript.messages)
            found.append(Moment(point, roles, tuple(dict.fromkeys(each.condition for each in transcript.choices))))
        return tuple(found)


def _levels(node: Prompt | Fragment | File) -> tuple[str, ...]:
    """What the title of a spec calls the present turn and step; a fragment does not know what is present."""
    if isinstance(node, File):
        return ("T", "I")
    for parameter in map(bare, node.parameters) if isinstance(node, Prompt) else ():
        if isinstance(parameter, TimeIndex):
            return (parameter.name, *(part.name for part in parameter.parts if isinstance(part, Field)))
    return ()


def _title(node: Prompt | Fragment) -> str:
    written = ", ".join(text_of(words_of(each, WRITTEN)) for each in node.parameters)
    return f"{node.name.name}[{written}]" if written else node.name.name


def _kind(node: Prompt | Fragment | File) -> Kind:
    if isinstance(node, Fragment):
        return _KINDS[node.kind]
    if isinstance(node, File):
        return "snippet"
    roles = {each.role for each in walk(node) if isinstance(each, RoleMessage)}
    return "completion" if roles == {"none"} else "chat"


def _summary(
    node: Prompt | Fragment | File,
    kind: Kind,
    levels: tuple[str, ...],
    messages: Sequence[Message],
    needs: Sequence[Needed],
    items: Sequence[Item],
) -> str:
    """What it is, in two sentences."""
    name = f"`{_title(node)}`" if not isinstance(node, File) else "This text"
    said = [f"{name} is {_CALLED[kind]}."]
    if isinstance(node, Prompt):
        clock = {0: "It does not depend on time.", 1: f"It is built once for each turn `{''.join(levels[:1])}`."}
        two = f"It is built at each step `{''.join(levels[1:2])}` of each turn `{''.join(levels[:1])}`."
        said.append(clock.get(len(levels), two))
        others = [text_of(words_of(each, WRITTEN)) for each in map(bare, node.parameters) if isinstance(each, Symbol)]
        if others:
            said.append(f"It also depends on {', '.join(f'`{each}`' for each in others)}.")
        if any(each.path.startswith("agents.") for each in needs):
            said.append("Several agents take part, and each has values of its own.")
    if messages:
        always = sum(each.when == "always" for each in messages)
        are = "is" if always == 1 else "are"
        sent = f"{always} of them {are} always sent, once" if always else "none of them is always sent"
        said.append(f"Its text has {counted(len(messages), 'message')}; {sent}.")
    elif isinstance(node, File) and not items:
        return "This text says nothing that is sent."
    return " ".join(said)
