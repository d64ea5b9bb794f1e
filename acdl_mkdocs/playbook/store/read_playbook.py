"""Read the text of a playbook file as a `Playbook`, with all its problems."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar, cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.system import paused
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.foundation.yaml.nodes import Items, Pairs, Scalar, YamlNode, describe_value, plain_value
from acdl_mkdocs.foundation.yaml.read import FileKind, Yaml, read_yaml
from acdl_mkdocs.playbook.model.bullets import (
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Refine,
    Section,
    Verdict,
    ordered,
)
from acdl_mkdocs.playbook.model.content import clean
from acdl_mkdocs.playbook.model.plain import REFINE, SUPERSEDED, bullet_of
from acdl_mkdocs.playbook.store import write_playbook
from acdl_mkdocs.playbook.store.checks import Flaw, flaws
from acdl_mkdocs.playbook.store.comments import NO_COMMENTS, Comments, read_comments
from acdl_mkdocs.playbook.store.write_playbook import Known, bullet_text, pieces_of, stamped, with_comments
from acdl_mkdocs.prompts.prompt import Json

Value = TypeVar("Value")
PLAYBOOK_FILE = FileKind(
    rule="playbook-file",
    writer="acdl playbook init",
    max_characters=50_000_000,
    max_values=3_000_000,
    max_depth=8,  # a list in a map in a list in a map, and some
    too_many=("the file has more than {:,} values", "split it into several playbooks"),
    too_deep="write bullets as flat maps",
    second_document=("a second document begins here, and a playbook is one", "remove `---`"),
    has_marks=False,
    mark_cure="a playbook is plain YAML: write the value out",
)
MOST_PROBLEMS = 100
"""More are counted but not listed."""
_OLD_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class Entries:
    """Reads the values of one file and collects problems."""

    def __init__(self, tree: Yaml, source: Source) -> None:
        self.problems = list(tree.problems)
        self.n_characters = len(source.text)
        self.unlisted = 0

    def say(self, node: YamlNode, message: str, help: str = "", related: tuple[Label, ...] = ()) -> None:
        """Add a problem at a value."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.unlisted += 1
            return
        end = node.end if isinstance(node, Scalar) else node.start + 1
        end = min(max(end, node.start + 1), self.n_characters)
        found = PLAYBOOK_FILE.problem(node.start, end, message, help)
        self.problems.append(replace(found, related=related) if related else found)

    def pairs(self, node: YamlNode, what: str, names: Collection[str]) -> dict[str, YamlNode]:
        """Return the values of a map by key; unknown and repeated keys are problems."""
        found: dict[str, YamlNode] = {}
        if not isinstance(node, Pairs):
            self.say(node, f"{what} is {shown(node)}, and a map is needed", "write `name: value`, one a line")
            return found
        first: dict[str, Scalar] = {}
        for key, value in node.pairs:
            if key.text in found:
                again = Label(first[key.text].span, "it stands here already")
                self.say(key, f"`{key.text}` stands twice in {what}", "keep one of them", (again,))
            elif key.text not in names:
                self._unknown(key, what, names)
            else:
                found[key.text] = value
                first[key.text] = key
        return found

    def _unknown(self, key: Scalar, what: str, names: Collection[str]) -> None:
        near = closest(key.text, names)
        listed = ", ".join(f"`{each}`" for each in names)
        self.say(
            key,
            f"{what} has no key `{short(key.text)}`" + (f": did you mean `{near}`?" if near else ""),
            f"rename it to `{near}`" if near else f"there can be {listed}",
        )

    def needed(self, found: Mapping[str, YamlNode], node: YamlNode, what: str, names: Collection[str]) -> bool:
        """Return whether a map has all required keys."""
        missing = [name for name in names if name not in found]
        for name in missing if isinstance(node, Pairs) else ():
            self.say(node, f"{what} has no `{name}`", f"add `{name}: …`")
        return not missing

    def items(self, node: YamlNode, what: str) -> Sequence[YamlNode]:
        """The elements of a list; nothing is an empty one."""
        if isinstance(node, Items):
            return node.items
        if not (isinstance(node, Scalar) and self._plain(node) is None):
            self.say(node, f"{what} is {shown(node)}, and a list is needed", "write `- …` for each on lines of its own")
        return []

    def text(self, node: YamlNode, what: str) -> str | None:
        """Return a text; report a problem and return `None` for anything else."""
        if isinstance(node, Scalar):
            try:
                value = plain_value(node)
            except ValueError as reason:
                self.say(node, f"{what} {reason}")
                return None
            if isinstance(value, str):
                return value
            cure = f'put it in quotes: `"{node.text}"`' if node.text else "write one"
        else:
            cure = "write it as one text"
        self.say(node, f"{what} is {shown(node)}, and text is needed", cure)
        return None

    def count(self, node: YamlNode, what: str) -> int | None:
        """Return a whole number that is not negative."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.say(node, f"{what} is {shown(node)}, and a whole number from 0 is needed", "write a number such as `0`")
        return None

    def truth(self, node: YamlNode, what: str) -> bool | None:
        """Return `true` or `false`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        old = _OLD_WORDS.get(value.lower()) if isinstance(value, str) else None
        self.say(node, f"{what} is {shown(node)}, and `true` or `false` is needed", f"write `{old}`" if old else "")
        return None

    def number(self, node: YamlNode, what: str, most: float) -> float | None:
        """Return a number from 0 to `most`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
            return float(value)
        self.say(node, f"{what} is {shown(node)}, and a number from 0 to {most:g} is needed")
        return None

    def choice(self, node: YamlNode, what: str, choices: tuple[str, ...], *others: str) -> str | None:
        """Return one of several words.

        Parameters:
            node: The value.
            what: Its name in messages.
            choices: The words.
            others: Other allowed values, as YAML.
        """
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        near = closest(node.text, choices) if isinstance(node, Scalar) else None
        listed = " or ".join(f"`{each}`" for each in (*choices, *others))
        hint = f"did you mean `{near}`?" if near else f"write {listed}"
        self.say(node, f"{what} is {shown(node)}, and it can be {listed}", hint)
        return None

    def texts(self, node: YamlNode, what: str) -> tuple[str, ...]:
        """Return a list of texts."""
        found = [self.text(each, f"an element of {what}") for each in self.items(node, what)]
        return tuple(each for each in found if each is not None)

    def _plain(self, node: Scalar) -> object:
        try:
            return plain_value(node)
        except ValueError:
            return node.text or " "


Read = Callable[[YamlNode, str], Value | None]


def short(text: str) -> str:
    """Shorten a text to one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def shown(node: YamlNode) -> str:
    """What a person wrote, as words: "the text `abc`", "a list"."""
    return describe_value(node, short)


