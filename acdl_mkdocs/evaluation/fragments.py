"""Fragments: which one a use means, and what its parameters are."""

from collections.abc import Sequence

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.expressions import Expressions
from acdl_mkdocs.evaluation.functions import shown_argument
from acdl_mkdocs.evaluation.limits import LimitError
from acdl_mkdocs.evaluation.moment import Moment
from acdl_mkdocs.evaluation.scope import Here, Now, Scope
from acdl_mkdocs.evaluation.times import is_all
from acdl_mkdocs.evaluation.transcript import Round
from acdl_mkdocs.evaluation.values import Time, Unknown, Value, as_time
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.library import recursion
from acdl_mkdocs.language.names.resolve import Resolved, bare
from acdl_mkdocs.language.syntax.nodes import Expression, Field, Fragment, FragUse, Symbol, TimeIndex, Values


class Fragments:
    """The fragments of one evaluation."""

    def __init__(self, moment: Moment, resolved: Resolved, expressions: Expressions) -> None:
        self.moment = moment
        self.resolved = resolved
        self.expressions = expressions

    def inside(self, use: FragUse, here: Here) -> tuple[Fragment, Here] | None:
        """The fragment that a use means, and the place inside it: it sees its parameters, the time and the state."""
        name, say = use.name.name, self.moment.findings.say
        entry = self.resolved.fragment_of(use, here.source)
        if entry is None or not isinstance(entry.node, Fragment):
            cure = f"define it: `StrFrag {name}[…]: {{ … }}` or `RolesFrag {name}[…]: {{ … }}`"
            say(here, problems.misplaced(use.name.span, f"no fragment named `{name}`", cure))
            return None
        if entry.node in here.fragments:
            say(here, _cycle(use, entry.node, entry.source, here))
            return None
        self.moment.budget.use(here.source, use.span)
        depth = self.moment.budget.limits.depth
        if len(here.fragments) >= depth:
            message = f"more than {depth} fragments stand in each other"
            raise LimitError(here.source, use.span, message, "put some of them together")
        arguments = [each for part in use.parts if isinstance(part, Values) for each in part.values]
        args = [self.expressions.argument(each, here) for each in arguments]
        parameters = entry.node.parameters
        if len(args) > len(parameters):
            takes = f"{len(parameters)} argument{'' if len(parameters) == 1 else 's'}"
            message = f"`{name}` takes {takes} and is given {len(args)}"
            cure = "leave out the others, or add parameters to the fragment"
            say(here, problems.misplaced(arguments[len(parameters)].span, message, cure))
        now, scope = self.moment.now, Scope()
        for number, parameter in enumerate(parameters):
            value = args[number] if number < len(args) else self._no_argument(use, parameter)
            now = _bind(scope, parameter, value) or now
        turn = Round(here.origin(use.span), "fragment", name, ", ".join(map(shown_argument, args)))
        inner = Here(entry.source, scope, now, None, None, (*here.stack, turn), (*here.fragments, entry.node))
        return entry.node, inner

    def _no_argument(self, use: FragUse, parameter: Expression) -> Unknown:
        """A parameter that the use gives no value."""
        text = self.moment.written(parameter)
        cure = f"write it where the fragment is used: `Frag {use.name.name}[…, {text}]`"
        return Unknown("error", text, lambda: problems.unbound(use.span, text, cure))


def _cycle(use: FragUse, fragment: Fragment, source: Source, here: Here) -> Diagnostic:
    """A fragment stands in itself."""
    around = here.fragments[here.fragments.index(fragment) :]
    defined = fragment.name.span if source is here.source else use.span
    return recursion(use, [each.name.name for each in around], defined)


def _bind(scope: Scope, parameter: Expression, value: Value) -> Now | None:
    """Give a parameter its value; `@T.I` takes a time apart, and is the time of the fragment."""
    parameter = bare(parameter)
    if isinstance(parameter, Symbol):
        scope.variables[parameter.name] = value
    if not isinstance(parameter, TimeIndex):
        return None
    names = (parameter.name, *_names_below(parameter))
    time = as_time(value)
    if time is not None and is_all(parameter):  # `@t.*`: the whole step
        time = Time(time.parts[:1])
    if time is None or len(names) == 1:
        scope.variables.update(dict.fromkeys(names, value) if time is None else {names[0]: time})
        return None
    scope.variables.update({name: time.part(level) for level, name in enumerate(names) if level})
    scope.variables[names[0]] = Time(time.parts[:1])
    return Now(names, time)


def _names_below(parameter: TimeIndex) -> Sequence[str]:
    return [part.name for part in parameter.parts if isinstance(part, Field) and part.name != "*"]
