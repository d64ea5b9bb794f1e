"""`repair_tree()`: a tree that follows the grammar, from one with recognizable errors; every change is reported.

Only errors with one meaning are repaired. Words beside the elements of a message become a text; elsewhere they are
left out, and so are unknown attributes. Nothing else is ever turned into a call; a call in a message of the user
stays in place, and is a problem.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import is_

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml.grammar import ELEMENT_NAMES, KINDS, ROOTS, ElementKind
from acdl_mkdocs.prompts.pml.limits import Limits
from acdl_mkdocs.prompts.pml.problems import Repair
from acdl_mkdocs.prompts.pml.tree import Element, find_attribute, find_gaps, find_loose_text, find_start_tag, read_tree
from acdl_mkdocs.prompts.pml.validate import HOMES, find_order_fault

PARTS = frozenset(("text", "attachment", "thinking", "call"))
_OF_MODEL = frozenset(("thinking", "call"))
MESSAGES = frozenset(("user", "assistant", "tool_output", "x:message"))


class TooManyRepairsError(Exception):
    """A text needs so many repairs that it is not PML."""

    def __init__(self, span: Span) -> None:
        super().__init__("too many repairs")
        self.span = span


class TurnRepairs:
    """The repairs so far, and the repair of turns."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.repairs: list[Repair] = []
        self.begins_conversation: int | None = None
        """Start of the first element that belongs to a conversation but is outside one."""

    def report_repair(self, element: Element, message: str) -> None:
        """Report a change of an element."""
        self.report_repair_at(find_start_tag(self.text, element), message)

    def report_repair_at(self, span: Span, message: str, lost: str = "") -> None:
        """Report a change at a position."""
        if len(self.repairs) >= self.limits.repairs:
            raise TooManyRepairsError(span)
        self.repairs.append(Repair(span, message, lost))

    def report_omission(self, span: Span, what: str) -> None:
        """Report content that is left out."""
        self.report_repair_at(span, f"{what} is left out", what)

    def repair_turns(self, elements: Iterable[Element]) -> Iterator[Element]:
        """Yield turns and instructions, from turns, messages and parts of messages."""
        loose: list[Element] = []
        for child in elements:
            if child.name in MESSAGES | PARTS or (child.name == "system" and loose):
                loose.append(child)
                continue
            yield from self.group_loose_turns(loose)
            loose = []
            yield from self.order_turns(child) if child.name == "turn" else (child,)
        yield from self.group_loose_turns(loose)

    def group_loose_turns(self, loose: list[Element]) -> Iterator[Element]:
        """Yield turns for messages outside a turn."""
        if not loose:
            return
        if loose[0].start != self.begins_conversation and any(child.name != "x:message" for child in loose):
            self.report_repair(loose[0], f"`<{loose[0].name}>` and what follows is read as a separate turn")
        turn = loose[0]._replace(name="turn", attributes={}, text="", elements=tuple(_group_messages(loose)))
        yield from self.order_turns(turn)

    def order_turns(self, turn: Element) -> Iterator[Element]:
        """Yield one turn, or several if it has several messages of the user."""
        elements = turn.elements
        messages = [part for each in elements for part in self.split_message(each)]
        turns: list[list[Element]] = [[]]
        is_begun = False
        for message in messages:
            if message.name == "user" and is_begun:
                self.report_repair(message, "this `<user>` is read as the beginning of another turn")
                turns.append([])
            is_begun = is_begun or message.name in {"user", "assistant"}
            turns[-1].append(message)
        if len(messages) == len(elements) and len(turns) == 1:
            yield turn
            return
        for each in turns:
            yield turn._replace(elements=tuple(each))

    def split_message(self, message: Element) -> Iterator[Element]:
        """Split a message of the model if words follow a call."""
        kind = KINDS["assistant"]
        own = [
            each.name for each in message.elements if each.name in kind.children and each.name not in kind.extensions
        ]
        if message.name != "assistant" or find_order_fault(kind, own) is None:
            yield message
            return
        self.report_repair(message, "what follows a `<call>` is read as another message")
        parts: list[Element] = []
        for part in message.elements:
            if parts and parts[-1].name == "call" and part.name != "call":
                yield message._replace(elements=tuple(parts))
                parts = []
            parts.append(part)
        yield message._replace(elements=tuple(parts))


def _group_messages(loose: Sequence[Element]) -> Iterator[Element]:
    """Yield messages; neighbouring loose parts form one message."""
    parts: list[Element] = []
    for child in loose:
        if child.name in PARTS:
            parts.append(child)
            continue
        yield from _make_message(parts)
        parts = []
        yield child
    yield from _make_message(parts)


def _make_message(parts: Sequence[Element]) -> Iterator[Element]:
    if parts:
        name = "assistant" if any(part.name in _OF_MODEL for part in parts) else "user"
        yield parts[0]._replace(name=name, attributes={}, text="", elements=tuple(parts))


