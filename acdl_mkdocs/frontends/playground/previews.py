"""Figures that visitors see before the engine has loaded: rendered when a site is built, by the same functions.

They are kept beside the bundle, whose version is a digest of all that renders them.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acdl_mkdocs.foundation.atomic import replace_file
from acdl_mkdocs.frontends.docs.blocks.example import Example
from acdl_mkdocs.frontends.docs.workers import do_work, run_workers
from acdl_mkdocs.frontends.playground.bundle import Bundle

_FILE = "previews.json"
_LEAST_FIGURES = 20
"""The fewest figures for a process; fewer are rendered sooner than it starts."""


@contextmanager
def open_previews(bundle: Bundle) -> Iterator[Callable[[Example], str]]:
    """Yield a function that renders the figure of an example, or takes it from the last build; kept in the end."""
    path = bundle.folder / _FILE
    former = _read_kept(path)
    current: dict[str, str] = {}

    def render_preview(example: Example) -> str:
        key = example.key
        if key not in current:
            current[key] = former[key] if key in former else _render_figure(example)
        return current[key]

    yield render_preview
    if not current.items() <= former.items():
        with suppress(OSError):  # what cannot be kept is rendered again
            replace_file(path, json.dumps(current, ensure_ascii=False).encode("utf-8", "replace"))


def render_ahead(bundle: Bundle, examples: Sequence[Example]) -> None:
    """Render the figures of examples in another process, if there are many that the last build has not kept."""
    former = _read_kept(bundle.folder / _FILE)
    if len({each.key for each in examples} - former.keys()) >= _LEAST_FIGURES:
        run_workers(__name__, [(bundle, examples)], 1)


def _read_kept(path: Path) -> dict[str, str]:
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(svg) for key, svg in kept.items()} if isinstance(kept, dict) else {}


def _render_figure(example: Example) -> str:
    """Render the first figure that the engine will; empty if it will have none."""
    from acdl_mkdocs.frontends.playground.engine import answer_question

    settings = {"range": example.range} if example.range else {}
    params = {"text": example.text, "spec": example.spec, "files": example.files, "settings": settings}
    result = answer_question("look", params).get("result")
    return str(result["svg"]) if isinstance(result, dict) else ""


def _render_examples(work: tuple[Bundle, Sequence[Example]]) -> None:
    bundle, examples = work
    with open_previews(bundle) as render:
        for each in examples:
            render(each)


if __name__ == "__main__":
    do_work(_render_examples)
