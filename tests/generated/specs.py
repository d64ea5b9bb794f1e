"""Specs in which `acdl check` finds no error: every construct of the grammar, names only where they are known.

The reference says what may stand where; the spellings are the documented ones and those that people use.
"""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from generated.expressions import Expressions
from generated.scopes import Definition, Scope, Spec, use

_ROLES = {"S": ("S", "system", "Role system"), "U": ("U", "user", "User"), "A": ("A", "assistant"), "T": ("T", "tool")}
_COMMENTS = ("newest first", 'why: see `docs` <here> & "there"', "é 漢 🤖", "<- src/agent.py:12", "a } { b", "x" * 90)
_DECLARED = "Namespace env := {\n    query: string\n    documents: list\n}\n"
NO_ACDL = 'Struct Document {\n    title: "string"\n    at { day }\n}\n'


class _Writer:
    """What one spec has so far."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.say = Expressions(draw)
        self.definitions: list[Definition] = []
        self.uses: list[tuple[int, tuple[str, ...]]] = []
        self.left = 0
        self.marks = 0

    def pick(self, *values: str) -> str:
        """One of several words."""
        return self.say.pick(*values)

    def chance(self, one_in: int) -> bool:
        """Whether something happens that happens now and then; not in the simplest spec."""
        return self.say.chance(one_in)

    def comment(self) -> str:
        """A comment, which ends its line."""
        sign = self.pick("//", "//", "#", "--") if self.chance(4) else "//"
        return f"{sign} {self.pick(*_COMMENTS)}"

    # ------------------------------------------------------------------------------------------------ statements

    def body(self, scope: Scope, least: int = 0) -> str:
        """Statements, each on a line of its own; may be empty."""
        least = max(least, 0 if self.chance(7) else 1)
        number = self.say.number(least, least + (1 if scope.depth > 2 else 3))
        written: list[str] = []
        for _ in range(least if self.left <= 0 else number):
            self.left -= 1
            said, scope = self.statement(scope)
            if said[:1] in "[(-+*":
                said = f"{self.pick(',', ';')} {said}"
            if self.chance(5):
                written.append(self.comment())
            written.append(said if not self.chance(6) or "\n" in said else f"{said} // {self.pick(*_COMMENTS)}")
        return "".join(f"{line}\n" for line in written)

    def statement(self, scope: Scope) -> tuple[str, Scope]:
        """A statement, and what is known behind it."""
        kinds = ["content"] * 6 if scope.is_text else ["message"] * 6
        kinds += ["name", "fragment"]
        if scope.depth < 4 and self.left > 0:
            kinds += ["foreach", "foreach", "if", "if", "switch", "mark", "label"]
        kinds += ["break", "continue"] if scope.is_loop else []
        kinds += ["end"] if scope.depth else []
        kind = self.pick(*kinds)
        if kind == "name":
            return self.name(scope)
        if kind == "content":
            return self.content(scope), scope
        if kind in ("break", "continue"):
            return f"If {self.say.condition(scope)} {{ {kind} }}", scope
        if kind == "end":
            word = self.pick("PromptEndsHere when", "PromptEndsHere when", "END when", "PromptEndsHere")
            return word if word == "PromptEndsHere" else f"{word} {self.say.condition(scope)}", scope
        blocks: dict[str, Callable[[Scope], str]] = {
            "message": self.message,
            "fragment": self.fragment,
            "foreach": self.foreach,
            "if": self.choice,
            "switch": self.switch,
            "mark": self.mark,
            "label": self.label,
        }
        return blocks[kind](scope), scope

    def content(self, scope: Scope) -> str:
        """A piece of a message."""
        if self.chance(9):
            return self.pick("*", "+") + self.pick("TASK", "RULES")
        return self.say.content(scope)

    def name(self, scope: Scope) -> tuple[str, Scope]:
        """A `Name`, which is known from here on."""
        if self.chance(4):
            name = self.say.fresh("when")
            value = f"lastMention(env.topic, {self.say.time(scope)})"
            known = replace(scope, times=(*scope.times, f"@${name}"))
        else:
            name = self.say.fresh("found")
            value = self.say.content(scope)
            known = replace(scope, names=(*scope.names, f"${name}"))
        word = self.pick("Name ", "Name ", "Name ", "let ", "")
        return f"{word}{name} {self.pick(':=', ':=', '=')} {value}", known

    def message(self, scope: Scope) -> str:
        """A message of a role."""
        role = self.pick("S", "U", "A", "T")
        marker = self.pick(*_ROLES[role]) if self.chance(4) else role
        inside = replace(scope.inside(), is_text=True, is_loop=False)  # nothing in a message steers a loop around it
        match self.pick("line", "line", "braces", "braces", "fragment"):
            case "line":
                return f"{marker}: {self.say.element(inside)}"
            case "fragment":
                used = self.use(inside, is_line=True)
                return f"{marker}: {used or 'TASK'}"
        colon = "" if marker == role and self.chance(6) else ":"
        return f"{marker}{colon} {{{self.beside()}\n{self.body(inside)}}}"

    def beside(self) -> str:
        """Perhaps a comment beside an opening brace."""
        return f" // {self.pick(*_COMMENTS)}" if self.chance(8) else ""

    def fragment(self, scope: Scope) -> str:
        """The use of a fragment, or what may stand there if there is none."""
        return self.use(scope, is_line=False) or (self.say.element(scope) if scope.is_text else "S: TASK")

    def use(self, scope: Scope, *, is_line: bool) -> str:
        kind = "string" if scope.is_text else "roles"
        fitting = [number for number, each in enumerate(self.definitions) if each.kind == kind]
        if not fitting:
            return ""
        number = self.draw(st.sampled_from(fitting))
        arguments = tuple(self.say.argument(scope, each) for _, each in self.definitions[number].parameters)
        self.uses.append((number, arguments))
        return use(len(self.uses) - 1, is_line=is_line)

    def foreach(self, scope: Scope) -> str:
        """A loop over times, steps, numbers or values."""
        variable, over, inner = self.say.loop(scope)
        inner = replace(inner, is_loop=True)
        word = self.pick("ForEach", "ForEach", "ForEach", "foreach")
        sign = self.pick(":", ":", " in")
        head = f"({variable}{sign} {over})" if self.chance(2) or not self.chance(3) else f" {variable}{sign} {over}"
        return f"{word}{head} {{{self.beside()}\n{self.body(inner, 1)}}}"

    def if_arms(self, scope: Scope, conditions: list[str]) -> str:
        """Alternatives with the given conditions, perhaps with an `Else`."""
        words = ["If", *(self.pick("ElseIf", "ElseIf", "else if", "elif") for _ in conditions[1:])]
        colon = self.pick("", "", "", "", ":")
        arms = [
            f"{word} {test}{colon} {{{self.beside()}\n{self.body(scope.inside())}}}"
            for word, test in zip(words, conditions, strict=True)
        ]
        if self.chance(2):
            arms.append(f"Else {{\n{self.body(scope.inside())}}}")
        between = f"\n{self.comment()}\n" if self.chance(5) else self.pick(" ", "\n")
        return between.join(arms)

    def choice(self, scope: Scope) -> str:
        """An `If`."""
        return self.if_arms(scope, [self.say.condition(scope) for _ in range(self.say.number(1, 3))])

    def switch(self, scope: Scope) -> str:
        """A `Switch` over words, texts or numbers."""
        sort = self.pick("word", "text", "number")
        tests = {
            "word": ("search", "answer", "expert"),
            "text": ('"search"', '"a b"', "'x'"),
            "number": ("1", "2", "3"),
        }
        arms = [f"Case {each}{self.pick('', '', ':')} {{\n{self.body(scope.inside())}}}" for each in tests[sort]]
        arms = arms[: self.say.number(1, 3)]
        if self.chance(2):
            arms.append(f"Default {{\n{self.body(scope.inside())}}}")
        if self.chance(5):
            arms.insert(1, self.comment())
        subject = self.say.path(scope) if sort != "number" else self.say.arithmetic(scope)
        colon = ":" if self.chance(6) else ""
        return f"Switch {subject}{colon} {{\n" + "\n".join(arms) + "\n}"

    def mark(self, scope: Scope) -> str:
        """A mark, which opens no scope of its own."""
        self.marks += 1
        number = self.pick(f" {self.marks}", f" {self.marks}", "")
        return f"Mark{number} {{\n{self.body(scope.inside())}}}"

    def label(self, scope: Scope) -> str:
        """A group with a title, from an older version of the language."""
        if not self.chance(4):
            return self.mark(scope)
        title = self.pick("History", "Tools", '"Few shots"')
        return f"{title}{self.pick('', ':')} {{\n{self.body(scope.inside(), 1)}}}"

    # ----------------------------------------------------------------------------------------------- definitions

    def define_fragment(self) -> None:
        """A fragment that may use those before it."""
        self.left = 8
        kind = self.pick("string", "roles")
        name = f"{'Part' if kind == 'string' else 'Turn'}{len(self.definitions) + 1}"
        kinds = tuple(self.pick("time", "value", "number") for _ in range(self.say.number(0, 3)))
        parameters, scope = self.say.parameters(kinds)
        body = self.body(replace(scope, is_text=kind == "string", times=(*scope.times, "@T")), 1)
        word = "StrFrag" if kind == "string" else self.pick("RolesFrag", "RolesFrag", "RoleFrag")
        given = f"[{', '.join(spelled for spelled, _ in parameters)}]" if parameters else self.pick("", "[]")
        colon = "" if self.chance(5) else ":"
        head = f"{word} {name}{given}{colon} "
        self.definitions.append(Definition(kind, name, head, parameters, body))

    def define_prompt(self) -> None:
        """A spec."""
        self.left = 14
        name = f"Agent{len(self.definitions) + 1}"
        given, scope = self.pick("", "[@T]", "[@T]", "[@T.I]", "[@T.I]", "[@T, who]", "[@T=1]"), Scope()
        if "T" in given:
            scope = replace(scope, times=("@T", "@T", "@T-1"))
        if "I" in given:
            scope = replace(scope, steps=("@T.I", "@T.I-1", "@T.*"), numbers=("I",))
        if "who" in given:
            scope = replace(scope, agents=("who",), values=("who",))
        if self.chance(8):
            inner = self.body(replace(scope.inside(), is_text=True), 1)
            body = f"N: {{\n{inner}}}\n"
        else:
            body = self.body(scope, 1)
        head = f"{'Prompt ' if self.chance(5) else ''}{name}{given}{'' if self.chance(8) else ':'} "
        self.definitions.append(Definition("prompt", name, head, (), body))


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """A file with one or two specs, and the fragments that they may use."""
    writer = _Writer(draw)
    before = ""
    if writer.chance(3):
        before += f"// {writer.pick('acdl: range=inclusive', 'title: A spec', 'acdl: range=half-open', 'tags: a, b')}\n"
    before += _DECLARED if writer.chance(5) else ""
    before += NO_ACDL if writer.chance(5) else ""
    for _ in range(writer.say.number(0, 3)):
        writer.define_fragment()
    for _ in range(writer.say.number(1, 2)):
        writer.define_prompt()
    return Spec(before, tuple(writer.definitions), tuple(writer.uses))
