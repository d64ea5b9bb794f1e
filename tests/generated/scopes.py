"""What is known at a place of a spec that is being generated, and marks in its text for what splicing replaces."""

import re
from dataclasses import dataclass, field, replace

_LOCAL = re.compile("\ue001(\\w+)\ue002")
_PARAMETER = re.compile("\ue003(\\d+)\ue002")
USE = re.compile("(\ue004|\ue005)(\\d+)\ue002")


def local(name: str) -> str:
    """A name that is bound inside a definition: spliced in twice, it has to be two names."""
    return f"\ue001{name}\ue002"


def parameter(number: int) -> str:
    """The use of a parameter of a fragment."""
    return f"\ue003{number}\ue002"


def use(number: int, *, is_line: bool) -> str:
    """The use of a fragment: among other statements, or as all that a message in one line holds."""
    return f"{chr(0xE005) if is_line else chr(0xE004)}{number}\ue002"


@dataclass(frozen=True)
class Scope:
    """What may be written at a place."""

    times: tuple[str, ...] = ()
    """Such as `@T` and `@t`: other parts may be added to none of them, numbers to all."""
    steps: tuple[str, ...] = ()
    """Such as `@T.i`."""
    numbers: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """With their `$`."""
    agents: tuple[str, ...] = ()
    is_loop: bool = False
    """Whether `break` and `continue` have a loop here: one in the same message and the same fragment."""
    is_text: bool = False
    """Whether this is inside of a message or a string fragment."""
    depth: int = 0

    def inside(self, **more: tuple[str, ...]) -> "Scope":
        """The same, one block deeper, with more names."""
        known: dict[str, tuple[str, ...]] = {name: getattr(self, name) + added for name, added in more.items()}
        return replace(self, depth=self.depth + 1, **known)  # type: ignore[arg-type]  # only fields with tuples


@dataclass(frozen=True)
class Definition:
    """A prompt or a fragment, with marks in its body."""

    kind: str
    """`prompt`, `string` or `roles`."""
    name: str
    head: str
    """All before the body."""
    parameters: tuple[tuple[str, str], ...]
    """How each is spelled, and its kind: `time`, `value` or `number`."""
    body: str


@dataclass(frozen=True)
class Spec:
    """A text as somebody could write it, in parts."""

    before: str
    """Comments for the tools, declarations."""
    definitions: tuple[Definition, ...]
    uses: tuple[tuple[int, tuple[str, ...]], ...] = field(default=())
    """For each use of a fragment the definition that it names, and the arguments."""

    @property
    def text(self) -> str:
        """The text as it is written."""
        return self.before + "\n\n".join(f"{each.head}{{\n{self._written(each)}}}" for each in self.definitions) + "\n"

    @property
    def spliced(self) -> str:
        """The prompts, with the bodies of fragments in the place of their uses."""
        prompts = [each for each in self.definitions if each.kind == "prompt"]
        counter = iter(range(1_000_000))

        def body(text: str, given: tuple[str, ...], suffix: str) -> str:
            def used(match: re.Match[str]) -> str:
                number, arguments = self.uses[int(match[2])]
                filled = tuple(body(each, given, suffix) for each in arguments)
                inner = body(self.definitions[number].body, filled, f"_u{next(counter)}")
                return f"{{\n{inner}}}" if match[1] == "\ue005" else inner

            text = USE.sub(used, _PARAMETER.sub(lambda match: given[int(match[1])], text))
            return _LOCAL.sub(lambda match: match[1] + suffix, text)

        return self.before + "\n\n".join(f"{each.head}{{\n{body(each.body, (), '')}}}" for each in prompts) + "\n"

    def renamed(self, prefix: str) -> str:
        """The text with another beginning of the names of all definitions."""
        return re.sub(r"\b(?=(?:Agent|Part|Turn)\d)", prefix, self.text)

    def _written(self, definition: Definition) -> str:
        def used(match: re.Match[str]) -> str:
            number, arguments = self.uses[int(match[2])]
            given = f"[{', '.join(plain(each) for each in arguments)}]" if arguments else ""
            return f"Frag {self.definitions[number].name}{given}"

        def plain(text: str) -> str:
            named = _PARAMETER.sub(lambda match: definition.parameters[int(match[1])][0], text)
            return _LOCAL.sub(lambda match: match[1], named)

        return plain(USE.sub(used, definition.body))
