"""Warn about comments and recordings that belong to no spec and would be ignored."""

from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.pragmas import front_words
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.recorded_runs import find_runs

_RULES = {"runs": "run-file", "requests": "run-file", "variant-of": "unknown-variant"}


def find_unattributed_comments(source: Source, file: Path, folders: FolderNames) -> Iterator[Diagnostic]:
    """Yield the problems of a file of specs.

    Parameters:
        source: Its text.
        file: Its path.
        folders: A cache of folder listings.
    """
    text = source.text.lower().replace(" :", ":")
    if find_runs(file, (), folders).shared or any(f"{name}:" in text for name in _RULES):
        yield from _find_unattributed(source, file, folders)


def _find_unattributed(source: Source, file: Path, folders: FolderNames) -> Iterator[Diagnostic]:
    from acdl_mkdocs.language.syntax.nodes import Prompt
    from acdl_mkdocs.language.syntax.parse import parse
    from acdl_mkdocs.workspace.front_comments import find_definition_comments  # few files have such comments

    spoken = find_definition_comments(parse(source).file, source)
    names = [each.name.name for each in spoken.definitions if isinstance(each, Prompt)]
    for name, comment in spoken.find_unattributed():
        label = Label(comment.span, "of which spec?" if names else "there is no spec here")
        cure = f"write it on the line above one of `{'`, `'.join(names)}`" if names else "take the comment out"
        yield warning(_RULES[name], f"`// {name}:` is of no spec of this file, so it does nothing", label, help=cure)
    run_texts = [front_words(spoken.above[each]).get("runs", "") for each in spoken.definitions]
    stem = file.name.removesuffix(file.suffix)
    is_shared = any("requests" in spoken.find_fields(each) for each in spoken.definitions)
    for run in find_runs(file, names, folders).shared if len(names) != 1 and not is_shared else ():
        if any(run in each for each in run_texts) or not names:
            continue
        first = spoken.definitions[0].name.span
        own = f"{names[0]}.{run.removeprefix(f'{stem}.')}"
        message = f"the recorded run `{run}` is of none of the {len(names)} specs of this file, so it is not checked"
        cure = f"call it `{own}`, or write `// runs: {run}` on the line above its spec"
        yield warning("run-file", message, Label(Span(first.start, first.end), "the first of them"), help=cure)
