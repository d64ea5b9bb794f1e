"""Figures, checks and tools for ACDL, the Agentic Context Description Language.

```text
foundation/     source, diagnostics and ways to show them, safe text, secrets, files, YAML: what every stage shares
language/       text <-> tree (`syntax/`), what a name refers to (`names/`), what is wrong (`rules/`, one file each)
drawing/        how a spec looks: boxes, then geometry (`figure/`), one file per picture or text format (`formats/`)
evaluation/     the messages of a spec at a point in time (`formats/`), the states that fill it (`state/`), and both
                in words (`explain/`): `explain.explain.explain()`
prompts/        prompts as one value: as XML documents (`pml/`: `read.read()`, `write.write()`), as requests to
                providers (`providers/`), what it costs (`tokens/`); `convert.convert()` from any format to any
compare/        what changed between two specs
runs/           recorded runs: `check_files.check_requests()` checks them against a spec, `record/` makes them,
                `inspect/` needs no spec, `infer/` writes one, `report/` has one file per format of the results;
                `testing.py` is for tests
app/            the functions below; `builder.build()`: specs made by a program
playbook/       what an agent learned: lessons, their curator, their files
workspace/      what every front end needs of a project: files, blocks of pages, states and runs of a spec, names
frontends/      the command line, docs tools, editors, agents, the playground
```
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acdl_mkdocs.app.infer import Inferred
    from acdl_mkdocs.app.infer_recording import infer_recording
    from acdl_mkdocs.app.inspect import inspect_recording
    from acdl_mkdocs.app.python import Problem, Spec, check, diff, diff_sent, evaluate, explain, parse, render, spec
    from acdl_mkdocs.app.python import format as format  # noqa: A004  # the word that users know it by
    from acdl_mkdocs.compare.sent.sent import SentDifference
    from acdl_mkdocs.compare.structure.edits import Difference
    from acdl_mkdocs.drawing.figure.describe import View
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.evaluation.explain.model import Explanation
    from acdl_mkdocs.evaluation.state.sample_state import State
    from acdl_mkdocs.evaluation.transcript import Transcript
    from acdl_mkdocs.foundation.config import Config
    from acdl_mkdocs.foundation.diagnostics import Diagnostic
    from acdl_mkdocs.foundation.errors import AcdlError
    from acdl_mkdocs.frontends.docs.markdown.superfences import fence
    from acdl_mkdocs.runs.inspect.inspection import Inspection

__all__ = [
    "AcdlError",
    "Config",
    "Diagnostic",
    "Difference",
    "Explanation",
    "Inferred",
    "Inspection",
    "OutputOptions",
    "Problem",
    "SentDifference",
    "Spec",
    "State",
    "Transcript",
    "View",
    "__version__",
    "check",
    "diff",
    "diff_sent",
    "evaluate",
    "explain",
    "fence",
    "format",
    "infer_recording",
    "inspect_recording",
    "parse",
    "render",
    "spec",
]

__version__ = "0.1.0"

_MODULES = {
    "AcdlError": "foundation.errors",
    "Config": "foundation.config",
    "Diagnostic": "foundation.diagnostics",
    "Difference": "compare.structure.edits",
    "Explanation": "evaluation.explain.model",
    "Inferred": "app.infer",
    "Inspection": "runs.inspect.inspection",
    "OutputOptions": "drawing.formats.options",
    "SentDifference": "compare.sent.sent",
    "State": "evaluation.state.sample_state",
    "Transcript": "evaluation.transcript",
    "View": "drawing.figure.describe",
    "fence": "frontends.docs.markdown.superfences",
    "infer_recording": "app.infer_recording",
    "inspect_recording": "app.inspect",
}
"""The modules of the public names that are not in `app.python`."""


def __getattr__(name: str) -> object:
    """Load a public name on first use, so that a command that needs none of them starts faster."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"acdl_mkdocs.{_MODULES.get(name, 'app.python')}"), name)
