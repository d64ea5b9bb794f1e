"""The tool `diff`: what changed between two specs, and with a state what changed in what they send."""

from acdl_mkdocs.app.compare import Side, SideState, compare, compare_sent
from acdl_mkdocs.app.render import collected_remarks
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.compare.formats import format_difference, json_tree
from acdl_mkdocs.compare.formats.figure import draw_unified
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.sent import SentDifference
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data, is_small_enough
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.render import draw_figure, figure_answer
from acdl_mkdocs.frontends.mcp.schemas import FLAG, STRING, TEXT_OR_NULL, with_problems
from acdl_mkdocs.frontends.mcp.state_secrets import without_secrets
from acdl_mkdocs.frontends.mcp.texts import (
    SpecText,
    name_of_text,
    named_texts,
    one_text,
    problem_data,
    problem_text,
    range_of,
    state_of,
)
from acdl_mkdocs.frontends.mcp.tool import AT, LINES, OUTPUT, RANGE, SPEC, STATE, STATE_PATH, WRITE, Tool
from acdl_mkdocs.prompts.tokens.counter import counter

_ABOUT = (
    "Compare two versions of a spec and list what changed in its structure; differences in formatting do not count. "
    "With `old_revision: HEAD` and `new_path`, compare with the last commit. With a `state`, also compare the "
    "messages, point by point. `svg` and `png` draw both versions in one figure."
)
_FORMATS = ("text", "markdown", "json", "svg", "png")


@dataclass(frozen=True, slots=True)
class _DiffSide:
    """One of the two texts."""

    text: SpecText
    compared: Side


def _run(args: ToolArguments, folders: Folders) -> Answer:
    old, new = _read_side(args, folders, "old"), _read_side(args, folders, "new")
    difference = compare(old.compared, new.compared)
    sent = _compare_sent(args, folders, old, new)
    findings = [*old.compared.text.errors, *new.compared.text.errors]
    document = json_tree.to_object(difference, CompareOptions(sent=sent))
    data: Data = {
        "is_same": difference.is_empty,
        "is_same_sent": difference.is_equal_sent if sent is None else sent.is_same,
        "verdict": "" if sent is None else sent_verdict(sent),
        "difference": document if is_small_enough(document) else None,
    }
    figure = _format_difference(args, folders, difference, sent)
    notes = "\n\n".join(filter(None, [figure.notes, problem_text(findings)]))
    return Answer(figure.text, notes, figure.data | data | problem_data(findings), figure.images)


def _read_side(args: ToolArguments, folders: Folders, side: str) -> _DiffSide:
    texts, spec = named_texts(args, folders, side)
    other = args.text_of("spec" if side == "new" else "new_spec")
    chosen = one_text(texts, spec or other, name_of_text(args, side))
    return _DiffSide(chosen, Side(understand_input(chosen), spec))


def _compare_sent(args: ToolArguments, folders: Folders, old: _DiffSide, new: _DiffSide) -> SentDifference | None:
    """Return the changes between the messages of both; `None` if no state is given."""
    if all(args.text_of(each) is None for each in ("state", "state_path", "at")):
        return None
    state = SideState(_require_state(args, folders, old))
    sides = old.compared, new.compared
    return compare_sent(sides, (state, None), args.text_of("at"), range_of(args), counter=counter())


def _require_state(args: ToolArguments, folders: Folders, side: _DiffSide) -> State:
    file = state_of(args, folders, side.text, side.compared.spec)
    if file is None:
        raise CallError("there is no state", "send `state` or `state_path`; `new_state` writes a first one")
    if file.state is None or file.has_errors:
        findings = [(each, file.source) for each in file.problems if each.severity == "error"]
        raise CallError(f"the state has errors\n\n{problem_text(findings)}\n", "fix them first")
    return without_secrets(file.state)


def _format_difference(
    args: ToolArguments, folders: Folders, difference: Difference, sent: SentDifference | None
) -> Answer:
    kind = args.choice_of("format", "text")
    if kind in ("svg", "png"):
        with collected_remarks() as remarks:
            figure = draw_figure(draw_unified(difference, is_folded=True), kind, OutputOptions())
        answer = figure_answer(args, folders, figure, kind)
        notes = list(dict.fromkeys(remarks))
        notes += [f"a figure does not show the messages: {sent_verdict(sent)}"] if sent is not None else []
        return Answer(answer.text, "\n\n".join(notes), answer.data, answer.images)
    return figure_answer(args, folders, format_difference(difference, kind, CompareOptions(sent=sent)), kind)


TOOL = Tool(
    "diff",
    "Compare two ACDL specs",
    _ABOUT,
    (
        Argument("old", "ACDL text of the old version; or give `old_path`"),
        Argument("old_path", "path of the old version; `file.acdl#Name` selects one spec"),
        Argument("new", "ACDL text of the new version; or give `new_path`"),
        Argument("new_path", "path of the new version"),
        Argument(
            "old_revision",
            "git revision of `old_path`, by default of `new_path`: `HEAD~1`, a branch or a commit",
        ),
        Argument("new_revision", "git revision of `new_path`; default: the file on disk"),
        SPEC,
        Argument("new_spec", "name of the spec in the new version, if it differs"),
        STATE,
        STATE_PATH,
        AT,
        Argument("format", "`text` is the default", choices=_FORMATS),
        RANGE,
        WRITE,
        OUTPUT,
        LINES,
    ),
    with_problems(
        {
            "format": STRING,
            "figure": TEXT_OR_NULL,
            "written": STRING,
            "is_same": FLAG,
            "is_same_sent": FLAG,
            "verdict": STRING,
        },
        difference="diff",
    ),
    _run,
    can_write=True,
)
