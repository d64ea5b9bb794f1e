"""Refine the named playbook with any judge, and print the result."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from acdl_mkdocs.app.curate import decide, needs_refining
from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import clear_bar, print_error, show_count
from acdl_mkdocs.frontends.cli.playbook import models
from acdl_mkdocs.frontends.cli.playbook.curating import RefinedFile, applied_data, print_applied, rejected_data
from acdl_mkdocs.frontends.cli.playbook.files import playbook_at, print_json, time_of
from acdl_mkdocs.frontends.cli.playbook.git import cover_new_playbook
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.edits import PERSON
from acdl_mkdocs.playbook.model.near_pairs import Decision, NearPair, Opinion, digest_of, find_near_pairs
from acdl_mkdocs.playbook.model.refine import Judge, Judgement, RefineOptions, refine
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.prompts.prompt import Json

_ANSWER_FORMAT = '`{"a": ID or text, "b": ID or text, "verdict": "same", "conflicts" or "differs", "reason": "…"}`'


class StoppedError(Exception):
    """The person wants to stop; earlier decisions are committed."""


def list_opinions() -> tuple[Opinion, ...]:
    """Return the possible opinions about two bullets."""
    return get_args(Opinion)


class WrittenAnswers:
    """A judge that gives recorded answers.

    Parameters:
        path: JSON: a list, `{"pairs": [...]}`, or an object a line.
        name: The actor who gave them.

    Raises:
        PlaybookError: The file cannot be read, or an answer is invalid.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._by_ids: dict[frozenset[str], tuple[Judgement, str | None]] = {}
        self._by_texts: dict[str, Judgement] = {}
        for idx, each in enumerate(_answers_in(path), 1):
            self._add_answer(each, f"{path}: answer {idx}")

    def judge_pair(self, pair: NearPair) -> Judgement | None:
        """Return the answer about two bullets; nothing if the file has none for their texts."""
        texts = digest_of(pair.a.content, pair.b.content)
        judged, about = self._by_ids.get(frozenset((pair.a.id, pair.b.id)), (None, None))
        return judged if judged is not None and about in (None, texts) else self._by_texts.get(texts)

    def _add_answer(self, answer: object, where: str) -> None:
        data: Mapping[str, Any] = answer if isinstance(answer, dict) else {}
        if data.get("verdict") is None and data:
            return  # it was not filled in
        names, verdict, reason = (data.get("a"), data.get("b")), data.get("verdict"), data.get("reason") or ""
        if verdict not in list_opinions() or not all(
            isinstance(each, str) and each for each in (*names, reason or "-")
        ):
            raise PlaybookError(f"{where} says nothing that can be used", f"write {_ANSWER_FORMAT}")
        judged = Judgement(next(each for each in list_opinions() if each == verdict), reason)
        a, b = (str(each) for each in names)
        texts = [data.get("text_a"), data.get("text_b")]
        about = digest_of(*map(str, texts)) if all(isinstance(each, str) for each in texts) else None
        self._by_ids[frozenset((a, b))] = judged, about
        self._by_texts[about or digest_of(a, b)] = judged


def _answers_in(path: Path) -> list[object]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = (problem.strerror or str(problem)).lower() if isinstance(problem, OSError) else "is not UTF-8"
        raise PlaybookError(f"{path}: {reason}") from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = _lines_of(text, path)
    answers = data.get("pairs", [data]) if isinstance(data, dict) else data
    if not isinstance(answers, list):
        raise PlaybookError(f"{path}: has no list of answers", f"write {_ANSWER_FORMAT} on each line")
    return answers


def _lines_of(text: str, path: Path) -> list[object]:
    answers: list[object] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            answers += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            raise PlaybookError(f"{path}:{number}: is not JSON", f"write {_ANSWER_FORMAT} on each line") from None
    return answers


@dataclass(frozen=True, slots=True)
class ChosenJudge:
    """The judge of near lessons."""

    judge: Judge | None = None
    """The judge; `None` merges only equal bullets."""
    is_person: bool = True
    stops: tuple[type[Exception], ...] = ()
    """Errors of the judge that end the refinement; earlier decisions stay."""


