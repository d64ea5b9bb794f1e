"""`chosen()`: the requests of one agent out of a recording that has those of several. Knows nothing of specs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompts.prompt import Text
from acdl_mkdocs.traces.recorded import Recorded


def _system(request: Recorded) -> str:
    parts = (each for message in request.request.messages if message.role == "system" for each in message.parts)
    return "\n".join(each.text for each in parts if isinstance(each, Text))


KEYS: Mapping[str, Callable[[Recorded, str], bool]] = {
    "model": lambda each, wanted: fnmatchcase(each.model or "", wanted),
    "episode": lambda each, wanted: fnmatchcase(each.episode or "", wanted),
    "system": lambda each, wanted: wanted in _system(each),
}
"""What a request is chosen by: its model and its run, in which `*` stands for anything, and words of its
instructions."""


def read_only(words: Iterable[str]) -> dict[str, str]:
    """What is asked for as `model=gpt-*`, by its key.

    Raises:
        TraceError: A key is not known, or nothing is said about it.
    """
    found: dict[str, str] = {}
    for each in words:
        key, _, wanted = each.partition("=")
        if key not in KEYS:
            near = closest(key, KEYS)
            cure = f"did you mean `{near}=...`?" if near else f"there are {', '.join(f'`{name}=...`' for name in KEYS)}"
            raise TraceError(f"requests are not chosen by `{each}`; {cure}")
        if not wanted:
            raise TraceError(f"`{each}` does not say which; write such as `{key}=planner*`")
        found[key] = wanted
    return found


def chosen(requests: Iterable[Recorded], only: Mapping[str, str]) -> Iterator[Recorded]:
    """The requests of which all that is asked for is so.

    Raises:
        TraceError: There are requests, and none is such a one.
    """
    n_found = n_chosen = 0
    seen: dict[str, None] = {}
    for each in requests:
        n_found += 1
        if all(KEYS[key](each, wanted) for key, wanted in only.items()):
            n_chosen += 1
            yield each
        else:
            seen.setdefault(f"`{each.model or 'no model'}`" + (f" in `{each.episode}`" if each.episode else ""))
    if n_found and not n_chosen:
        asked = " and ".join(f"{key}={wanted}" for key, wanted in only.items())
        there = ", ".join([*seen][:5]) + (" and more" if len(seen) > 5 else "")
        raise TraceError(f"none of {n_found} requests has {asked}; there are those of {there}")
