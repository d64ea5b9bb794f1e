"""Rule `resp-before-answer`: an answer is read before the model has given it."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note, warning
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.answers import AnswerSource, find_answer_source, find_current_answers
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import format_time
from acdl_mkdocs.language.syntax.edits import insert_text
from acdl_mkdocs.language.syntax.nodes import ContextVar, Field, Prompt, TimeIndex


def resp_before_answer(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `resp` variable at the time that the prompt is being built for, unless another prompt answers it.

    An agent may make several calls in one turn, such as a router, the answer and a judge. The answer of one of them is
    data for the next: with `Router[@T]` in the same text, `resp.route[@T]` is what it answered. Nothing is reported
    where another prompt of the text, its page or the files that it uses is named after the answer, or where an answer
    is passed on: in a message that is not the Assistant's, or in one that others follow. With no other prompt there, an
    answer that is passed on is a note instead of a warning: add the prompt that gives it, or write
    `// acdl: allow(resp-before-answer)`.

    ## Why
    `resp` is what the model answered before. The answer of this turn does not exist while its prompt is being built.

    ## Example
    ```acdl
    P[@T]: {
        U: env.query[@T]
        A: resp.answer[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        A: resp.answer[@T-1]
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Context Variables".
    """
    for variable, now in find_current_answers(resolved):
        answer_source = find_answer_source(variable, resolved)
        if answer_source != "another":
            yield _report_answer(variable, now, answer_source, resolved)


def _report_answer(variable: ContextVar, now: TimeIndex, answer_source: AnswerSource, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    written = " ".join(text[variable.span.start : variable.span.end].split())
    time, unit = format_time(now), "step" if now.parts else "turn"
    turn = f"@{now.name}"

    def at(index: str) -> str:
        before, after = text[variable.span.start : now.span.start], text[now.span.end : variable.span.end]
        return " ".join(f"{before}{index}{after}".split())

    cures = [f"for the previous {unit}, write `{at(f'{time}-1')}`"]
    if not now.parts:
        cures.append(f"for an earlier step of this turn, write `{at(f'{turn}.i')}` inside a `ForEach` over `i`")
    is_passed_on = answer_source == "perhaps another"
    cures.insert(
        0 if is_passed_on else len(cures),
        f"if another call of this {unit} gives it, add its prompt to this text, such as "
        f"`{_suggest_title(variable, time)}`",
    )
    definition = build_outline(resolved.parsed.file).definition_of(variable)
    header = definition.parameters if isinstance(definition, Prompt) else ()
    related = [
        Label(
            Span(each.span.start, each.span.end), f"`{format_time(each)}` is the {unit} this prompt is being built for"
        )
        for each in header
        if isinstance(each, TimeIndex) and each.name == now.name
    ]
    report = note if is_passed_on else warning
    return report(
        "resp-before-answer",
        f"`{written}` is read before the model has answered {unit} `{time}`",
        Label(variable.span, f"no response exists for this {unit} yet"),
        related=related,
        help=cures,
        fix=Fix(f"read the previous {unit}", (insert_text(now.span.end, "-1"),), is_safe=False),
    )


def _suggest_title(variable: ContextVar, time: str) -> str:
    """Return the title of a prompt that would produce the answer."""
    field = next((part.name for part in variable.parts if isinstance(part, Field)), "answer")
    name = "".join(word[:1].upper() + word[1:] for word in field.split("_"))
    return f"{name}[{time}]: {{ ... }}"