def add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the judge of near lessons: recorded answers or a model."""
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="recorded decisions: JSON with a, b, verdict and reason for each pair",
    )
    models.add_model_arguments(parser, is_required=False)


def judge_of(args: argparse.Namespace) -> ChosenJudge:
    """Return the requested judge.

    Raises:
        PlaybookError: The answers cannot be read.
        ModelError: The model cannot be asked.
    """
    if args.answers is not None:
        return ChosenJudge(WrittenAnswers(args.answers, args.actor), is_person=args.actor == PERSON)
    if args.model is None:
        return ChosenJudge()
    from acdl_mkdocs.playbook.learn.models import ModelError
    from acdl_mkdocs.playbook.learn.pair_judge import ModelJudge

    return ChosenJudge(ModelJudge(models.model_of(args), args.seed), is_person=False, stops=(ModelError,))


def refine_file(args: argparse.Namespace, chosen: ChosenJudge, first: Playbook | None = None) -> RefinedFile:
    """Refine a playbook file, or with `--dry-run` its contents.

    Parameters:
        args: The arguments, with the file, the time, and how many pairs to ask about.
        chosen: The judge.
        first: The current playbook, if it is known already.

    Raises:
        PlaybookError: The playbook cannot be read, changed or written.
    """
    first = first or playbook_at(args.playbook)
    refined, judge = RefinedFile(first, first), chosen.judge
    actor = args.actor if judge is None else judge.name

    def commit(decisions: Sequence[Decision]) -> Playbook:
        curated = _commit_decisions(decisions, refined.after, actor, args)
        refined.after, refined.report = curated.playbook, refined.report + curated.report
        if args.format == "terminal":
            print_applied(curated)
        return curated.playbook

    measure = load_similarity(first.policy.similarity)
    try:
        counting = judge if judge is None or chosen.is_person else _CountingJudge(judge)
        refine(RefineOptions(counting, measure, commit, chosen.is_person, getattr(args, "limit", None)))
    except StoppedError:
        pass
    except chosen.stops as failure:
        refined.failure = str(failure)
    refined.n_left = len(find_near_pairs(refined.after, measure))
    return refined


def refine_if_due(
    before: Playbook, after: Playbook, chosen: ChosenJudge, args: argparse.Namespace
) -> RefinedFile | None:
    """Refine a playbook after a delta, if its policy requires that; print why the judge could not continue."""
    if not needs_refining(before, after):
        return None
    refined = refine_file(args, chosen, after)
    if refined.failure:
        print_error(refined.failure)
    return refined


class _CountingJudge:
    """A slow judge, with the number of pairs on a terminal while it works."""

    def __init__(self, judge: Judge) -> None:
        self.name = judge.name
        self._judge = judge
        self._n_done = 0

    def judge_pair(self, pair: NearPair) -> Judgement | None:
        """Return the decision of the judge."""
        show_count(self._n_done, "pair")
        try:
            return self._judge.judge_pair(pair)
        finally:
            self._n_done += 1
            clear_bar()


def _commit_decisions(decisions: Sequence[Decision], now: Playbook, actor: str, args: argparse.Namespace) -> Curated:
    from acdl_mkdocs.playbook.store import update

    def change(playbook: Playbook) -> Curated:
        return decide(playbook, decisions, actor)

    if args.dry_run:
        return change(now)
    with cover_new_playbook(args.playbook):
        return update(args.playbook, change, time=time_of(args), actor=actor, warn=print_error)


def print_refined(refined: RefinedFile, args: argparse.Namespace) -> int:
    """Print the result of a refinement; return 1 if a decision was refused, 2 if the judge could not continue."""
    if refined.failure:
        print_error(refined.failure)
    status = 2 if refined.failure else int(bool(refined.report.rejected))
    if args.format == "json":
        applied: list[Json] = [applied_data(each) for each in refined.report.applied]
        rejected: list[Json] = [rejected_data(each) for each in refined.report.rejected]
        facts: dict[str, Json] = {"playbook": str(args.playbook), "is_dry_run": args.dry_run}
        revisions: dict[str, Json] = {"revision_before": refined.before.revision, "revision": refined.after.revision}
        print_json({**facts, **revisions, "applied": applied, "rejected": rejected, "n_undecided": refined.n_left})
        return status
    counts = {op: sum(each.op == op and each.other != "" for each in refined.report.applied) for op in _OUTCOME_WORDS}
    outcomes = [f"{counts[op]} {words}" for op, words in _OUTCOME_WORDS.items() if counts[op]]
    verb = "would be at" if args.dry_run and refined.after.revision != refined.before.revision else "is at"
    summary = "".join(f", {each}" for each in outcomes)
    print(make_visible(f"{args.playbook}: {verb} revision {refined.after.revision}{summary}"))
    undecided = format_count(refined.n_left, "pair")
    print(
        make_visible(
            f"{undecided} to decide about" + (f": acdl playbook review {args.playbook}" if refined.n_left else "")
        )
    )
    return status


_OUTCOME_WORDS = {
    "MERGE": "merged",
    "CONFLICT": "in conflict",
    "KEEP": "that differ",
    "UNLINKED": "links of an earlier version taken out",
}
