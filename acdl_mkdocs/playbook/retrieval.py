"""The bullets of a playbook that a task needs, where not all of it should be in the prompt."""

from collections.abc import Callable
from dataclasses import replace

from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.prompt_text import prompt_text
from acdl_mkdocs.playbook.pruning import fewest, rank
from acdl_mkdocs.playbook.relevance import Background, ranking
from acdl_mkdocs.prompts.tokens import counter


def useful(playbook: Playbook) -> Playbook:
    """A playbook without the lessons that only did harm: agents do not get them, curators do, to correct them."""
    bullets = tuple(each for each in playbook.bullets if not each.has_only_harmed)
    return playbook if len(bullets) == len(playbook.bullets) else replace(playbook, bullets=bullets)


def lessons_for(
    playbook: Playbook, task: str, k: int, budget: int | None = None, among: Background | None = None
) -> tuple[Bullet, ...]:
    """The lessons that an agent gets for a task, the most wanted first; see `top`.

    Raises:
        UnknownFormatError: The policy of the playbook names an encoding that does not exist.
        MissingExtraError: The packages that it needs are not installed.
    """
    policy = playbook.policy
    count = counter.counter(policy.encoding or "estimate").count
    most = policy.budget_model_tokens if budget is None else budget
    return top(useful(playbook), task, k, count, most, among)


def top(
    playbook: Playbook,
    task: str,
    k: int,
    count: Callable[[str], int],
    budget: int | None = None,
    among: Background | None = None,
) -> tuple[Bullet, ...]:
    """The bullets for a task, the most wanted first.

    Pinned and critical ones come first and do not count as one of the `k`; then those nearest to the task; then, if
    fewer than `k` have anything in common with it, those with the best counters.

    Parameters:
        playbook: Where to look.
        task: What is to be done, in words.
        k: How many to take.
        count: Counts model tokens.
        budget: Most model tokens of their text form; the last ones are left out until they fit. `None` is no limit.
        among: What the questions at hand have in common, which says nothing about this one.
    """
    sent = playbook.sent
    always = [each for each in sent if each.pinned or each.severity == "critical"]
    others = [each for each in sent if not (each.pinned or each.severity == "critical")]
    near = ranking(tuple(each.content for each in others)).nearest(task, among)
    wanted = [others[idx] for idx, _ in near[: max(k, 0)]]
    if len(wanted) < k:
        taken = {each.id for each in wanted}
        wanted += [each for each in reversed(rank(others)) if each.id not in taken]
    chosen = [*reversed(rank(always)), *wanted[: max(k, 0)]]
    if budget is None:
        return tuple(chosen)

    def fits(n_left_out: int) -> bool:
        return count(prompt_text(playbook, bullets=chosen[: len(chosen) - n_left_out])) <= budget

    n_left_out = fewest(len(chosen), fits)
    return tuple(chosen[: len(chosen) - (len(chosen) if n_left_out is None else n_left_out)])
