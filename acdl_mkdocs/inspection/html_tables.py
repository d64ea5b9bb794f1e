"""The tables of a run as HTML: model tokens of each step, and how its tools were used; each in a panel that unfolds."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.inspection.inspection import Run, Step
from acdl_mkdocs.inspection.words import is_losing, label_of

_HEADS = ("At", "Messages", "Tokens", "Prefix", "Lost", "New", "Gone")
_COUNTED = ("Input", "Cached")
"""What providers count."""
_USE = ("Tool", "Tokens", "Requests", "Calls")


def steps_table(run: Run, anchor_of: Callable[[int], str]) -> str:
    """A row for each step.

    Parameters:
        run: The run.
        anchor_of: From the number of a step to the id of its section.
    """
    n_counted = 2 if any(step.usage and step.usage.n_cached is not None for step in run.steps) else 1
    heads = (*_HEADS, *_COUNTED[: n_counted if any(step.usage for step in run.steps) else 0])
    rows = [_row(step, anchor_of(number), len(heads) - 1) for number, step in enumerate(run.steps)]
    return panel(
        "numbers", "Model tokens of each step", _table(heads, rows, f"Model tokens of each step of {run.name}")
    )


def _row(step: Step, anchor: str, n_cells: int) -> str:
    counted = (step.usage.n_input, step.usage.n_cached) if step.usage else (None, None)
    sums = (len(step.messages), step.n_tokens, step.n_prefix, step.n_again, step.n_new, step.n_gone, *counted)
    cells = "".join(f"<td>{'' if value is None else f'{value:,}'}</td>" for value in sums[:n_cells])
    lost = ' class="acdl-inspect-losing"' if is_losing(step) else ""
    return f'<tr{lost}><th scope="row"><a href="#{escape(anchor)}">{label_of(step)}</a></th>{cells}</tr>'


def tools_table(run: Run) -> Iterator[str]:
    """A row for each tool; nothing where there are none."""
    if not run.tools:
        return
    rows = [
        f'<tr><th scope="row"><code>{escape(visible(each.name))}</code></th><td>{each.n_tokens:,}</td>'
        f"<td>{each.n_steps:,}</td><td>{f'{each.n_calls:,}' if each.n_calls else 'never'}</td></tr>"
        for each in run.tools
    ]
    n_unused = sum(not each.n_calls for each in run.tools)
    title = f"Use of tools <small>{f'{n_unused} never called' if n_unused else 'all called'}</small>"
    yield panel("use", title, _table(_USE, rows, f"Tools of {run.name}"))


def _table(heads: Sequence[str], rows: Sequence[str], label: str) -> str:
    """A table that scrolls within itself, also by keyboard."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    table = f'<table class="acdl-inspect-table"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    around = f'class="acdl-inspect-scroll" tabindex="0" role="group" aria-label="{escape(visible(label))}"'
    return f"<div {around}>{table}</div>"


def panel(kind: str, title: str, content: str) -> str:
    """Content that unfolds."""
    summary = f"<summary>{title}</summary>"
    return f'<details class="acdl-pml-panel acdl-inspect-{kind}">{summary}\n{content}</details>'
