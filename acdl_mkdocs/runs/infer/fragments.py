"""`share_fragments()`: statements that several prompts have in common, as a fragment that each of them uses."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.runs.infer.arrange import INDENT
from acdl_mkdocs.runs.infer.names import make_unique

_NAME = "Conversation"
_TITLE = re.compile(r"(\w+)(\[.*\]): \{")
_OF_ONE_PROMPT = re.compile(r"\b[A-Z][A-Z0-9_]+\b|\$|//")
"""Templates, whose texts are those of one agent, names of the prompt, and comments."""
_CONTINUED = re.compile(rf"{INDENT}(?:\}}|ElseIf |Else )")


@dataclass(frozen=True, slots=True)
class _Body:
    """A prompt: its lines before its statements, with the title, and its statements with all that is inside them."""

    head: tuple[str, ...]
    time: str
    """What the title names, with its brackets."""
    statements: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The prompt as it is written."""
        return "\n".join([*self.head, *(line for each in self.statements for line in each), "}"]) + "\n"


def share_fragments(texts: Sequence[str], undecided: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """Return prompts that use fragments for what they share, and the fragments.

    Parameters:
        texts: The prompts. What they share has to make the file shorter.
        undecided: Lines that get comments about choices of their prompts, so that they are not shared.
    """
    bodies = [_split_prompt(text) for text in texts]
    used = {match[1] for body in bodies if (match := _TITLE.fullmatch(body.head[-1]))}
    fragments: list[str] = []
    while shared := _find_shared(bodies, undecided):
        time, statements = shared
        name = make_unique(_NAME, used)
        used.add(name)
        body = "".join(f"{line}\n" for each in statements for line in each)
        fragments.append(f"RolesFrag {name}{time}: {{\n{body}}}\n")
        bodies = [_use_fragment(each, f"{INDENT}Frag {name}{time}", time, statements) for each in bodies]
    return [body.text for body in bodies], fragments


def _split_prompt(text: str) -> _Body:
    lines = text.rstrip("\n").split("\n")
    start = next(at for at, line in enumerate(lines) if not line.startswith("//")) + 1
    match = _TITLE.fullmatch(lines[start - 1])
    statements: list[list[str]] = []
    for line in lines[start:-1]:
        is_first = line.startswith(INDENT) and line[len(INDENT)] != " " and _CONTINUED.match(line) is None
        if is_first or not statements:
            statements.append([])
        statements[-1].append(line)
    return _Body(tuple(lines[:start]), match[2] if match else "", tuple(map(tuple, statements)))


def _find_shared(bodies: Sequence[_Body], undecided: Collection[str]) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    """Return the statements that save most lines, with the time that their prompts name; `None` if none saves any."""
    best: tuple[int, str, tuple[tuple[str, ...], ...]] = (0, "", ())
    for one, two in combinations(bodies, 2):
        if one.time != two.time:
            continue
        for statements in _list_common(one.statements, two.statements, undecided):
            n_lines = sum(line.strip() != "}" for each in statements for line in each)
            n_uses = sum(each.time == one.time and _find_run(each, statements) is not None for each in bodies)
            n_saved = n_lines * n_uses - (n_lines + 1) - n_uses
            if n_saved > best[0]:
                best = n_saved, one.time, statements
    return best[1:] if best[0] else None


def _list_common(
    one: Sequence[tuple[str, ...]], two: Sequence[tuple[str, ...]], undecided: Collection[str]
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield the longest equal runs of statements from each pair of places."""
    for at_one, at_two in ((a, b) for a in range(len(one)) for b in range(len(two))):
        size = 0
        while (
            at_one + size < len(one)
            and at_two + size < len(two)
            and one[at_one + size] == two[at_two + size]
            and not any(_OF_ONE_PROMPT.search(line) or line.strip() in undecided for line in one[at_one + size])
        ):
            size += 1
        if size:
            yield tuple(one[at_one : at_one + size])


def _find_run(body: _Body, statements: Sequence[tuple[str, ...]]) -> int | None:
    size = len(statements)
    starts = (at for at in range(len(body.statements) - size + 1) if body.statements[at : at + size] == statements)
    return next(starts, None)


def _use_fragment(body: _Body, line: str, time: str, statements: Sequence[tuple[str, ...]]) -> _Body:
    at = _find_run(body, statements) if body.time == time else None
    if at is None:
        return body
    kept = (*body.statements[:at], (line,), *body.statements[at + len(statements) :])
    return _Body(body.head, body.time, kept)
