"""What `acdl playbook learn` needs beside its options: threads that can be stopped, a bar, and its last words."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from acdl_mkdocs.cli.messages import show_bar
from acdl_mkdocs.cli.playbook_models import price_of
from acdl_mkdocs.counted import counted
from acdl_mkdocs.errors import RunError
from acdl_mkdocs.learning.by_role import ROLES, ByRole
from acdl_mkdocs.learning.loop import Progress, Ran
from acdl_mkdocs.learning.validation import BEST_FILE, usage_of
from acdl_mkdocs.models import Model, Reply, Usage
from acdl_mkdocs.prompt import Json, Prompt


class Stoppable:
    """A model that is asked nothing more once it is stopped; what was asked before is waited for and kept.

    Parameters:
        model: Who is asked.
        is_stopped: Of all models of a run.
    """

    def __init__(self, model: Model, is_stopped: Event) -> None:
        self.name = model.name
        self.description = getattr(model, "description", model.name)
        self.model, self.is_stopped = model, is_stopped

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model has to say about its server."""
        return tuple(getattr(self.model, "notes", ()))

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """The reply of the model.

        Raises:
            RunError: It was stopped; nobody waits for a reply.
        """
        if self.is_stopped.is_set():
            raise RunError("stopped")
        return self.model.complete(
            prompt, json_schema=json_schema, max_model_tokens=max_model_tokens, temperature=temperature, seed=seed
        )


def stoppable(models: ByRole, is_stopped: Event) -> ByRole:
    """Models that all stop together."""
    return ByRole(*(Stoppable(getattr(models, role), is_stopped) for role in ROLES))


def notes_of(models: ByRole) -> tuple[str, ...]:
    """What models have to say about their servers, each once."""
    return tuple(dict.fromkeys(note for role in ROLES for note in getattr(models, role).notes))


@contextmanager
def workers(number: int, is_stopped: Event) -> Iterator[Executor | None]:
    """Threads, if more than one question may be asked at a time; interrupted, they end after the call they are at."""
    if number == 1:
        yield None
        return
    with ThreadPoolExecutor(number) as threads:
        try:
            yield threads
        except BaseException:
            is_stopped.set()
            raise


def show_progress(progress: Progress) -> None:
    """Show on a terminal how far a run is, and how right it was so far."""
    accuracy = progress.totals.accuracy
    show_bar(progress.n_done, progress.n_all, "" if accuracy is None else f" accuracy {accuracy:.0%}")


def print_learned(ran: Ran, args: argparse.Namespace, notes: Sequence[str] = ()) -> None:
    """Print the summary of a run that is finished."""
    totals, playbook, usage = ran.totals, ran.playbook, ran.totals.usage
    right = f"{totals.n_right} right at once, {totals.n_right_later} after a reflection"
    print(f"{counted(totals.n_questions, 'question')}: {right}, {totals.n_failures} not answered")
    if totals.accuracy is not None:
        told = [value for point in ran.points if isinstance(value := point.get("accuracy"), float)]
        course = f", from {told[0]:.1%} to {told[-1]:.1%}" if len(told) > 1 else ""
        print(f"accuracy of first answers: {totals.accuracy:.1%}{course}")
    if len(ran.epochs) > 1:
        names = [f"epoch {n}" for n in range(1, len(ran.epochs) + 1)]
        if args.online:
            names = [*(f"warm-up {name}" for name in names[:-1]), "stream"]
        found = zip(names, (each.accuracy for each in ran.epochs), strict=True)
        print(", ".join(f"{name}: {value:.1%}" for name, value in found if value is not None))
    if ran.best is not None:
        first, last = (ran.validations[idx].get("accuracy") for idx in (0, -1))
        best = f"best {ran.best.get('accuracy'):.1%} at revision {ran.best.get('revision')}"
        print(f"validation: from {first:.1%} to {last:.1%}, {best}: {ran.folder / BEST_FILE}")
    active = counted(len(playbook.active), "lesson")
    print(f"{args.playbook}: revision {playbook.revision}, {active}, {totals.n_rejected} operations refused")
    if totals.n_unknown_ids:
        print(f"{counted(totals.n_unknown_ids, 'id')} that the model cited or tagged did not exist and counted nothing")
    usage += sum((usage_of(each) for each in ran.validations), Usage())
    price = price_of(args)
    is_one_price = price is not None and not any("model=" in word for role in args.role for word in role)
    cost = f", cost {price.of(usage):.4f}" if price is not None and is_one_price else ""
    if price is not None and not is_one_price:
        notes = (*notes, "the cost is not known: roles have models of their own, and prices are of one")
    print(f"model tokens: {usage.prompt_model_tokens:,} sent, {usage.reply_model_tokens:,} received{cost}")
    if ran.judged.n_pairs:
        used = ran.judged.usage.prompt_model_tokens + ran.judged.usage.reply_model_tokens
        print(f"{counted(ran.judged.n_pairs, 'pair')} of near lessons judged, with {used:,} model tokens more")
    for note in (*dict.fromkeys(f"near lessons were not judged: {each}" for each in ran.judged.failures), *notes):
        print(f"note: {note}")
    print(f"run: {ran.folder} ({ran.run})")
