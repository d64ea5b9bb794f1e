"""Shared options of `acdl playbook evaluate` and `learn`: the model, the data set, the scorer and the price."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error

if TYPE_CHECKING:
    from acdl_mkdocs.foundation.errors import AcdlError
    from acdl_mkdocs.playbook.learn.agents import Agent
    from acdl_mkdocs.playbook.learn.datasets import Sample
    from acdl_mkdocs.playbook.learn.models import Model
    from acdl_mkdocs.playbook.learn.report import Price
    from acdl_mkdocs.playbook.learn.role_models import ByRole
    from acdl_mkdocs.playbook.learn.scorers import Scorer, Watch

_MAX_SHOWN = 20


def add_agent_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the agent that answers in place of a model."""
    group = parser.add_argument_group("agent")
    group.add_argument(
        "--agent",
        metavar="AGENT",
        help="let your own agent answer the questions: a command that reads a task as JSON and writes its answer, or "
        "a Python function, MODULE:FUNCTION",
    )


def add_model_arguments(parser: argparse.ArgumentParser, *, is_required: bool = True) -> "argparse._ArgumentGroup":
    """Declare the model and its settings."""
    group = parser.add_argument_group("model")
    group.add_argument("--model", required=is_required, metavar="NAME", help="name of the model on its server")
    group.add_argument(
        "--base-url",
        metavar="URL",
        help="OpenAI-compatible server (default: OPENAI_BASE_URL, or OpenAI)",
    )
    group.add_argument(
        "--key-name",
        default="OPENAI_API_KEY",
        metavar="VARIABLE",
        help="environment variable with the key (default: %(default)s)",
    )
    group.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed for random choices and for the model (default: 0)"
    )
    group.add_argument(
        "--workers", type=parse_at_least(1), default=1, metavar="N", help="questions to ask in parallel (default: 1)"
    )
    group.add_argument(
        "--deadline", type=parse_positive, default=600.0, metavar="SECONDS",
        help="maximum time for one question, with retries (default: %(default)g)",
    )  # fmt: skip
    group.add_argument(
        "--max-tokens",
        type=parse_at_least(1),
        metavar="N",
        help="maximum length of a reply, in model tokens (default: the server's)",
    )
    group.add_argument("--temperature", type=parse_positive, metavar="T", help="temperature of replies (default: 0)")
    group.add_argument("--price-in", type=parse_positive, metavar="PRICE", help="price of a million model tokens sent")
    group.add_argument(
        "--price-out", type=parse_positive, metavar="PRICE", help="price of a million model tokens received"
    )
    return group


def add_dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the data set and the scorer."""
    parser.add_argument(
        "dataset", type=Path, metavar="DATASET", help="questions and answers: JSON lines, or a JSON list"
    )
    group = parser.add_argument_group("data set")
    for name, meaning in (
        ("question", "the question (default: question, input, prompt or query)"),
        ("answer", "the right answer (default: answer, target, final_answer, label or output)"),
        ("context", "the context of the question (default: context or passage)"),
        ("id", "the id (default: id, task_id or uid; otherwise derived from the content)"),
        ("scenario", "the scenario that a task is a variant of (default: scenario or scenario_id)"),
    ):
        group.add_argument(f"--{name}", metavar="FIELD", help=f"field with {meaning}; `a.b` is inside `a`")
    group.add_argument("--limit", type=parse_at_least(1), metavar="N", help="use only N samples, chosen by the seed")
    group.add_argument(
        "--scorer",
        default="exact",
        metavar="NAME",
        help="contains, exact, finer, formula, labels, numeric, or one from a package (default: exact)",
    )
    group.add_argument(
        "--tolerance",
        type=parse_positive,
        metavar="PART",
        help="for numeric: largest difference, as a fraction of the right answer",
    )
    group.add_argument("--absolute", type=parse_positive, metavar="DISTANCE", help="for numeric: largest difference")
    group.add_argument(
        "--feedback", type=_parse_command, metavar="COMMAND",
        help="run COMMAND on each answer: it gets the sample and the answer as JSON on standard input; exit status 0 "
        "means right, and the model learns from its output",
    )  # fmt: skip
    group.add_argument(
        "--feedback-timeout", type=parse_positive, default=60.0, metavar="SECONDS",
        help="maximum time for COMMAND (default: %(default)g)",
    )  # fmt: skip


def parse_at_least(least: int) -> "type[int]":
    """Return a type for argparse: whole numbers from `least` on."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"`{text}` is not a whole number of at least {least}")
        return int(text)

    return number  # type: ignore[return-value]


