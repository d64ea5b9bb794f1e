"""acdl playbook review: decide about similar lessons: same, conflicts or differs."""

import argparse
import sys
from collections.abc import Sequence

from acdl_mkdocs.foundation.safe_text import make_visible, one_line
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, add_curating_arguments, apply_deltas
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, playbook_at, print_json, run_guarded
from acdl_mkdocs.frontends.cli.playbook.refining import (
    ChosenJudge,
    StoppedError,
    list_opinions,
    print_refined,
    refine_file,
)
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import PERSON, Operation
from acdl_mkdocs.playbook.model.near_pairs import NearPair, find_near_pairs
from acdl_mkdocs.playbook.model.operations import Conflict, Keep, Merge
from acdl_mkdocs.playbook.model.refine import Judgement
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.prompts.prompt import Json

_ABOUT = (
    "Without a verdict, the command asks about one pair after another on a terminal, and prints the list otherwise. "
    "With --format json, fill in `verdict` and `reason` in the list and pass it to `acdl playbook refine --answers`."
)
_KEYS = {"s": "same", "c": "conflicts", "d": "differs"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.epilog = _ABOUT
    add_playbook(parser)
    parser.add_argument("opinion", choices=("same", "conflicts", "differs"), nargs="?", help="how the bullets relate")
    parser.add_argument("ids", metavar="ID", nargs="*", help="the bullets; for `same`, the text of the first is kept")
    parser.add_argument("--content", metavar="TEXT", help="new text for bullets that say the same")
    parser.add_argument("--reason", metavar="TEXT", default="", help="reason, for the history")
    add_curating_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List the pairs or decide about them; return 1 if that is refused, 2 if something could not be read or written."""
    return run_guarded(_review_pairs, args)


def _review_pairs(args: argparse.Namespace) -> int:
    if args.opinion is None:
        is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        is_asked = args.format == "terminal" and not args.dry_run and is_terminal
        return _ask_person(args) if is_asked else _print_pairs(args)
    if len(args.ids) < 2 or (args.opinion != "same" and len(args.ids) > 2):
        print_error(f"`{args.opinion}` is about two bullets: acdl playbook review {args.playbook} {args.opinion} ID ID")
        return 2
    if args.opinion != "same" and args.content is not None:
        print_error("`--content` is for `same`: bullets that both stay stay as they are")
        return 2
    return apply_deltas([NamedDelta("review", make_delta(_build_operation(args)))], args)


def _build_operation(args: argparse.Namespace) -> Operation:
    first, *others = args.ids
    if args.opinion == "same":
        return Merge(bullet_id=first, others=tuple(others), content=args.content, reason=args.reason)
    kind = Conflict if args.opinion == "conflicts" else Keep
    return kind(bullet_id=first, other=others[0], reason=args.reason)


def _print_pairs(args: argparse.Namespace) -> int:
    """Print the undecided pairs."""
    playbook = playbook_at(args.playbook)
    pairs = find_near_pairs(playbook, load_similarity(playbook.policy.similarity))
    if args.format == "json":
        listed: list[Json] = [_pair_data(each) for each in pairs]
        print_json({"playbook": str(args.playbook), "pairs": listed})
        return 0
    for each in pairs:
        for line in _format_pair(each):
            print(line)
    print(make_visible(f"{args.playbook}: {format_count(len(pairs), 'pair')} to decide about"))
    if pairs:
        a, b = pairs[0].a.id, pairs[0].b.id
        print(make_visible(f"decide with: acdl playbook review {args.playbook} same|conflicts|differs {a} {b}"))
    return 0


def _pair_data(pair: NearPair) -> Json:
    return {
        "a": pair.a.id,
        "b": pair.b.id,
        "score": pair.score,
        "asked_because": pair.why or None,
        "text_a": pair.a.content,
        "text_b": pair.b.content,
        "verdict": None,
        "reason": None,
    }


def _format_pair(pair: NearPair) -> Sequence[str]:
    head = pair.why or f"similarity {pair.score:.2f}"
    return [
        make_visible(head),
        *(make_visible(f"  [{each.id}] {one_line(each.content, 2_000)}") for each in (pair.a, pair.b)),
    ]


class _PersonJudge:
    """The person at the terminal, as a judge."""

    name = PERSON

    def judge_pair(self, pair: NearPair) -> Judgement | None:
        """Ask the person; nothing for a pair that is left for later.

        Raises:
            StoppedError: The person wants to stop.
        """
        print("\n".join(_format_pair(pair)))
        while True:
            key = self._read_input("(s)ame, (c)onflicts, (d)iffers, (l)ater, (q)uit? ").strip().lower()[:1]
            if key == "q":
                raise StoppedError
            if key == "l":
                return None
            if key in _KEYS:
                opinion = next(each for each in list_opinions() if each == _KEYS[key])
                return Judgement(opinion, self._read_input("reason, for the history (may be empty): ").strip())

    def _read_input(self, question: str) -> str:
        try:
            return input(question)
        except (EOFError, KeyboardInterrupt):
            print()
            raise StoppedError from None


def _ask_person(args: argparse.Namespace) -> int:
    """Ask about one pair after another, until there is none or the person stops."""
    refined = refine_file(args, ChosenJudge(_PersonJudge(), is_person=args.actor == PERSON))
    return print_refined(refined, args)
