"""A MkDocs site that somebody writes: pages with fences, spec files, fragments, states, and edits of all of them.

Every edit follows from a seed, so that a run can be repeated. Knows nothing of servers; what it changes are files.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from specs import TYPICAL

EXAMPLES = Path(__file__).parent.parent / "examples"
N_FILES, N_BLOCKS = 8, 24
_SIGNS = "{}()[]:@\"'"
_WORDS = ("question", "history", "résumé", "notes", "documents", "profile", "数据", "plan")

CONFIG = """\
site_name: Edited
theme: {name: material, font: false}
plugins: [%s]
watch: [%s]
markdown_extensions: [admonition, tables, pymdownx.superfences, pymdownx.highlight]
"""
PLUGINS = "search, {acdl: {specs: [specs], watch: [lib], downloads: [acdl, svg]}}"


@dataclass(slots=True)
class Fence:
    """A block of a page."""

    text: str
    header: str = ""
    whole: str = ""
    """Its text before it was broken; empty if it is whole."""


@dataclass(slots=True)
class Page:
    """A page of the documentation folder."""

    name: str
    fences: list[Fence]
    n_edits: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """What was changed."""

    what: str
    pages: tuple[str, ...] = ()
    """Pages that show it, by their path in the documentation folder."""
    gone: str = ""
    """A page that is no more."""


@dataclass(slots=True)
class EditedSite:
    """The project in a folder, as it is now."""

    root: Path
    chance: Random
    n_pages: int = 12
    is_plain: bool = False
    """Whether the blocks are of another language, and the plugin is not there."""
    pages: list[Page] = field(default_factory=list)
    n_made: int = 0
    """Blocks that were made so far: each has a name of its own."""
    titles: list[str] = field(default_factory=list)
    """Names of the specs of files."""

    def write(self) -> None:
        """Make the project."""
        plugins = "search" if self.is_plain else PLUGINS
        self._put("mkdocs.yml", CONFIG % (plugins, "specs, lib" if self.is_plain else ""))
        for number in range(N_FILES):
            self.titles.append(f"Filed{number}")
            self._write_spec(number)
            self._write_state(number, "How long?")
        for number in range(3):
            self._write_library(number, "HELLO")
        texts = list(self._corpus())
        for number in range(self.n_pages):
            fences = [Fence(texts.pop()) if texts else self._fence() for _ in range(N_BLOCKS)]
            self.pages.append(Page("index" if number == 0 else f"page-{number:02}", fences))
        for page in self.pages:
            self._write_page(page)

    def edit(self) -> Edit:
        """Change something."""
        kinds: list[tuple[int, Callable[[], Edit]]] = [
            (30, self._change_word),
            (14, self._break),
            (20, self._mend),
            (8, self._add),
            (8, self._remove),
            (6, self._change_library),
            (6, self._change_spec),
            (5, self._change_state),
            (3, self._rename_page),
        ]
        weights = [weight for weight, _ in kinds]
        return self.chance.choices([kind for _, kind in kinds], weights)[0]()

    def _corpus(self) -> Iterator[str]:
        """The examples of this project that are not too long to be a block of a page."""
        for path in sorted(EXAMPLES.rglob("*.acdl")):
            text = path.read_text("utf-8")
            if text.count("\n") <= 60:
                yield text

    def _fence(self) -> Fence:
        """A new block: text, a file, a file with its state, or text with fragments of files."""
        self.n_made += 1
        number, kind = self.chance.randrange(N_FILES), self.chance.random()
        if kind < 0.1 and not self.is_plain:
            return Fence("", f' src="specs/agent-{number}.acdl"')
        if kind < 0.15 and not self.is_plain:
            return Fence("", f' src="specs/agent-{number}.acdl" state="specs/agent-{number}.state.yaml"')
        if kind < 0.25:
            number = self.chance.randrange(3)
            greeting = f"// acdl: use ../lib/common-{number}.acdl\n"
            return Fence(f"{greeting}Greeter{self.n_made}[@T]: {{\n    S: {{ Frag Greeting{number}[@T] }}\n}}\n")
        if kind < 0.35:
            return Fence(TYPICAL.replace("ToolAgent", f"Agent{self.n_made}").replace("user_question", self._word()))
        return Fence(self._spec(f"Made{self.n_made}"))

    def _spec(self, name: str) -> str:
        """A spec of a few statements."""
        statements = (
            f"S: {{ INSTRUCTIONS env.{self._word()}[@T] }}",
            f"U: {{ env.{self._word()}[@T] sys.{self._word()} }}",
            f"If sys.has_{self._word()} {{ U: DOCUMENTS(env.{self._word()}[@T]) }} Else {{ U: NOTHING }}",
            f"ForEach(t: range(1, @T)) {{ U: env.{self._word()}[@t] A: resp.answer[@t] }}",
            f"A: resp.{self._word()}[@T-1] // what was said",
            f"U: {{ Frag Greeting{self.chance.randrange(3)}[@T] }}",
            f"U: {{ Frag Made{self.chance.randrange(1, self.n_made + 2)}[@T] }}",
        )
        chosen = self.chance.sample(statements, self.chance.randint(2, 5))
        return f"{name}[@T]: {{\n" + "".join(f"    {each}\n" for each in chosen) + "}\n"

    def _word(self) -> str:
        return f"{self.chance.choice(_WORDS)}_{self.chance.randrange(1000)}"

    def _change_word(self) -> Edit:
        page, fence = self._any(lambda fence: bool(fence.text) and not fence.whole)
        words = [word for word in fence.text.replace("[", " ").split() if "." in word or "_" in word]
        old = self.chance.choice(words or ["@T"])
        fence.text = fence.text.replace(old, f"env.{self._word()}" if words else "@T-1", 1)
        return self._written(page, f"a word of a block of {page.name}")

    def _break(self) -> Edit:
        page, fence = self._any(lambda fence: bool(fence.text) and not fence.whole)
        places = [idx for idx, sign in enumerate(fence.text) if sign in _SIGNS] or [0]
        place = self.chance.choice(places)
        fence.whole = fence.text
        put = self.chance.choice(("", self.chance.choice(_SIGNS), "If {"))
        fence.text = fence.text[:place] + put + fence.text[place + 1 :]
        return self._written(page, f"a block of {page.name} broken")

    def _mend(self) -> Edit:
        broken = [(page, fence) for page in self.pages for fence in page.fences if fence.whole]
        if not broken:
            return self._break()
        page, fence = self.chance.choice(broken)
        fence.text, fence.whole = fence.whole, ""
        return self._written(page, f"a block of {page.name} mended")

    def _add(self) -> Edit:
        if sum(len(page.fences) for page in self.pages) > self.n_pages * N_BLOCKS:
            return self._remove()
        page = self.chance.choice(self.pages)
        page.fences.insert(self.chance.randint(0, len(page.fences)), self._fence())
        return self._written(page, f"one more block on {page.name}")

    def _remove(self) -> Edit:
        page = self.chance.choice(self.pages)
        if len(page.fences) <= N_BLOCKS - 4:
            return self._add()
        del page.fences[self.chance.randrange(len(page.fences))]
        return self._written(page, f"one block less on {page.name}")

    def _change_library(self) -> Edit:
        number = self.chance.randrange(3)
        self._write_library(number, self.chance.choice(("HELLO", "", "Frag Nobody[@t]", "U: {")) or self._word())
        return Edit(f"lib/common-{number}.acdl", self._showing(f"Greeting{number}"))

    def _change_spec(self) -> Edit:
        number = self.chance.randrange(N_FILES)
        old = f"specs/{self.titles[number]}.md"
        if self.chance.random() < 0.3:
            self.titles[number] = f"Filed{number}v{self.chance.randrange(3)}"
        self._write_spec(number)
        new = f"specs/{self.titles[number]}.md"
        if self.is_plain:
            return Edit(f"specs/agent-{number}.acdl")
        shown = (new, "specs/index.md", *self._showing(f"agent-{number}.acdl"))
        return Edit(f"specs/agent-{number}.acdl", shown, "" if new == old else old)

    def _change_state(self) -> Edit:
        number = self.chance.randrange(N_FILES)
        self._write_state(number, self.chance.choice(("How long?", "Why?", "[broken", self._word())))
        pages = () if self.is_plain else (f"specs/{self.titles[number]}.md", *self._showing(f"agent-{number}.state"))
        return Edit(f"specs/agent-{number}.state.yaml", pages)

    def _rename_page(self) -> Edit:
        page = self.chance.choice(self.pages[1:])
        old = page.name
        first, mark, _ = old.partition("_")
        page.name = first if mark else f"{first}_{self.chance.randrange(1000)}"
        (self.root / "docs" / f"{old}.md").rename(self.root / "docs" / f"{page.name}.md")
        return Edit(f"{old} is now {page.name}", (f"{page.name}.md",), f"{old}.md")

    def _any(self, fits: Callable[[Fence], bool]) -> tuple[Page, Fence]:
        return self.chance.choice([(page, fence) for page in self.pages for fence in page.fences if fits(fence)])

    def _showing(self, word: str) -> tuple[str, ...]:
        """Some of the pages that have a word in a block."""
        found = [page for page in self.pages if any(word in f"{each.header}{each.text}" for each in page.fences)]
        return tuple(f"{page.name}.md" for page in found[:3])

    def _written(self, page: Page, what: str) -> Edit:
        page.n_edits += 1
        self._write_page(page)
        return Edit(what, (f"{page.name}.md",))

    def _write_page(self, page: Page) -> None:
        language = "text" if self.is_plain else "acdl"
        blocks = [
            f"## Part {number}\n\nSome words.\n\n```{language}{'' if self.is_plain else each.header}\n{each.text}```\n"
            for number, each in enumerate(page.fences)
        ]
        self._put(f"docs/{page.name}.md", f"# {page.name}\n\nEdit {page.n_edits}.\n\n" + "\n".join(blocks))

    def _write_spec(self, number: int) -> None:
        text = f"// title: Agent {number}\n// tags: agent, group-{number % 4}\n{self._spec(self.titles[number])}"
        self._put(f"specs/agent-{number}.acdl", text)

    def _write_state(self, number: int, question: str) -> None:
        words = f'acdl_state: 1\nat: "1"\ntemplates:\n  INSTRUCTIONS: Be kind.\nenv:\n  question:\n    1: {question}\n'
        self._put(f"specs/agent-{number}.state.yaml", words)

    def _write_library(self, number: int, words: str) -> None:
        self._put(f"lib/common-{number}.acdl", f"StrFrag Greeting{number}[@t]: {{ {words} env.name[@t] }}\n")

    def _put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
