"""Words and sums of an inspection, the same in every format."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.prompts.prompt import Attachment
from acdl_mkdocs.runs.inspect.inspection import Inspection, PrefixEnd, Repeat, Run, Step, WeighedMessage
from acdl_mkdocs.runs.inspect.options import Price
from acdl_mkdocs.runs.report.recording import describe_part, shorten_line

_MILLION = 1_000_000
_MOST_PLACES, _MOST_NAMES = 4, 6


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all requests."""

    n_steps: int
    n_runs: int
    n_tokens: int
    n_prefix: int
    n_again: int
    n_new: int
    n_tools: int
    n_largest: int
    """Model tokens of the largest request."""
    n_losing: int
    """Number of requests that do not extend the previous one."""
    n_followers: int
    """Number of requests that follow another one."""
    n_input: int | None
    """Input tokens counted by providers, cached or not, if replies have them."""
    n_cached: int | None
    n_counted: int
    """Requests whose reply has its usage."""

    def compute_percent(self, number: int) -> int:
        """Return a share of all model tokens."""
        return round(100 * number / self.n_tokens) if self.n_tokens else 0


def sum_runs(runs: Sequence[Run]) -> Totals:
    """Return the sums of some runs."""
    steps = [step for run in runs for step in run.steps]
    usages = [step.usage for step in steps if step.usage is not None]
    cached = [each.n_cached for each in usages if each.n_cached is not None]
    return Totals(
        n_steps=len(steps),
        n_runs=len(runs),
        n_tokens=sum(each.n_tokens for each in steps),
        n_prefix=sum(each.n_prefix for each in steps),
        n_again=sum(each.n_again for each in steps),
        n_new=sum(each.n_new for each in steps),
        n_tools=sum(each.n_tools for each in steps),
        n_largest=max((each.n_tokens for each in steps), default=0),
        n_losing=sum(is_losing(each) for each in steps),
        n_followers=sum(max(len(run.steps) - 1, 0) for run in runs),
        n_input=sum(each.n_input for each in usages) if usages else None,
        n_cached=sum(cached) if cached else None,
        n_counted=len(usages),
    )


def is_losing(step: Step) -> bool:
    """Return whether the step has content that was sent before and that no cache can provide."""
    return step.end is not None and step.n_again > 0


def describe_counting(inspection: Inspection) -> str:
    """Describe what is counted, and what is not."""
    parts = (part for step in inspection.steps for message in step.messages for part in message.parts)
    has_media = any(isinstance(each.part, Attachment) and not each.n_tokens for each in parts)
    return (
        f"model tokens in {inspection.encoding}, without "
        f"{'images, files and ' if has_media else ''}what a provider adds"
    )


def describe_inspection(inspection: Inspection) -> str:
    """Summarize an inspection in a sentence."""
    totals = sum_runs(inspection.runs)
    if not totals.n_followers:
        return f"{format_count(totals.n_steps, 'request')}, none of which follows another request of its run"
    if not totals.n_losing:
        return "the prompt cache is never lost: every request begins with everything it repeats from the previous one"
    part = f"{totals.n_losing} of {totals.n_followers} following requests"
    lost = f"{inspection.shown(totals.n_again)} model tokens that were sent before"
    return f"the prompt cache is lost at {part}: {lost} have to be processed again"


# ------------------------------------------------------------------------------------------------------------ one step


def format_point(step: Step) -> str:
    """Return the point in time of a step as it is written: `@2.1`."""
    return f"@{describe_point(step)}"


def describe_point(step: Step) -> str:
    """Return the point without its sign."""
    if step.at is None:
        return "?"
    return ".".join(map(str, step.at.significant))


def describe_step(step: Step, before: Step | None, inspection: Inspection) -> str:
    """Describe how much is sent, and how much of it was sent before."""
    facts = [format_count(len(step.messages), "message"), f"{inspection.tokens(step.n_tokens)}"]
    if before is None:
        return ", ".join(facts)
    facts[-1] += f" ({step.n_tokens - before.n_tokens:+,})"
    if step.end is None:
        facts.append(f"extends {format_point(before)} ({inspection.tokens(step.n_prefix)})")
    else:
        of_them = f"{inspection.shown(step.n_prefix)} of {inspection.tokens(before.n_tokens)}"
        facts.append(f"begins with {of_them} of {format_point(before)}")
    return ", ".join(facts)


def describe_prefix_end(end: PrefixEnd) -> str:
    """Describe why a prefix ends, and where."""
    place = end.path if end.character is None else f"{end.path}, character {end.character:,}"
    return f"{make_visible(end.words)} ({place})"


def has_sides(end: PrefixEnd) -> bool:
    """Return whether the two texts show more than the description."""
    return bool(end.before or end.after) and end.reason not in ("model", "tools", "tool-order")


