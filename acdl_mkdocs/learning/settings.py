"""What a run of learning is asked for: what its result depends on, what it does not, and what cannot be meant."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, is_dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.by_role import ByRole
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.judge import Judge
from acdl_mkdocs.learning.roles import MAX_REFLECTOR_ROUNDS
from acdl_mkdocs.learning.run_file import Begin
from acdl_mkdocs.learning.trajectory import Totals
from acdl_mkdocs.learning.validation import Validation
from acdl_mkdocs.prompts.prompt import Json

MAX_EPOCHS = 5
"""Of an offline run. Source: arXiv:2510.04618, section 4.1."""
BATCH_SIZE = 1
"""Questions that a delta is made of. Source: arXiv:2510.04618, section 4.1."""

Mode: TypeAlias = Literal["offline", "online"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the result of a run depends on, beside samples, playbook and model."""

    epochs: int = 1
    """How often a run goes through its training set, at most 5; an online one does so with its warm-up only."""
    rounds: int = MAX_REFLECTOR_ROUNDS
    """Most rounds of reflection about one question, at most 5."""
    batch: int = BATCH_SIZE
    """Questions that one delta is made of: the curator is shown the reflections on all of them at once."""
    window: int = 1
    """Questions that are answered with the same playbook before what they teach is curated, in their order. They may
    run at the same time. A whole number of batches, and at least one. 1 is what the paper does."""
    seed: int = 0
    """Of the order of an epoch; sent to models that take one."""
    top: int | None = None
    """How many bullets nearest to the question a prompt has; `None` is the whole playbook."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    n_done: int
    n_all: int
    totals: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a run works with, and its result does not depend on."""

    folder: Path | None = None
    """Of the run; `None` is `playbook.run` beside `playbook.yaml`."""
    begin: Begin = "auto"
    executor: Executor | None = None
    """Where questions of a window, and of a validation, run at the same time: threads, processes, a cluster. `None` is
    one after another."""
    now: Callable[[], str | None] = lambda: None
    """The time for the history, as ISO 8601 in UTC."""
    tell: Callable[[Progress], None] | None = None
    """Called after each question, and once before the first."""
    say: Callable[[str], None] | None = None
    """Called with sentences about what was found in the playbook and its history, such as line ends."""
    tell_validation: Callable[[int, int], None] | None = None
    """Told how many questions of a validation are done, and of how many."""


def check(
    mode: Mode,
    samples: Sequence[Sample],
    settings: Settings,
    warm_up: Sequence[Sample] = (),
    validation: Validation | None = None,
) -> None:
    """Refuse what cannot be meant.

    Raises:
        RunError: Something cannot be.
    """
    if not samples:
        raise RunError("there are no questions to learn from; give at least one")
    if validation is not None and not validation.samples:
        raise RunError("there are no questions to validate with; give at least one")
    for each in (samples, warm_up, validation.samples if validation else ()):
        if len({sample.id for sample in each}) < len(each):
            raise RunError("two samples have the same id; give every sample an id of its own")
    limits = {
        "epochs": (settings.epochs, MAX_EPOCHS if mode == "offline" or warm_up else 1),
        "rounds": (settings.rounds, MAX_REFLECTOR_ROUNDS),
        "batch": (settings.batch, None),
        "window": (settings.window, None),
        "top": (1 if settings.top is None else settings.top, None),
        "every": (1 if validation is None or validation.every is None else validation.every, None),
    }
    for name, (value, most) in limits.items():
        if value < 1 or (most is not None and value > most):
            takes = "1 or more" if most is None else "1" if most == 1 else f"1 to {most}"
            raise RunError(f"{name} is {value}, and a run that is {mode} takes {takes}")
    if settings.window > settings.batch and settings.window % settings.batch:
        said = f"the window is {settings.window} and the batch is {settings.batch}"
        raise RunError(f"{said}: a window is made of whole batches; give a multiple of {settings.batch}")


def description(
    mode: Mode,
    samples: Sequence[Sample],
    models: ByRole,
    settings: Settings,
    judge: Judge,
    warm_up: Sequence[Sample] = (),
    validation: Validation | None = None,
) -> dict[str, Json]:
    """What a run that is gone on with has to have in common with what it was begun with."""
    told: dict[str, Json] = {
        "mode": mode,
        **asdict(settings),
        "model": models.description,
        "scorer": _name(judge.scorer),
        "feedback": None if judge.feedback is None else _name(judge.feedback),
        "n_samples": len(samples),
        "samples": _digest(samples),
    }
    if settings.batch == BATCH_SIZE:
        del told["batch"]  # runs that were begun before there were batches can be gone on with
    if warm_up:
        told["warm_up"] = _digest(warm_up)
    if validation is not None:
        told["validation"] = _digest(validation.samples)
        told["validate_every"] = validation.every
        if validation.keep != "best":
            told["keep"] = validation.keep
    return told


def _digest(samples: Sequence[Sample]) -> str:
    told = [[each.id, each.question, each.answer, each.context] for each in samples]
    return sha256(repr(told).encode("utf-8", "replace")).hexdigest()[:16]


def _name(function: object) -> str:
    """What a function is called, with what a partial one is given; a value with fields by all of them."""
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{key}={value!r}" for key, value in sorted(function.keywords.items()))]
        return f"{_name(function.func)}({', '.join(given)})"
    if is_dataclass(function):
        return repr(function)
    return str(getattr(function, "__qualname__", type(function).__qualname__))
