"""The text of a template with its arguments filled in; without a text, a visible stand-in."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.functions import called
from acdl_mkdocs.evaluation.moment import Moment
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state import TemplateText
from acdl_mkdocs.evaluation.values import Unknown, Value, text_of
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.syntax.nodes import Template

SLOT = re.compile(r"\{\{\s*([^\s{}]+)\s*\}\}")
"""Where an argument goes: `{{role}}`."""


class Templates:
    """The texts of a state."""

    def __init__(self, texts: Mapping[str, TemplateText], moment: Moment) -> None:
        self.texts = texts
        self.moment = moment
        self.slots: dict[str, list[str]] = {}

    def value(self, node: Template, args: Sequence[Value], here: Here) -> Value:
        """The text of a template; what is filled in is never looked at again."""
        template = self.texts.get(node.name)
        if template is None:
            text = called(node.name, args) if args else node.name
            where = f"give its text in the state file: `templates: {{{node.name}: {{text: …}}}}`"
            return Unknown("template", text, partial(problems.no_text, node.span, text, where))
        slots = self._slots(node.name, template)
        if not slots and not args and not template.params:
            return template.text
        self.moment.findings.tell_flattened(here, node.span, args)
        names = template.params if template.params is not None else tuple(dict.fromkeys(slots))
        if len(names) != len(args):
            unfilled = partial(_unfilled, node, names, len(args))
            self.moment.findings.say_once(here, "unfilled-template", node.span, unfilled)
        given = {name: self._filling(value) for name, value in zip(names, args, strict=False)}
        length = len(template.text) + sum(len(given.get(name, "")) for name in slots)
        self.moment.budget.build(here.source, node.span, length)
        return SLOT.sub(lambda slot: given.get(slot[1], slot[0]), template.text)

    def _filling(self, value: Value) -> str:
        """What is filled in for an argument; nothing for one that is missing and may be left out."""
        is_left_out = self.moment.findings.missing == "empty" and isinstance(value, Unknown) and value.kind == "missing"
        return "" if is_left_out else text_of(value)

    def _slots(self, name: str, template: TemplateText) -> list[str]:
        if name not in self.slots:
            self.slots[name] = SLOT.findall(template.text)
        return self.slots[name]


def _unfilled(node: Template, names: Sequence[str], n_args: int) -> Diagnostic:
    counted = "no argument" if n_args == 0 else "1 argument" if n_args == 1 else f"{n_args} arguments"
    if n_args < len(names):
        left = ", ".join(f"`{{{{{name}}}}}`" for name in names[n_args:])
        message = f"`{node.name}` is given {counted}, so {left} stays as it is"
    else:
        message = f"`{node.name}` is given {counted}, and its text has a place for {len(names)}"
    listed = ", ".join((*names, "…") if n_args > len(names) else names)
    cure = f"name what it takes in the state file: `templates: {{{node.name}: {{params: [{listed}], text: …}}}}`"
    return problems.unfilled(node.span, message, cure)