_BULLETS, _PAIRS, _BETWEEN, _FIRST = "\nbullets:\n", "\npairs:\n", "\n\n- ", "- "

_TRUTHS: Mapping[str, Json] = {"true": True, "false": False}
_MARKED = frozenset("\"'[{")
"""First characters of quoted texts, lists and maps."""
_BLOCK = frozenset("|>")
_NOT_A_KEY = frozenset(" -")


def split(text: str) -> tuple[str, str] | None:
    """Split a text into the part without the bullets and the bullets; `None` if there are none."""
    start = text.find(_BULLETS)
    first = start + len(_BULLETS)
    if start < 0 or not text.startswith(_FIRST, first):
        return None
    end = text.find(_PAIRS, first)
    end = len(text) if end < 0 else end + 1
    return f"{text[: start + 1]}bullets: []\n{text[end:]}", text[first:end]


def read_bullets(text: str, known: Known) -> tuple[Bullet, ...] | None:
    """Read the text between `bullets:` and `pairs:`; `None` if it is not canonical, or something is wrong.

    Each is put into `known` with its text.
    """
    found = []
    flows: dict[str, Json] = {}
    try:
        for part in text.removeprefix(_FIRST).removesuffix("\n").split(_BETWEEN):
            bullet = bullet_of(_plain(part, flows) or _any(part))
            cleaned = clean(bullet.content)
            known[bullet] = bullet_text(bullet)
            if known[bullet] != f"{_FIRST}{part}\n" or cleaned.problems or cleaned.text != bullet.content:
                return None
            found.append(bullet)
    except (ValueError, PlaybookDataError):
        return None
    return tuple(found)


