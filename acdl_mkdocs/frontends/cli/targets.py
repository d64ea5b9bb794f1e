"""The figures that `acdl render` draws, and their files."""

import argparse
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from acdl_mkdocs.drawing.formats import SUFFIXES
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import fold_name, leads_out
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_inputs
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.search import find_files
from acdl_mkdocs.workspace.settings import load_settings


@dataclass(frozen=True, slots=True)
class RenderTarget:
    """A figure to draw and its file; without a path it goes to standard output."""

    input: Input
    path: Path | None


def inputs_to_draw(args: argparse.Namespace) -> tuple[list[Input], list[str]]:
    """Return everything to draw, and what cannot be drawn; of several texts, those that define the requested spec."""
    settings_of = cache(load_settings)
    files, problems = find_files(args.paths, settings_of)
    inputs: list[Input] = []
    for named in files:
        try:
            config = Config(range=settings_of(named.folder).config.range, snippet=args.snippet)
            file_inputs = read_inputs(named, config, range_mode=args.range)
        except (UnusableInputError, SettingsError) as reason:
            problems.append(str(reason))
            continue
        if not file_inputs and named.is_argument:
            problems.append(f"{named.path}: has no acdl blocks to draw")
        inputs += file_inputs
    problems = list(dict.fromkeys(problems))
    if args.spec and len(inputs) > 1:  # a single text reports an unknown name itself
        names = [find_defined_names(each.text.source.text) for each in inputs]
        inputs = [each for each, defined in zip(inputs, names, strict=True) if args.spec in defined]
        if not inputs:
            near = find_closest(args.spec, [name for defined in names for name in defined])
            hint = f"; did you mean `{near}`?" if near else ""
            problems.append(f"{', '.join(args.paths)}: there is no spec `{args.spec}`{hint}")
    if not inputs and not problems:
        problems.append(f"{', '.join(args.paths)}: nothing to draw")
    return inputs, problems


def targets_of(inputs: list[Input], args: argparse.Namespace) -> tuple[list[RenderTarget], list[str]]:
    """Return the file of each figure, and the reasons for those without."""
    is_folder = len(inputs) > 1 or any(os.path.isdir(path) for path in args.paths)
    if args.output in (None, "-"):
        wanted = f"{len(inputs)} figures: name a folder for them with -o" if len(inputs) > 1 else ""
        return [RenderTarget(spec_input, None) for spec_input in inputs], [wanted] if wanted else []
    output = Path(args.output)
    if not (is_folder or os.path.isdir(output) or str(args.output).endswith(("/", "\\"))):
        return [RenderTarget(spec_input, output) for spec_input in inputs], []
    if os.path.isfile(output):
        return [], [f"{output}: is a file, a folder is needed for {len(inputs)} figures"]
    suffix = SUFFIXES[args.format]
    if output.suffix.lower() == suffix and not (os.path.isdir(output) or str(args.output).endswith(("/", "\\"))):
        wanted = f"name a folder for them with `--format {args.format} -o {output.with_suffix('')}/`"
        return [], [f"{output}: is the name of one file, there can be several figures: {wanted}"]
    targets = [
        RenderTarget(spec_input, output / spec_input.relative.with_name(spec_input.relative.name + suffix))
        for spec_input in inputs
    ]
    problem = next(_find_collisions(targets), None) or next(_links_out(targets, output), None)
    return ([], [problem]) if problem else (targets, [])


def _find_collisions(targets: list[RenderTarget]) -> Iterator[str]:
    """Yield figures that would have the same file, also on a disk that ignores case."""
    seen: dict[str, RenderTarget] = {}
    for target in targets:
        before = seen.setdefault(fold_name(str(target.path)), target)
        if before is not target:
            first, second = (each.input.text.source.name for each in (before, target))
            where = target.path if before.path == target.path else f"{target.path} where the disk ignores case"
            yield f"{first} and {second} would both be written to {where}"


def _links_out(targets: list[RenderTarget], output: Path) -> Iterator[str]:
    """Yield figures whose file is a link, since nobody named its target."""
    for target in targets:
        if target.path and leads_out(target.path, output):
            yield f"{target.path}: is a link that leads out of {output}; remove it"
