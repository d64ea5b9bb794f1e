"""Infer or refine a spec for Python: recordings as paths or as requests, the spec as text or as a path."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike

from acdl_mkdocs.app.infer import DEFAULT_MUTANTS, NAME, InferOptions, Inferred, infer
from acdl_mkdocs.runs.check_files import open_recording


def infer_recording(
    recording: str | PathLike[str] | Sequence[object],
    *,
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
        name: Name of the spec, if one agent sent all requests.
        format: Form of the files, or format of the bodies, as `--from` takes it; detected without it.
        only: Which of the requests are meant, such as `{"model": "gpt-*", "system": "You plan"}`; all conditions must
            hold. Keys are `model`, `episode` (in both `*` matches anything) and `system`, words of it.
        at: Point of the first request of each run; without it, points are counted from the messages.
        mutants: How many small changes of the spec are tried at most; the requests should refute them.

    Raises:
        TraceError: A file cannot be read, or there is no request.
        UnknownFormatError: There is no such form or format.
        PointError: `at` is no point in time.
        TypeError: A request is no plain data.
    """
    wanted = [f"{key}={words}" for key, words in (only or {}).items()]
    return infer(partial(open_recording, recording, format), InferOptions(name, at=at, only=wanted, mutants=mutants))