def _plain(text: str, flows: dict[str, Json]) -> dict[str, Json] | None:
    """Return the data of a bullet whose keys have a line each; `None` for any other layout."""
    data: dict[str, Json] = {}
    for line in text.split("\n  "):
        key, mark, value = line.partition(": ")
        if not mark or key[:1] in _NOT_A_KEY or value[:1] in _BLOCK:
            return None
        if key in _COUNTS:
            data[key] = int(value)
        elif value[:1] in _MARKED:
            if value not in flows:
                flows[value] = _value(value)
            data[key] = flows[value]
        else:
            data[key] = _TRUTHS.get(value, value)
    return data


def _any(text: str) -> Json:
    """Return the data of a bullet in any layout."""
    data = _value(f"{_FIRST}{text}\n")
    return data[0] if isinstance(data, list) and len(data) == 1 else None


def _value(text: str) -> Json:
    tree = read_yaml(Source(text), PLAYBOOK_FILE)
    return None if tree.root is None or tree.problems else _data(tree.root)


def _data(node: YamlNode) -> Json:
    if isinstance(node, Scalar):
        return plain_value(node)
    if isinstance(node, Items):
        return [_data(each) for each in node.items]
    return {str(_data(key)): _data(value) for key, value in node.pairs}


_NO_STAMP = "remove the line: the next change writes a new one"
_BEGIN = "`acdl playbook init FILE` writes an empty one"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A playbook and the problems of its file."""

    playbook: Playbook | None
    """`None` if anything is wrong, so that no incomplete playbook is used."""
    problems: tuple[Diagnostic, ...]
    source: Source
    """The text of the spans of the problems."""
    comments: Comments = NO_COMMENTS
    stamp: str | None = None
    """The stamp of the revision, if the file has one; not part of the playbook."""
    known: Known = field(default_factory=dict, compare=False, repr=False)
    """The texts of bullets that were written for comparison; writers reuse them."""


def read_playbook(text: str, name: str = "<playbook>") -> Loaded:
    """Read a playbook file: YAML 1.2, or JSON. Never raises for its content.

    Parameters:
        text: The text of the file.
        name: Its name in messages.
    """
    with paused():
        source = Source(text.removeprefix("\ufeff"), name)
        return _canonical(source) or read_any(source)


def _canonical(source: Source) -> Loaded | None:
    """Read a text in canonical layout without problems; `None` for any other."""
    parts = split(source.text)
    known: Known = {}
    bullets = read_bullets(parts[1], known) if parts else None
    if parts is None or bullets is None:
        return None
    rest = Source(parts[0], source.name)
    tree = read_yaml(rest, PLAYBOOK_FILE)
    entries = Entries(tree, rest)
    reading = _Reading(entries)
    frame = reading.playbook(tree.root) if tree.root is not None else None
    if frame is None or entries.problems:
        return None
    playbook = replace(frame, bullets=bullets)
    comments = read_comments(rest.text, tree)
    text = with_comments(playbook, comments, stamped(pieces_of(playbook, known), reading.stamp))
    if text != source.text or next(flaws(playbook), None) or ordered(playbook) != playbook:
        return None
    return Loaded(playbook, (), source, comments, reading.stamp, known)


def read_any(source: Source) -> Loaded:
    """Read a text in whatever layout, with everything that is wrong with it."""
    tree = read_yaml(source, PLAYBOOK_FILE)
    root = tree.root
    if not tree.problems and (root is None or (isinstance(root, Scalar) and not root.text)):
        return Loaded(
            None, (PLAYBOOK_FILE.problem(0, 0, "the file is empty", _BEGIN, "a playbook belongs here"),), source
        )
    if root is None:
        return Loaded(None, tree.problems, source)
    entries = Entries(tree, source)
    reading = _Reading(entries)
    playbook = reading.playbook(root)
    if playbook is not None and not entries.problems:
        for flaw in flaws(playbook):
            entries.say(reading.node_of(flaw, root), flaw.message, flaw.help)
    if entries.unlisted:
        entries.problems.append(PLAYBOOK_FILE.problem(0, 0, f"{entries.unlisted} more problems", label="not listed"))
    if entries.problems or playbook is None:
        found = sorted(entries.problems, key=lambda each: each.label.span.start)
        return Loaded(None, tuple(found), source)
    return Loaded(ordered(playbook), (), source, read_comments(source.text, tree), reading.stamp)


class _Reading:
    """Reads all parts, and keeps the nodes for later problems."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.stamp: str | None = None
        self.nodes: dict[str, Sequence[YamlNode]] = {"sections": [], "bullets": [], "pairs": []}

    def playbook(self, root: YamlNode) -> Playbook | None:
        if not isinstance(root, Pairs):
            self.entries.say(root, f"the file is {shown(root)}, and a playbook is a map", _BEGIN)
            return None
        top = self.entries.pairs(root, "a playbook", write_playbook.TOP)
        self.version(top)
        if not self.entries.needed(top, root, "the playbook", write_playbook.TOP_NEEDED):
            return None
        self.stamp = self.stamp_of(top["stamp"]) if "stamp" in top else None
        self.nodes = {name: self.entries.items(top[name], f"`{name}`") if name in top else [] for name in self.nodes}
        return Playbook(
            name=self.entries.text(top["name"], "`name`") or "",
            revision=self.entries.count(top["revision"], "`revision`") or 0,
            sections=tuple(self.section(node) for node in self.nodes["sections"]),
            bullets=tuple(self.bullet(node) for node in self.nodes["bullets"]),
            pairs=tuple(self.pair(node) for node in self.nodes["pairs"]),
            policy=self.policy(top["policy"]) if "policy" in top else Policy(),
        )

    def version(self, top: dict[str, YamlNode]) -> None:
        node = top.get("schema_version")
        if node is None:
            return
        if not isinstance(node, Scalar) or not node.is_plain or node.text != str(write_playbook.SCHEMA_VERSION):
            cure = f"write `schema_version: {write_playbook.SCHEMA_VERSION}`"
            self.entries.say(node, f"`schema_version` is {shown(node)}, and this program reads version 1", cure)

    def stamp_of(self, node: YamlNode) -> str | None:
        stamp = self.entries.text(node, "`stamp`")
        if stamp is not None and not write_playbook.STAMP.fullmatch(stamp):
            self.entries.say(node, f"`stamp` is {shown(node)}, and it has 12 digits of 0-9 and a-f", _NO_STAMP)
        return stamp

    def policy(self, node: YamlNode) -> Policy:
        entries = self.entries
        if isinstance(node, Scalar) and node.is_plain and node.text in ("", "null", "~"):
            return Policy()
        found = entries.pairs(node, "`policy`", write_playbook.POLICY)
        said = {name: value for name, value in found.items() if name not in _MAY_MISS or not _is_nothing(value)}
        usual = Policy()
        budget = entries.count(said["budget_model_tokens"], "`budget_model_tokens`") if _BUDGET in said else None
        encoding = entries.text(said["encoding"], "`encoding`") if "encoding" in said else None
        measure = entries.text(said["similarity"], "`similarity`") if "similarity" in said else usual.similarity
        protected = usual.protect_revisions
        if "protect_revisions" in said:
            protected = entries.count(said["protect_revisions"], "`protect_revisions`") or 0
        least = entries.number(said[_MERGE], f"`{_MERGE}`", 1.0) if _MERGE in said else None
        refine = self.refine(said["refine"]) if "refine" in said else usual.refine
        return Policy(budget, encoding, measure or "", protected, least, refine)

    def refine(self, node: YamlNode) -> Refine:
        """Return when a playbook is refined: a word, or `every: N`."""
        entries = self.entries
        if not isinstance(node, Pairs):
            return cast(Refine, entries.choice(node, "`refine`", REFINE, "{every: 10}") or Policy().refine)
        found = entries.pairs(node, "`refine`", ("every",))
        if not entries.needed(found, node, "`refine`", ("every",)):
            return Policy().refine
        every = entries.count(found["every"], "`every`")
        if every == 0:
            entries.say(found["every"], "`every` is 0, and at least 1 is needed", "write `refine: never` for never")
        return every or Policy().refine

    def section(self, node: YamlNode) -> Section:
        found = self.entries.pairs(node, "a section", write_playbook.SECTION)
        if not self.entries.needed(found, node, "the section", write_playbook.SECTION):
            return Section("", "")
        texts = [self.entries.text(found[name], f"`{name}` of a section") or "" for name in write_playbook.SECTION]
        return Section(*texts)

    def bullet(self, node: YamlNode) -> Bullet:
        entries = self.entries
        found = entries.pairs(node, "a bullet", write_playbook.BULLET)
        entries.needed(found, node, "the bullet", write_playbook.BULLET_NEEDED)
        values: dict[str, object] = {"id": "", "section": "", "content": ""}
        for name, value in found.items():
            if name in _TEXTS:
                read: object = entries.text(value, f"`{name}`") if not _may_be_nothing(name, value) else None
            elif name in _COUNTS:
                read = entries.count(value, f"`{name}`")
            elif name in _LISTS:
                read = tuple(sorted(set(entries.texts(value, f"`{name}`"))))
            elif name in _CHOICES:
                read = entries.choice(value, f"`{name}`", _CHOICES[name]) if not _is_old(name, value) else "archived"
            elif name == "source":
                read = self.source(value)
            else:
                read = entries.truth(value, f"`{name}`")
            if read is not None:
                values[name] = read
        if "content" in found and values["content"]:
            values["content"] = self.content(found["content"], str(values["content"]))
        return Bullet(**values)  # type: ignore[arg-type]  # each was read as what its name needs

    def content(self, node: YamlNode, text: str) -> str:
        cleaned = clean(text)
        for message in cleaned.problems:
            self.entries.say(node, f"the content {message}")
        return cleaned.text or text

    def source(self, node: YamlNode) -> tuple[Provenance, ...]:
        nodes = [node] if isinstance(node, Pairs) else self.entries.items(node, "`source`")
        return tuple(self.provenance(each) for each in nodes)

    def provenance(self, node: YamlNode) -> Provenance:
        found = self.entries.pairs(node, "`source`", write_playbook.SOURCE)
        texts = {
            name: self.entries.text(value, f"`{name}` of `source`")
            for name, value in found.items()
            if not _is_nothing(value)
        }
        return Provenance(**texts)

    def pair(self, node: YamlNode) -> Pair:
        entries = self.entries
        found = entries.pairs(node, "a pair", write_playbook.PAIR)
        if not entries.needed(found, node, "the pair", write_playbook.PAIR_NEEDED):
            return Pair("", "", "open")
        a, b = (entries.text(found[name], f"`{name}` of a pair") or "" for name in ("a", "b"))
        verdict = entries.choice(found["verdict"], "`verdict`", write_playbook.VERDICTS) or "open"
        score = entries.number(found["score"], "`score`", 1.0) if "score" in found else None
        said = {name: found[name] for name in ("why", "by", "texts") if name in found and not _is_nothing(found[name])}
        texts = {name: entries.text(value, f"`{name}` of a pair") for name, value in said.items()}
        rounded = None if score is None else round(score, 2)
        return Pair(min(a, b), max(a, b), cast(Verdict, verdict), rounded, **texts)

    def node_of(self, flaw: Flaw, root: YamlNode) -> YamlNode:
        """Return the node of a flaw."""
        node = self.nodes[flaw.kind][flaw.index] if flaw.kind in self.nodes else root
        if flaw.kind == "policy" and isinstance(root, Pairs):
            node = next(value for key, value in root.pairs if key.text == flaw.kind)
        for key, value in node.pairs if isinstance(node, Pairs) else ():
            if key.text == flaw.key:
                return value
        return node


_TEXTS = frozenset(("id", "section", "content", "reason", "superseded_by"))
_COUNTS = frozenset(("helpful", "harmful", "neutral", "seen", "added", "updated"))
_LISTS = frozenset(("applies_to", "aliases"))
_CHOICES = {"status": write_playbook.STATUSES, "severity": write_playbook.SEVERITIES}
_BUDGET, _MERGE = "budget_model_tokens", "merge_similar"
_MAY_MISS = frozenset((_BUDGET, "encoding", _MERGE))


def _is_nothing(node: YamlNode) -> bool:
    return isinstance(node, Scalar) and node.is_plain and node.text in ("", "~", "null", "Null", "NULL")


def _is_old(name: str, node: YamlNode) -> bool:
    """Return whether a status is one of earlier versions."""
    return name == "status" and isinstance(node, Scalar) and node.text == SUPERSEDED


def _may_be_nothing(name: str, node: YamlNode) -> bool:
    return name in ("reason", "superseded_by") and _is_nothing(node)