_HOLDERS = frozenset(("user", "assistant", "system", "x:message"))


def repair_tree(root: Element, text: str, limits: Limits) -> tuple[Element, tuple[Repair, ...]]:
    """Return the repaired tree and its repairs, in document order.

    Parameters:
        root: The root of the document, or a fragment of one.
        text: The source, for places.
        limits: How many repairs may be made.

    Raises:
        TooManyRepairsError: It needs more.
    """
    repairing = _Repairer(text, limits)
    root = repairing.make_root(repairing.rename_element(root))
    if root.name in ROOTS:
        root = repairing.repair_element(root, KINDS[root.name])
    repairs = sorted(repairing.repairs, key=lambda each: (each.span.start, each.span.end))
    return root, tuple(repairs)


class _Repairer(TurnRepairs):
    """One walk through a tree."""

    def __init__(self, text: str, limits: Limits) -> None:
        super().__init__(text, limits)
        self.namespaces: set[str] = set()
        """Prefixes whose namespace means nothing."""

    def rename_element(self, element: Element) -> Element:
        """Return an element with the names of PML, without prefixes and aliases."""
        name = element.name
        namespace, _, local = name.rpartition("}")
        if namespace and local in ELEMENT_NAMES:
            if namespace not in self.namespaces:
                self.report_repair(element, f"the namespace `{namespace[1:]}` is read as none")
                self.namespaces.add(namespace)
            name = local
        if name == "tool_result":
            self.report_repair(element, "`<tool_result>` is read as `<tool_output>`")
            name = "tool_output"
        change = self.make_attachment if name in _HOLDERS else self.make_memory_entry if name == "memory" else None
        elements = [
            change(self.rename_element(child)) if change else self.rename_element(child) for child in element.elements
        ]
        if name in HOMES and element.text and not element.text.isspace():
            elements = self.wrap_text(element, HOMES[name], elements)
            element = element._replace(text="")
        return _replace_content(element, name, element.attributes, elements)

    def wrap_text(self, element: Element, home: str, elements: Sequence[Element]) -> list[Element]:
        """Return the elements of a message, or of the memory, with each run of words wrapped in an element."""
        wrapped: list[Element] = []
        at, byte = element.span.start, element.start
        for number, (start, end) in enumerate(find_gaps(self.text, element)):
            spelled = self.text[start:end].strip()
            if not spelled:
                wrapped += elements[number : number + 1]
                continue
            tree = read_tree(f"<{home}>{spelled}</{home}>", is_lenient=True)
            words = tree.root.text.strip() if tree.root is not None else ""
            if words:
                start = self.text.index(spelled, start)
                self.report_repair_at(
                    Span(start, start + len(spelled)), f"words in `<{element.name}>` are read as `<{home}>`"
                )
                byte += len(self.text[at:start].encode())
                n_bytes = len(spelled.encode())
                wrapped.append(Element(home, {}, words, (), byte, byte + n_bytes, element.offsets))
                at, byte = start + len(spelled), byte + n_bytes
            wrapped += elements[number : number + 1]
        return wrapped

    def make_attachment(self, part: Element) -> Element:
        """Turn `<file>`, `<context>` and other unknown elements of a message into attachments."""
        if (
            part.name in ELEMENT_NAMES
            or part.name.startswith("{")
            or any(each.name != "content" for each in part.elements)
        ):
            return part
        self.report_repair(part, f'`<{part.name}>` is read as `<attachment type="{part.name}">`')
        return part._replace(name="attachment", attributes={"type": part.name, **part.attributes})

    def make_memory_entry(self, entry: Element) -> Element:
        """Turn elements of any name in the memory into contents with a label."""
        if entry.name in ELEMENT_NAMES or entry.name.startswith("{") or entry.elements:
            return entry
        self.report_repair(entry, f'`<{entry.name}>` is read as `<content label="{entry.name}">`')
        return entry._replace(name="content", attributes={"label": entry.name, **entry.attributes})

    def make_root(self, root: Element) -> Element:
        """Return a document for a fragment or for several roots."""
        if root.name == "prompt":
            return self.repair_prompt(root)
        if root.name not in (PARTS | MESSAGES | {"turn", "system"}):
            return root
        self.begins_conversation = root.start
        self.report_repair(root, f"`<{root.name}>` is read as a separate conversation")
        return root._replace(name="conversation", attributes={}, text="", elements=tuple(self.repair_turns([root])))

    def repair_prompt(self, root: Element) -> Element:
        """Return a prompt with its parts in order, each once."""
        attributes = dict(root.attributes)
        elements = tuple(self.flatten_prompts(root, attributes, is_told=self.is_written(root)))
        root = root._replace(attributes=attributes, text="", elements=elements)
        sections = {name: [child for child in elements if child.name == name] for name in ROOTS[1:]}
        others = [child for child in elements if child.name in KINDS["prompt"].extensions]
        part_names = {*sections, *KINDS["prompt"].extensions}
        loose = [child for child in elements if child.name not in part_names]
        names = [child.name for child in elements if child.name in sections]
        if not loose and find_order_fault(KINDS["prompt"], names) is None:
            return root
        foreign = [child for child in loose if child.name not in ELEMENT_NAMES]
        loose = [child for child in loose if child.name in ELEMENT_NAMES]
        order = [self.join_elements(sections[name]) for name in ("memory", "tools", "conversation") if sections[name]]
        if list(dict.fromkeys(names)) != [section.name for section in order]:
            self.report_repair(root, "`<memory>`, `<tools>` and `<conversation>` are read in this order")
        what = "part of the conversation" if sections["conversation"] else "a separate conversation"
        if not sections["conversation"]:
            order.append(root._replace(name="conversation", attributes={}, text="", elements=()))
        if loose:
            self.begins_conversation = loose[0].start
            self.report_repair(loose[0], f"`<{loose[0].name}>` and what follows is read as {what}")
            order[-1] = order[-1]._replace(elements=(*order[-1].elements, *loose))
        elif not sections["conversation"]:
            self.report_repair(root, "`<prompt>` is read as if it had a `<conversation>`")
        return root._replace(elements=(*foreign, *order, *others))

    def is_written(self, root: Element) -> bool:
        """Return whether the source has this prompt; not if several roots were put into one, which is reported."""
        at = root.span.start
        return self.text.startswith("<prompt", at) and all(child.span.start > at for child in root.elements[:1])

    def flatten_prompts(self, prompt: Element, attributes: dict[str, str], *, is_told: bool) -> Iterator[Element]:
        """Yield the content of a prompt and of prompts inside it, and collect their attributes."""
        for child in self.remove_text(prompt).elements:
            if child.name != "prompt":
                yield child
                continue
            if is_told:
                self.report_repair(child, "this `<prompt>` is read as part of the one around it")
            for name, value in child.attributes.items():
                if attributes.setdefault(name, value) != value:
                    self.report_omission(
                        find_attribute(self.text, child, name), f"the attribute `{name}` of `<prompt>`"
                    )
            yield from self.flatten_prompts(child, attributes, is_told=True)

    def join_elements(self, same: Sequence[Element]) -> Element:
        """Join elements of the same name."""
        for other in same[1:]:
            self.report_repair(other, f"this `<{other.name}>` is read as part of the first")
        elements = tuple(child for each in same for child in each.elements)
        return same[0]._replace(text="".join(each.text for each in same), elements=elements)

    def repair_element(self, element: Element, kind: ElementKind) -> Element:
        """Repair an element and its content: remove what PML does not know, and put it in order."""
        elements: Iterable[Element] = self.keep_known_elements(element)
        if kind.key == "conversation":
            elements = self.repair_turns(elements)
        mended: list[Element] = []
        for child in elements:
            inner = kind.children.get(child.name)
            mended.append(self.repair_element(child, KINDS[inner]) if inner else child)
        if mended or not kind.is_text:
            element = self.remove_text(element)
        return _replace_content(element, element.name, dict(self.repair_attributes(element, kind)), mended)

    def remove_text(self, element: Element) -> Element:
        """Return an element without the text between its elements."""
        if not element.text or element.text.isspace():
            return element
        self.report_omission(find_loose_text(self.text, element), f"text between the elements of `<{element.name}>`")
        return element._replace(text="")

    def repair_attributes(self, element: Element, kind: ElementKind) -> Iterator[tuple[str, str]]:
        """Yield the attributes that PML knows."""
        for name, value in element.attributes.items():
            if name in kind.known_attributes or (kind.has_any_attribute and not name.startswith(("{", "x:"))):
                yield name, value
            else:
                span = find_attribute(self.text, element, name)
                local_name = name.rpartition("}")[2]
                self.report_omission(span, f"the attribute `{local_name}` of `<{element.name}>`")

    def keep_known_elements(self, element: Element) -> Iterator[Element]:
        """Yield its elements, without those of other namespaces."""
        for child in element.elements:
            if child.name.startswith("{"):
                what = f"`<{child.name.rpartition('}')[2]}>` of another namespace"
                self.report_omission(find_start_tag(self.text, child), what)
            else:
                yield child


def _replace_content(
    element: Element, name: str, attributes: Mapping[str, str], elements: Sequence[Element]
) -> Element:
    """Return an element with other content; the same object if nothing differs."""
    is_same = len(elements) == len(element.elements) and all(map(is_, elements, element.elements))
    if is_same and name == element.name and len(attributes) == len(element.attributes):
        return element
    return element._replace(name=name, attributes=attributes, elements=tuple(elements))
