"""A recording that is dropped on the page: the spec that sends its requests, with a state."""

from io import BufferedReader, BytesIO

from acdl_mkdocs.frontends.playground.params import Data, Params


def infer(params: Params) -> Data:
    """Return the spec of a recording, the state of its first prompt, and its proof in sentences."""
    from acdl_mkdocs.app.infer import InferOptions
    from acdl_mkdocs.app.infer import infer as infer_recordings
    from acdl_mkdocs.app.infer_report import describe_inferred
    from acdl_mkdocs.runs.check_files import Recordings
    from acdl_mkdocs.runs.read.files import read_stream

    name, data = params.text_of("name"), params.text_of("text").encode("utf-8", "replace")
    found = read_stream(BufferedReader(BytesIO(data)), name)
    inferred = infer_recordings(lambda: Recordings((name,), found), InferOptions())
    return {
        "text": inferred.text,
        "state": inferred.prompts[0].states[0],
        "isProven": inferred.is_proven,
        "notes": list(describe_inferred(inferred, "spec")),
    }
