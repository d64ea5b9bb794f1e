"""Bare words that stand for data: variables whose namespace is left out."""

from collections.abc import Callable

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.moment import Moment
from acdl_mkdocs.evaluation.reading import Read
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.values import Unknown
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, ContextVar, Expression, Field, Symbol


def in_namespace(node: Symbol, here: Here, moment: Moment, variable: Callable[[ContextVar, Here], Read]) -> Expression:
    """The variable that a bare word means: of the namespace in which the state has it, else of the first."""
    head = Field(span=node.span, name=node.name)
    variables = [ContextVar(span=node.span, namespace=each, parts=(head, *node.parts)) for each in NAMESPACES]
    for found in variables:
        if not isinstance(variable(found, here).value, Unknown):
            _tell(node, found, here, moment)
            return found
    return variables[0]


def _tell(node: Symbol, found: ContextVar, here: Here, moment: Moment) -> None:
    def problem() -> Diagnostic:
        return problems.read_as(node.span, moment.written(node), f"`{moment.written(found)}`", "write the namespace")

    moment.findings.say_once(here, "read-as", node.span, problem)