def parse_positive(text: str) -> float:
    """Parse a number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of at least 0")
    return value


def _parse_command(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as fault:
        raise argparse.ArgumentTypeError(f"`{text}` is not a command: {str(fault).lower()}") from None
    if not words:
        raise argparse.ArgumentTypeError("the command is empty")
    return words


_ROLE_SETTINGS = ("model", "base-url", "key-name", "temperature", "max-tokens")


def add_role_arguments(group: "argparse._ArgumentGroup") -> None:
    """Declare the settings of a role that differ from the others."""
    group.add_argument(
        "--role", action="append", nargs="+", default=[], metavar=("ROLE", "SETTING=VALUE"),
        help="settings for only the generator, reflector or curator, as in `--role reflector model=NAME "
        f"temperature=0.7`: {', '.join(_ROLE_SETTINGS)} (default: those of all roles)",
    )  # fmt: skip


def model_of(args: argparse.Namespace) -> "Model":
    """Return the requested model.

    Raises:
        ModelError: It cannot be asked.
    """
    from acdl_mkdocs.playbook.learn.models.chat_completions import ChatCompletions
    from acdl_mkdocs.playbook.learn.models.endpoint import OPENAI_URL, Patience
    from acdl_mkdocs.playbook.learn.role_models import TunedModel

    patience = Patience(deadline_s=args.deadline, seed=args.seed)
    url = args.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    model = ChatCompletions(
        args.model, url, key_name=args.key_name, max_model_tokens=args.max_tokens, patience=patience
    )
    return model if args.temperature is None else TunedModel(model, args.temperature)


def models_of(args: argparse.Namespace) -> "ByRole":
    """Return the model of each role.

    Raises:
        RunError: A role or a setting cannot be understood.
        ModelError: A model cannot be asked.
    """
    from acdl_mkdocs.playbook.learn.role_models import ROLES, ByRole

    everyone = model_of(args)
    models = dict.fromkeys(ROLES, everyone)
    for role, *settings in args.role:
        if role not in models:
            raise _role_error(f"no role `{role}`", f"there are {', '.join(ROLES)}")
        if not settings:
            raise _role_error(f"nothing is said about the {role}", "write `model=NAME` behind it")
        models[role] = model_of(argparse.Namespace(**{**vars(args), **dict(map(_role_setting, settings))}))
    return ByRole(**models)


def _role_setting(text: str) -> tuple[str, object]:
    """Parse a setting of a role, like the option for all roles."""
    name, sign, value = text.partition("=")
    if name not in _ROLE_SETTINGS or not sign or not value:
        raise _role_error(
            f"`{text}` is not a setting of a role", f"there are {', '.join(_ROLE_SETTINGS)}, each with `=VALUE`"
        )
    readers: dict[str, Callable[[str], object]] = {"temperature": parse_positive, "max-tokens": parse_at_least(1)}
    try:
        return name.replace("-", "_"), readers.get(name, str)(value)
    except argparse.ArgumentTypeError as fault:
        raise _role_error(f"{name}: {fault}", "") from None


def _role_error(message: str, cure: str) -> "AcdlError":
    from acdl_mkdocs.foundation.errors import RunError

    return RunError("; ".join(filter(None, [f"--role: {message}", cure])))


def feedback_of(args: argparse.Namespace) -> "Watch | None":
    """Return the feedback on answers, if a command is given."""
    from acdl_mkdocs.playbook.learn.user_programs import CommandFeedback

    return None if args.feedback is None else CommandFeedback(args.feedback, args.feedback_timeout)


def agent_of(args: argparse.Namespace) -> "Agent | None":
    """Return the requested agent, if any; a function is looked up in the working folder too.

    Raises:
        AgentError: There is no such function, or the command is none.
    """
    from acdl_mkdocs.playbook.learn.user_programs import load_agent

    if args.agent is None:
        return None
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    return load_agent(args.agent, args.deadline)


def scorer_of(args: argparse.Namespace) -> "Scorer":
    """Return the requested scorer.

    Raises:
        AcdlError: There is none of that name, or it cannot be loaded.
    """
    from acdl_mkdocs.playbook.learn.scorers import scorer

    return scorer(args.scorer, relative=args.tolerance, absolute=args.absolute)


def price_of(args: argparse.Namespace) -> "Price | None":
    """Return the price of model tokens, if given."""
    from acdl_mkdocs.playbook.learn.report import Price

    if args.price_in is None and args.price_out is None:
        return None
    return Price(args.price_in or 0.0, args.price_out or 0.0)


def samples_of(args: argparse.Namespace) -> "tuple[Sample, ...] | None":
    """Read the samples of the data set; problems with it are printed, and there are none then.

    Raises:
        OSError: It cannot be read.
    """
    from acdl_mkdocs.playbook.learn.datasets import limit_samples

    samples = more_samples(args.dataset, args)
    return samples and limit_samples(samples, args.limit, args.seed)


def more_samples(path: Path, args: argparse.Namespace) -> "tuple[Sample, ...] | None":
    """Read all samples of a file with the fields of the data set; problems are printed, and there are none then.

    Raises:
        OSError: It cannot be read.
    """
    from acdl_mkdocs.playbook.learn.datasets import Fields, read_samples

    read = read_samples(path, Fields(args.question, args.answer, args.context, args.id, args.scenario))
    for problem in read.problems[:_MAX_SHOWN]:
        print_error(f"{path}:{problem.line}: {problem.message}; {problem.help}")
    if len(read.problems) > _MAX_SHOWN:
        print_error(f"{path}: and {format_count(len(read.problems) - _MAX_SHOWN, 'more problem')}")
    return None if read.problems else read.samples
