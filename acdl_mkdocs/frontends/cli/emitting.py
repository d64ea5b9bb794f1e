"""Sample states made from recorded runs: written beside the specs, with notes about them."""

import os
from pathlib import Path

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.foundation.atomic import drop_draft
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import SlowProgress, StoppedError, clear_bar, print_error
from acdl_mkdocs.frontends.cli.spec_and_state import write_schema
from acdl_mkdocs.frontends.cli.writing import replace_file
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.infer.state import infer_state

_SCHEMA = "state.schema.json"
_MOST_TOLD = 10


def emit_state(
    path: str,
    checked_files: CheckedFiles,
    *,
    is_forced: bool,
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
) -> None:
    """Write the state inferred from recorded runs; notes about what it lacks go to standard error.

    Parameters:
        path: File to write; `-` is standard output.
        checked_files: The recordings, and their verdict on the spec.
        is_forced: Whether to overwrite an existing file.
        state: The state that the check used in addition to the requests.
        options: Which spec of the text, and how ranges are read.
        config: How ranges are read by default, without options, state or text that set it.

    Raises:
        StoppedError: There is such a file already, or it cannot be written.
        TraceError: No request agrees with the spec.
    """
    file = Path(path)
    if path != "-" and os.path.lexists(file) and not is_forced:
        raise StoppedError(f"nothing was made: {file} exists already; --force writes over it")
    show = SlowProgress().show_count
    try:
        inferred_state = infer_state(
            checked_files.resolved,
            checked_files.checked,
            _SCHEMA,
            state=state,
            options=options,
            config=config,
            report=show,
        )
    finally:
        clear_bar()
    for sentence in inferred_state.notes[:_MOST_TOLD]:
        print_error(sentence)
    if len(inferred_state.notes) > _MOST_TOLD:
        print_error(f"and {len(inferred_state.notes) - _MOST_TOLD} more of this kind")
    if path == "-":
        print(inferred_state.text, end="")
        return
    schema = write_schema(file.parent / _SCHEMA)  # first, so that the command can be repeated if this fails
    if not replace_file(file, inferred_state.text.encode("utf-8")):
        for each in schema:
            drop_draft(Path(each))
        raise StoppedError(f"nothing was made: {file}")
    written = [str(file), *schema]
    at = (
        f"sends what was recorded at {format_count(len(inferred_state.at), 'point')}"
        if inferred_state.at
        else "sends nothing as recorded"
    )
    print_error(f"made {' and '.join(written)}, which {at}; next: `acdl state check {file}`")
