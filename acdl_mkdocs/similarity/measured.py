"""What merging by a score alone does, as `benchmarks/merging.py` measured it on labelled pairs."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


def warn_of_merging(measure: str, least: float) -> str:
    """What a policy that merges from a score on does to lessons that say different things.

    Parameters:
        measure: Its name.
        least: The score; what was measured at the next lower one is said.
    """
    numbers = _numbers()
    lists = numbers["measures"][measure]["lists"].values()
    merged = {float(score): counts for score, counts in numbers["measures"][measure]["merge_similar"].items()}
    known = max((score for score in merged if score <= least), default=min(merged))
    different, same = merged[known]
    n_different, n_same = (sum(each[key] for each in lists) for key in ("different", "same"))
    least_known = f"from {known:g} on" if known <= least else f"from {known:g} on, and from {least:g} on more,"
    return (
        f"`merge_similar: {least:g}` merges by a score alone: {least_known} `{measure}` makes one of {different} of "
        f"{n_different} labelled pairs that say different things, and of {same} of {n_same} that say the same"
    )


@cache
def _numbers() -> Any:
    return json.loads((files("acdl_mkdocs") / "assets" / "merging.json").read_text("utf-8"))
