"""Expressions of generated specs: values, times, conditions, and what loops run over."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from generated.scopes import Scope, local, parameter

_TIME_WORDS, _VALUE_WORDS, _NUMBER_WORDS = ("at", "since", "before"), ("thing", "other", "part"), ("limit", "size", "n")
_SERIES = ("env.query", "env.page", "sys.result", "sys.plan", "sys.call", "resp.answer", "resp.thought")
_FIXED = ("env.clock", "sys.profile", "sys.persona", "env.place.name", "sys.conf.language")
_WORDS = ("search", "none", '"a b"', "true")
_LISTS = ("env.documents", "sys.tools", "env.players")


@cache
def _upto(largest: int) -> st.SearchStrategy[int]:
    return st.integers(0, largest)


class Expressions:
    """Draws expressions; remembers which names it has given."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.n_names = 0

    def pick(self, *values: str) -> str:
        """One of several words; the first in the simplest spec."""
        return values[self.draw(_upto(len(values) - 1))]

    def chance(self, one_in: int) -> bool:
        """Whether something happens that happens now and then; not in the simplest spec."""
        return self.draw(_upto(one_in - 1)) == one_in - 1

    def number(self, least: int, most: int) -> int:
        """A number between both."""
        return least + self.draw(_upto(most - least))

    def fresh(self, word: str) -> str:
        """A name that nothing else in the spec has."""
        self.n_names += 1
        return local(f"{word}{self.n_names}")

    def one_of(self, *ways: Callable[[], str]) -> str:
        """What one of several functions gives."""
        return ways[self.draw(_upto(len(ways) - 1))]()

    def parameters(self, kinds: tuple[str, ...]) -> tuple[tuple[tuple[str, str], ...], Scope]:
        """How the parameters of a fragment are spelled, and what is known in its body."""
        scope, spelled = Scope(), []
        for number, kind in enumerate(kinds):
            here = (parameter(number),)
            if kind == "time":
                scope, word = replace(scope, times=scope.times + here), f"@{_TIME_WORDS[number]}"
            elif kind == "value":
                scope, word = replace(scope, values=scope.values + here), _VALUE_WORDS[number]
            else:
                scope, word = replace(scope, numbers=scope.numbers + here), _NUMBER_WORDS[number]
            spelled.append((word, kind))
        return tuple(spelled), scope

    def argument(self, scope: Scope, kind: str) -> str:
        """What a fragment is given for a parameter."""
        if kind == "time":
            return self.pick(*scope.times, *(f"{each}-1" for each in scope.times), "@1")
        if kind == "value":
            return self.path(scope)
        return self.pick("2", "8000", *scope.numbers, *(f"({each} + 1)" for each in scope.numbers), "sys.limit")

    # ----------------------------------------------------------------------------------------------------- times

    def time(self, scope: Scope) -> str:
        """A time index."""
        way = self.pick("time", "time", "earlier", "later", "first", "step")
        if way == "step" and scope.steps:
            return self.pick(*scope.steps)
        if not scope.times or way == "first":
            return self.pick("@1", "@2")
        base = self.pick(*scope.times)
        return base + {"earlier": self.pick("-1", "-2", " - 1"), "later": "+1"}.get(way, "")

    def loop(self, scope: Scope) -> tuple[str, str, Scope]:
        """A variable, what it runs over, and what is known inside."""
        kinds = ["time"] * 3 if scope.times else []
        kinds += ["step"] * 3 if scope.steps or scope.times else []
        match self.pick(*kinds, "value", "value", "number"):
            case "time":
                name, now = self.fresh("t"), self.pick(*scope.times)
                spans = (f"range(1, {now})", f"range(1, {now}+1)", f"range({now}, {now}-3, -1)", f"1 ... {now}")
                more = (f"1 ... {now} every 2", f"1, {now}", f"1, {now}, 2", f"[{now}, 1]", f"range(1, {now}, 10)")
                sign = self.pick("", "@")
                return sign + name, self.pick(*spans, *more), scope.inside(times=(f"@{name}",))
            case "step":
                return self._steps(scope)
            case "value":
                name = self.fresh("doc")
                return name, self.collection(scope), scope.inside(values=(name,))
        name = self.fresh("k")
        return name, self.pick("range(1, 4)", "range(10, 0, -4)", "1 ... 3", "[1, 2]"), scope.inside(numbers=(name,))

    def _steps(self, scope: Scope) -> tuple[str, str, Scope]:
        name = self.fresh("i")
        now = [each for each in scope.times if each[0] == "@" and each[1] != "$" and "-" not in each]
        inner = scope.inside(numbers=(name,))
        if "I" in scope.numbers and self.chance(2):
            inner = inner.inside(steps=(f"@T.{name}", f"@T.{name}-1", f"@.{name}"))
            return name, self.pick("range(1, I)", "range(1, I + 1)", "1 ... I"), inner
        turn = self.pick(*now) if now else "@1"
        inner = inner.inside(steps=(f"{turn}.{name}",))
        return name, self.pick(f"range(1, {turn}.substeps)", f"1, {turn}.substeps"), inner

    def collection(self, scope: Scope) -> str:
        """What a loop over values runs over."""
        return self.one_of(
            lambda: self.pick(*_LISTS),
            lambda: f"sys.found[{self.time(scope)}]",
            lambda: f"find({self.path(scope)}, 5)",
            lambda: self.comprehension(scope),
            lambda: self.listing(scope),
            lambda: self.pick("env.documents", *scope.names),
            lambda: f"{self.pick('env.documents', *scope.values)}.pages",
        )

    # ---------------------------------------------------------------------------------------------------- values

    def path(self, scope: Scope) -> str:
        """A variable, or what a loop, a parameter or a name stands for."""
        return self.one_of(
            lambda: f"{self.pick(*_SERIES)}[{self.time(scope)}]",
            lambda: f"{self.pick(*_SERIES)}[{self.time(scope)}]",
            lambda: self.pick(*_FIXED),
            lambda: self.pick("env.clock", *scope.values, *(f"{each}.title" for each in scope.values)),
            lambda: self.pick("env.clock", *(f"{each}.pages[1].text" for each in scope.values)),
            lambda: self.pick("env.clock", *scope.names, *(f"{each}.title" for each in scope.names)),
            lambda: self.pick("env.clock", *(f"{each}[1]" for each in scope.names)),
            lambda: f"sys.tool[{self.time(scope)}].response.text",
            lambda: f"resp.*[{self.time(scope)}]",
            lambda: f"sys[{self.pick('alice', *scope.agents)}].goal[{self.time(scope)}]",
            lambda: self.indexed(scope),
        )

    def indexed(self, scope: Scope) -> str:
        """A variable with indices that are no times, or several."""
        return self.one_of(
            lambda: f"env.location[{self.time(scope)}, {self.pick('bomb', *scope.values)}]",
            lambda: f"env.frame[({self.arithmetic(scope)}) * 4]",
            lambda: f"env.documents[{self.arithmetic(scope)}].title",
            lambda: f"sys.color[#msg{self.pick('', ' % 2')}]",
            lambda: f"sys.score[{self.path(scope)}]",
            lambda: "env.documents[1 ... 2]",
            lambda: self.pick("sys.notes[]", "env.map[2,]"),
            lambda: f"env.distance({self.path(scope)}, {self.pick('1', 'sys.persona')})",
        )

    def element(self, scope: Scope) -> str:
        """What a message in one line may hold."""
        return self.one_of(
            lambda: self.path(scope),
            lambda: self.pick("INSTRUCTIONS", "TASK", "WELCOME_TEXT"),
            lambda: f"{self.pick('ANSWER_IN', 'BUDGET')}({self.values(scope)})",
            lambda: self.function(scope),
        )

    def function(self, scope: Scope) -> str:
        """Something computed."""
        return self.one_of(
            lambda: f"summarize({self.path(scope)}, {self.number(1, 100)})",
            lambda: f"recall({self.values(scope)})[1].text",
            lambda: f"{self.pick('k_relevant', 'translate')}({self.values(scope)})",
            lambda: f"now(){self.pick('', '', '[@1]')}",
            lambda: f"first(range(1, 3){self.pick('', ',')})",
        )

    def values(self, scope: Scope) -> str:
        """One or two arguments."""
        given = [self.one_of(lambda: self.path(scope), lambda: self.pick('"at most "', "200", "'x'"))]
        given += [self.content(scope)] if self.chance(5) else []
        return ", ".join(given)

    def content(self, scope: Scope) -> str:
        """A piece of a message, or the value of a name; begins with no sign that would go on what stands before."""
        return self.one_of(
            lambda: self.element(scope),
            lambda: self.element(scope),
            lambda: self.element(scope),
            lambda: self.pick('"Thank you."', "'it is'", '"a \\" } { // b"', '"é 漢 🤖 <&>"', "“curly”"),
            lambda: self.arithmetic(scope),
            lambda: self.pick("#msg", *(f"{each}.len" for each in scope.names), "7", "2.5"),
            lambda: self.listing(scope),
            lambda: self.comprehension(scope),
            lambda: f'({self.element(scope)} + " and " + {self.element(scope)})',
        )

    def listing(self, scope: Scope) -> str:
        """A list."""
        return self.one_of(
            lambda: "[]",
            lambda: f"[{self.path(scope)}{self.pick('', ',')}]",
            lambda: f"[{self.element(scope)}, {self.path(scope)}]",
            lambda: "[1 ... 3]",
        )

    def comprehension(self, scope: Scope) -> str:
        """A list made of another."""
        variable, over, inner = self.loop(replace(scope, depth=9))
        value = self.path(inner)
        test = f" if {self.condition(inner)}" if self.chance(2) else ""
        return f"[{value} for {variable}{self.pick(' in', ' in', ':')} {over}{test}]"

    def arithmetic(self, scope: Scope) -> str:
        """A number."""
        times = [each if each[0] == "@" else f"({each})" for each in scope.times]  # a parameter may be given `@T-1`
        known = self.pick("sys.count", "sys.limit", *scope.numbers, *times)
        return self.one_of(
            lambda: known,
            lambda: f"{known} {self.pick('+', '-')} {self.number(1, 9)}",
            lambda: f"{known} {self.pick('*', '/', '%')} {self.number(1, 9)}",
            lambda: f"{known} - 1 + 2 * {known} % 3 / 4 * 5",
            lambda: f"max({known}, -{self.number(1, 9)})",
        )

    def condition(self, scope: Scope) -> str:
        """What holds or not."""
        return self.one_of(
            lambda: self.simple(scope),
            lambda: self.simple(scope),
            lambda: self.simple(scope),
            lambda: f"{self.simple(scope)} {self.pick('&', 'and', '&&')} {self.simple(scope)}",
            lambda: f"{self.simple(scope)} {self.pick('|', 'or', '||')} {self.simple(scope)}",
            lambda: f"({self.simple(scope)} | {self.simple(scope)}) & {self.simple(scope)} & {self.simple(scope)}",
            lambda: f"{self.pick('!', 'not ', '!!', '!-')}({self.simple(scope)})",
            lambda: f"{self.simple(scope)} | {self.simple(scope)} or {self.simple(scope)}",
        )

    def simple(self, scope: Scope) -> str:
        """A condition without others in it."""
        steps = [each for each in scope.steps if each == "@T.I"]
        return self.one_of(
            lambda: f"{self.arithmetic(scope)} {self.pick('==', '>', '<=', '!=', '≥', '=')} {self.number(0, 3)}",
            lambda: f"{self.path(scope)} {self.pick('==', '!=')} {self.pick(*_WORDS)}",
            lambda: self.path(scope),
            lambda: f"contains({self.path(scope)}, {self.pick(*_WORDS)})",
            lambda: self.pick("sys.is_late", *steps, *(f"{each[:-1]}0" for each in steps)),
            lambda: self.pick("sys.is_late", "1 < sys.count <= 3", "!sys.is_off", "not sys.is_off", "-sys.count < 0"),
        )
