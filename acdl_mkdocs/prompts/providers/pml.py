"""PML: the prompt as an XML document, which holds all of it; the body is the text of the document."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.prompts.pml.losses import losses
from acdl_mkdocs.prompts.pml.read import ReadPml
from acdl_mkdocs.prompts.pml.read import read as read_document
from acdl_mkdocs.prompts.pml.write import write as write_document
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers.provider import Provider
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written

_READ_AS_IT_IS = frozenset(
    (
        "empty-message",
        "repeated-call-id",
        "repeated-tool",
        "result-without-call",
        "turn-order",
        "two-contents",
        "unanswered-call",
    )
)
"""Errors of documents that are read unchanged anyway: providers reject them, and writing reports the effect."""


def write(prompt: Prompt, model: str | None = None) -> Written:
    """Write a document; the model is not part of it."""
    return Written(write_document(prompt), list_losses(prompt, model))


def list_losses(prompt: Prompt, model: str | None) -> tuple[Loss, ...]:
    """Return what a document does not hold."""
    lost = [Loss(each.path, each.sentence, each.cure) for each in losses(prompt)]
    if model is not None:
        sentence = f"a PML document does not name a model: `{model}` is left out"
        lost.append(Loss("", sentence, "name the model where the prompt is sent", is_advice=True))
    return tuple(lost)


def read(body: Json) -> Read:
    """Read the text of a document."""
    if not isinstance(body, str):
        sentence = "this is JSON, expected the text of a PML document"
        return Read(Prompt(()), (Problem("", sentence, 'write `<prompt version="1">...</prompt>`'),))
    document = read_document(body)
    return Read(document.prompt or Prompt(()), list_problems(document))


def list_problems(document: ReadPml) -> tuple[Problem, ...]:
    """Return the problems of a document, each with its line and column as the path."""
    problems = []
    for each in document.problems:
        place = document.source.find_place(each.label.span.start)
        problems.append(Problem(f"{place.line}:{place.column}", each.message, "; ".join(each.help), is_advice(each)))
    return tuple(problems)


def is_advice(problem: Diagnostic) -> bool:
    """Return whether everything is read unchanged, in spite of the problem."""
    return problem.severity != "error" or problem.rule in _READ_AS_IT_IS


PROVIDER = Provider(writer=write, reader=read, label="PML")
