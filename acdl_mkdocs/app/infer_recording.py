"""Infer a spec, or refine the one in a file, as front ends and Python ask for it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path

from acdl_mkdocs.app.infer import DEFAULT_MUTANTS, NAME, InferOptions, Inferred, infer
from acdl_mkdocs.app.refine import Existing, refine
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import RefineError
from acdl_mkdocs.runs.check_files import Recordings, open_recording
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.inputs import UnusableInputError, read_inputs
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import load_settings
from acdl_mkdocs.workspace.states import list_states


def infer_or_refine(
    recordings: Callable[[], Recordings], into: str | PathLike[str] | None, options: InferOptions | None = None
) -> Inferred:
    """Infer a spec from recordings, or refine the one in a file by them; nothing is written.

    Parameters:
        recordings: Opens them, once it is known that the rest of the question means something.
        into: Path of the spec to refine.
        options: What is asked.

    Raises:
        RefineError: The spec cannot be read, or has errors.
        TraceError: A recording cannot be read, or there is no request that is asked for.
        UnknownFormatError: There is no such format of recordings.
        PointError: `at` is not a point in time.
    """
    return infer(recordings, options) if into is None else refine(recordings, read_existing(Path(into)), options)


def read_existing(path: Path) -> Existing:
    """Read a spec with the states beside it.

    Raises:
        RefineError: It cannot be read, or is a page.
    """
    named = NamedFile(path, Path("spec"))
    if named.is_page:
        raise RefineError(f"{path}: is a page; name an .acdl file, which a block of the page may show with `src`")
    try:
        (found,) = read_inputs(named, Config(range=load_settings(named.folder).config.range))
        states = list_states(path, find_defined_names(found.text.source.text), FolderNames())
        files = tuple(read_state(read_text(each), str(each), each.parent) for each in states)
    except UnusableInputError as reason:
        raise RefineError(str(reason)) from None
    except UnreadableFileError as reason:
        raise RefineError(f"a state beside {path}: {reason}") from None
    return Existing(understand_input(found), files)


def infer_recording(
    recording: str | PathLike[str] | Sequence[object],
    *,
    into: str | PathLike[str] | None = None,
    name: str = NAME,
    format: str | None = None,
    only: Mapping[str, str] | None = None,
    at: str | None = None,
    mutants: int = DEFAULT_MUTANTS,
) -> Inferred:
    """Infer the spec of a recording, with a sample state for each run and the proof: no model is asked.

    Keys and passwords are redacted.

    Parameters:
        recording: Path of a file or a folder; or bodies of requests in their order, as dictionaries or as typed objects
            of client packages, or lists of them, each a run.
        into: Path of a spec that exists: it is refined instead, so only what the requests refute changes. The file is
            not written; `Inferred.text` is the new text, `Inferred.refinement` what was changed.
        name: Name of the spec, if one agent sent all requests; `Agent` by default.
        format: Form of the files, or format of the bodies, as `--from` takes it; detected without it.
        only: Filters for the requests, such as `{"model": "gpt-*", "system": "You plan"}`; all of them must match. Keys
            are `model`, `episode` (in both `*` matches anything) and `system`, some of its words.
        at: Point of the first request of each run; without it, points are counted from the messages.
        mutants: The maximum number of deliberate errors to try in the spec, which the requests should refute; 50 by
            default, 0 for none.

    Raises:
        RefineError: The spec to refine cannot be read, or has errors.
        UnknownSpecError: A spec cannot have the name.
        TraceError: A file cannot be read, or there is no request.
        UnknownFormatError: There is no such form or format.
        PointError: `at` is not a point in time.
        TypeError: A request is not plain data.
    """
    wanted = [f"{key}={words}" for key, words in (only or {}).items()]
    options = InferOptions(name, at=at, only=wanted, mutants=mutants)
    return infer_or_refine(partial(open_recording, recording, format), into, options)
