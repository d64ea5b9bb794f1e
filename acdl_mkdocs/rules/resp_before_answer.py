"""Rule `resp-before-answer`: the answer that is still being asked for is read."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.times import is_current, text_of_time
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.edits import insertion
from acdl_mkdocs.syntax.nodes import ContextVar, Field, Index, Prompt, TimeIndex


def resp_before_answer(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `resp` variable at the time that the prompt is being built for.

    Agents with several calls in one turn may mean an earlier call of this turn; such a line can be marked with
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
    tree = outline(resolved.parsed.file)
    for variable in tree.of(ContextVar):
        if variable.namespace != "resp":
            continue
        for part in variable.parts:
            times = part.values if isinstance(part, Index) else ()
            now = next((each for each in times if isinstance(each, TimeIndex) and _is_now(each, resolved, tree)), None)
            if now is not None:
                yield _too_early(variable, now, resolved, tree)
                break


def _is_now(time: TimeIndex, resolved: Resolved, tree: Outline) -> bool:
    """Whether it is `@T` or `@T.I`; the `i` of `@T.i` is an earlier sub-step."""
    parts = all(isinstance(part, Field) and part.name.isupper() for part in time.parts)
    return parts and is_current(time, resolved, tree)


def _too_early(variable: ContextVar, now: TimeIndex, resolved: Resolved, tree: Outline) -> Diagnostic:
    text = resolved.source.text
    written = " ".join(text[variable.span.start : variable.span.end].split())
    time, unit = text_of_time(now), "step" if now.parts else "turn"
    turn = f"@{now.name}"

    def at(index: str) -> str:
        before, after = text[variable.span.start : now.span.start], text[now.span.end : variable.span.end]
        return " ".join(f"{before}{index}{after}".split())

    cures = [f"for the previous {unit}, write `{at(f'{time}-1')}`"]
    if not now.parts:
        cures.append(f"for an earlier step of this turn, write `{at(f'{turn}.i')}` inside a `ForEach` over `i`")
    definition = tree.definition(variable)
    header = definition.parameters if isinstance(definition, Prompt) else ()
    related = [
        Label(
            Span(each.span.start, each.span.end), f"`{text_of_time(each)}` is the {unit} this prompt is being built for"
        )
        for each in header
        if isinstance(each, TimeIndex) and each.name == now.name
    ]
    return warning(
        "resp-before-answer",
        f"`{written}` is read before the model has answered {unit} `{time}`",
        Label(variable.span, f"no response exists for this {unit} yet"),
        related=related,
        help=cures,
        fix=Fix(f"read the previous {unit}", (insertion(now.span.end, "-1"),), is_safe=False),
    )