def describe_loss(step: Step, inspection: Inspection) -> str:
    """Describe the cost of a lost prefix."""
    if not step.n_again:
        return ""
    was = "was" if step.n_again == 1 else "were"
    return f"{inspection.tokens(step.n_again)} after it {was} sent before and cannot be read from a prompt cache"


def shorten_message(message: WeighedMessage, most: int) -> str:
    """Return the beginning of a message in one line."""
    return (
        shorten_line(" ".join(filter(None, (describe_part(each.part) for each in message.parts))), most) or "(nothing)"
    )


def describe_repeat(repeat: Repeat, inspection: Inspection) -> str:
    """Describe how often a text is sent, and where."""
    places = [*dict.fromkeys(repeat.messages)]
    numbers = ", ".join(f"messages[{each}]" for each in places[:_MOST_PLACES])
    rest = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return f"{len(repeat.messages)} times {inspection.tokens(repeat.n_tokens)} in {numbers}{rest}"


# --------------------------------------------------------------------------------------------------------- all requests


def find_largest_repeats(run: Run) -> tuple[Step, tuple[Repeat, ...]] | None:
    """Return the step of a run that repeats most within itself."""
    best = max(run.steps, key=lambda step: sum(each.n_wasted for each in step.repeats))
    return (best, best.repeats) if best.repeats else None


def list_facts(inspection: Inspection, runs: Sequence[Run], price: Price | None = None) -> Iterator[tuple[str, str]]:
    """Yield facts about some runs, each a word and a sentence."""
    totals = sum_runs(runs)
    largest = f", {inspection.shown(totals.n_largest)} in the largest" if totals.n_steps > 1 else ""
    yield (
        "sent",
        f"{inspection.shown(totals.n_tokens)} model tokens in {format_count(totals.n_steps, 'request')}{largest}",
    )
    if totals.n_followers:
        prefix, again = (
            f"{inspection.shown(each)} ({totals.compute_percent(each)} %)" for each in (totals.n_prefix, totals.n_again)
        )
        yield "prefix", f"{prefix} repeat the beginning of the previous request, which a prompt cache can serve"
        yield "lost", f"{again} were sent in the previous request, but after the first difference"
    yield "new", f"{inspection.shown(totals.n_new)} ({totals.compute_percent(totals.n_new)} %)"
    if totals.n_tools or any(run.tools for run in runs):
        yield "tools", _describe_tools(inspection, runs, totals)
    for run in runs:
        if repeated := find_largest_repeats(run):
            step, repeats = repeated
            wasted = inspection.tokens(sum(each.n_wasted for each in repeats))
            where = f"{format_point(step)} of {make_visible(run.name)}"
            yield "repeated", f"{where} has {format_count(len(repeats), 'text')} several times: {wasted} redundant"
    if totals.n_input is not None:
        cached = "" if totals.n_cached is None else f", {totals.n_cached:,} of them read from its cache"
        replies = "1 reply" if totals.n_counted == 1 else f"{totals.n_counted:,} replies"
        yield "usage", f"{totals.n_input:,} input tokens as the provider counted them in {replies}{cached}"
    if price is not None:
        yield "cost", _describe_cost(totals, price)


def _describe_tools(inspection: Inspection, runs: Sequence[Run], totals: Totals) -> str:
    tools = [tool for run in runs for tool in run.tools]
    called = {tool.name for tool in tools if tool.n_calls}
    unused = [*dict.fromkeys(tool.name for tool in tools if tool.n_steps and tool.name not in called)]
    unknown = [*dict.fromkeys(tool.name for tool in tools if not tool.n_steps and not tool.is_provided)]
    sentence = f"{inspection.shown(totals.n_tools)} ({totals.compute_percent(totals.n_tools)} %) are tool definitions"
    if unused:
        sentence += f"; never called: {_join_names(unused)}"
    if unknown:
        sentence += f"; called without a definition: {_join_names(unknown)}"
    return sentence


def _join_names(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(f"`{make_visible(each)}`" for each in names[:_MOST_NAMES]) + rest


def compute_costs(totals: Totals, price: Price) -> dict[str, float]:
    """Return the costs of the requests at a price: without a cache, with all prefixes from one, and the lost part."""
    full = totals.n_tokens * price.input / _MILLION
    saved = (price.input - price.cached) / _MILLION
    return {
        "without_cache": full,
        "with_cache": full - totals.n_prefix * saved,
        "lost": totals.n_again * saved,
    }


def _describe_cost(totals: Totals, price: Price) -> str:
    costs = compute_costs(totals, price)
    return (
        f"{costs['without_cache']:,.4f} without a cache, {costs['with_cache']:,.4f} with every prefix served by one; "
        f"what is lost costs {costs['lost']:,.4f} more (at {price.input:g} and {price.cached:g} per million tokens)"
    )
