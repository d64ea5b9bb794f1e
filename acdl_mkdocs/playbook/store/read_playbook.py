"""Read the text of a playbook file as a `Playbook`, with all its problems."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar, cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label
from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.system import pause_collector
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.nodes import Scalar, YamlList, YamlMap, YamlNode, describe_value, plain_value
from acdl_mkdocs.foundation.yaml.read import FileKind, YamlDocument, read_yaml
from acdl_mkdocs.playbook.model.bullets import (
    COUNTERS,
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Refine,
    Section,
    Verdict,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.content import clean_content
from acdl_mkdocs.playbook.model.plain import REFINE, SUPERSEDED, bullet_of
from acdl_mkdocs.playbook.store import write_playbook
from acdl_mkdocs.playbook.store.checks import Flaw, find_flaws
from acdl_mkdocs.playbook.store.comments import NO_COMMENTS, Comments, read_comments
from acdl_mkdocs.playbook.store.write_playbook import Known, add_comments, add_stamp, bullet_text, pieces_of
from acdl_mkdocs.prompts.prompt import Json

Value = TypeVar("Value")
PLAYBOOK_FILE = FileKind(
    rule="playbook-file",
    writer="acdl playbook init",
    max_characters=50_000_000,
    max_values=3_000_000,
    max_depth=8,  # depth of a list in a map in a list in a map, with some reserve
    too_many=("the file has more than {:,} values", "split it into several playbooks"),
    too_deep="write bullets as flat maps",
    second_document=("a second document begins here, and a playbook is one", "remove `---`"),
    has_marks=False,
    mark_cure="write the value out, or put it in quotes if it is text: a playbook is plain YAML",
)
MOST_PROBLEMS = 100
"""Limit of listed problems; more are only counted."""
_OLD_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class EntryReader:
    """Reads the values of one file and collects problems."""

    def __init__(self, document: YamlDocument, source: Source) -> None:
        self.problems = list(document.problems)
        self.n_characters = len(source.text)
        self.unlisted = 0

    def report_problem(self, node: YamlNode, message: str, help: str = "", related: tuple[Label, ...] = ()) -> None:
        """Add a problem at a value."""
        if len(self.problems) >= MOST_PROBLEMS:
            self.unlisted += 1
            return
        end = node.end if isinstance(node, Scalar) else node.start + 1
        end = min(max(end, node.start + 1), self.n_characters)
        problem = PLAYBOOK_FILE.make_problem(node.start, end, message, help)
        self.problems.append(replace(problem, related=related) if related else problem)

    def read_map(self, node: YamlNode, what: str, names: Collection[str]) -> dict[str, YamlNode]:
        """Return the values of a map by key; unknown and repeated keys are problems."""
        nodes: dict[str, YamlNode] = {}
        if not isinstance(node, YamlMap):
            self.report_problem(
                node, f"{what} is {describe_node(node)}, and a map is needed", "write `name: value`, one a line"
            )
            return nodes
        first: dict[str, Scalar] = {}
        for key, value in node.pairs:
            if key.text in nodes:
                again = Label(first[key.text].span, "it stands here already")
                self.report_problem(key, f"`{key.text}` stands twice in {what}", "keep one of them", (again,))
            elif key.text not in names:
                self._report_unknown(key, what, names, is_bare=isinstance(value, Scalar) and value.start == key.end)
            else:
                nodes[key.text] = value
                first[key.text] = key
        return nodes

    def _report_unknown(self, key: Scalar, what: str, names: Collection[str], *, is_bare: bool) -> None:
        near = find_closest(key.text, names)
        listed = ", ".join(f"`{each}`" for each in names)
        self.report_problem(
            key,
            f"{what} has no key `{shorten_text(key.text)}`" + (f": did you mean `{near}`?" if near else ""),
            f"rename it to `{near}`"
            if near
            else "if it belongs to the value before it, put all of that value in quotes, with the comma"
            if is_bare
            else f"there can be {listed}",
        )

    def has_needed(self, nodes: Mapping[str, YamlNode], node: YamlNode, what: str, names: Collection[str]) -> bool:
        """Return whether a map has all required keys."""
        missing = [name for name in names if name not in nodes]
        for name in missing if isinstance(node, YamlMap) else ():
            self.report_problem(node, f"{what} has no `{name}`", f"add `{name}: …`")
        return not missing

    def read_items(self, node: YamlNode, what: str) -> Sequence[YamlNode]:
        """Return the elements of a list; an empty value is an empty list."""
        if isinstance(node, YamlList):
            return node.items
        if not (isinstance(node, Scalar) and self._plain(node) is None):
            self.report_problem(
                node,
                f"{what} is {describe_node(node)}, and a list is needed",
                "write `- …` for each on lines of its own",
            )
        return []

    def read_text(self, node: YamlNode, what: str) -> str | None:
        """Return a text; report a problem and return `None` for anything else."""
        if isinstance(node, Scalar):
            try:
                value = plain_value(node)
            except ValueError as reason:
                self.report_problem(node, f"{what} {reason}")
                return None
            if isinstance(value, str):
                return value
            cure = f'put it in quotes: `"{node.text}"`' if node.text else "write one"
        else:
            cure = "write it as one text"
        self.report_problem(node, f"{what} is {describe_node(node)}, and text is needed", cure)
        return None

    def read_count(self, node: YamlNode, what: str) -> int | None:
        """Return a whole number that is not negative."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.report_problem(
            node, f"{what} is {describe_node(node)}, and a whole number from 0 is needed", "write a number such as `0`"
        )
        return None

    def read_bool(self, node: YamlNode, what: str) -> bool | None:
        """Return `true` or `false`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        old = _OLD_WORDS.get(value.lower()) if isinstance(value, str) else None
        self.report_problem(
            node, f"{what} is {describe_node(node)}, and `true` or `false` is needed", f"write `{old}`" if old else ""
        )
        return None

    def read_number(self, node: YamlNode, what: str, most: float) -> float | None:
        """Return a number from 0 to `most`."""
        value = self._plain(node) if isinstance(node, Scalar) else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= most:
            return float(value)
        self.report_problem(node, f"{what} is {describe_node(node)}, and a number from 0 to {most:g} is needed")
        return None

    def read_choice(self, node: YamlNode, what: str, choices: tuple[str, ...], *others: str) -> str | None:
        """Return one of several words.

        Parameters:
            node: The value.
            what: Its name in messages.
            choices: The words.
            others: Other allowed values, as YAML.
        """
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        near = find_closest(node.text, choices) if isinstance(node, Scalar) else None
        listed = " or ".join(f"`{each}`" for each in (*choices, *others))
        hint = f"did you mean `{near}`?" if near else f"write {listed}"
        self.report_problem(node, f"{what} is {describe_node(node)}, and it can be {listed}", hint)
        return None

    def read_texts(self, node: YamlNode, what: str) -> tuple[str, ...]:
        """Return a list of texts."""
        texts = [self.read_text(each, f"an element of {what}") for each in self.read_items(node, what)]
        return tuple(each for each in texts if each is not None)

    def _plain(self, node: Scalar) -> object:
        try:
            return plain_value(node)
        except ValueError:
            return node.text or " "


Read = Callable[[YamlNode, str], Value | None]


def shorten_text(text: str) -> str:
    """Shorten a text to one line."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def describe_node(node: YamlNode) -> str:
    """Describe a value in words: "the text `abc`", "a list"."""
    return describe_value(node, shorten_text)


_BULLETS, _PAIRS, _BETWEEN, _FIRST = "\nbullets:\n", "\npairs:\n", "\n\n- ", "- "

_TRUTHS: Mapping[str, Json] = {"true": True, "false": False}
_MARKED = frozenset("\"'[{")
"""First characters of quoted texts, lists and maps."""
_BLOCK = frozenset("|>")
_NOT_A_KEY = frozenset(" -")


def split_bullets(text: str) -> tuple[str, str] | None:
    """Split a text into the part without the bullets and the bullets; `None` if there are none."""
    start = text.find(_BULLETS)
    first = start + len(_BULLETS)
    if start < 0 or not text.startswith(_FIRST, first):
        return None
    end = text.find(_PAIRS, first)
    end = len(text) if end < 0 else end + 1
    return f"{text[: start + 1]}bullets: []\n{text[end:]}", text[first:end]


def read_bullets(text: str, texts: Known) -> tuple[Bullet, ...] | None:
    """Read the text between `bullets:` and `pairs:`; `None` if it is not canonical, or something is wrong.

    Each is added to `known` with its text.
    """
    bullets = []
    flows: dict[str, Json] = {}
    try:
        for part in text.removeprefix(_FIRST).removesuffix("\n").split(_BETWEEN):
            bullet = bullet_of(_read_plain_bullet(part, flows) or _read_any_bullet(part))
            cleaned = clean_content(bullet.content)
            texts[bullet] = bullet_text(bullet)
            if texts[bullet] != f"{_FIRST}{part}\n" or cleaned.problems or cleaned.text != bullet.content:
                return None
            bullets.append(bullet)
    except (ValueError, PlaybookDataError):
        return None
    return tuple(bullets)


def _read_plain_bullet(text: str, flows: dict[str, Json]) -> dict[str, Json] | None:
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


def _read_any_bullet(text: str) -> Json:
    """Return the data of a bullet in any layout."""
    data = _value(f"{_FIRST}{text}\n")
    return data[0] if isinstance(data, list) and len(data) == 1 else None


def _value(text: str) -> Json:
    tree = read_yaml(Source(text), PLAYBOOK_FILE)
    return None if tree.root is None or tree.problems else _data(tree.root)


def _data(node: YamlNode) -> Json:
    if isinstance(node, Scalar):
        return plain_value(node)
    if isinstance(node, YamlList):
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
    with pause_collector():
        source = Source(text.removeprefix("\ufeff"), name)
        return _read_canonical(source) or read_any_layout(source)


def _read_canonical(source: Source) -> Loaded | None:
    """Read a text in canonical layout without problems; `None` for any other."""
    parts = split_bullets(source.text)
    texts: Known = {}
    bullets = read_bullets(parts[1], texts) if parts else None
    if parts is None or bullets is None:
        return None
    rest = Source(parts[0], source.name)
    tree = read_yaml(rest, PLAYBOOK_FILE)
    entries = EntryReader(tree, rest)
    reading = _PlaybookReader(entries)
    frame = reading.read_root(tree.root) if tree.root is not None else None
    if frame is None or entries.problems:
        return None
    playbook = replace(frame, bullets=bullets)
    comments = read_comments(rest.text, tree)
    text = add_comments(playbook, comments, add_stamp(pieces_of(playbook, texts), reading.stamp))
    if text != source.text or next(find_flaws(playbook), None) or sort_playbook(playbook) != playbook:
        return None
    return Loaded(playbook, (), source, comments, reading.stamp, texts)


def read_any_layout(source: Source) -> Loaded:
    """Read a text in any layout, with all its problems."""
    tree = read_yaml(source, PLAYBOOK_FILE)
    root = tree.root
    if not tree.problems and (root is None or (isinstance(root, Scalar) and not root.text)):
        return Loaded(
            None, (PLAYBOOK_FILE.make_problem(0, 0, "the file is empty", _BEGIN, "a playbook belongs here"),), source
        )
    if root is None:
        return Loaded(None, tree.problems, source)
    entries = EntryReader(tree, source)
    reading = _PlaybookReader(entries)
    playbook = reading.read_root(root)
    if playbook is not None and not entries.problems:
        for flaw in find_flaws(playbook):
            entries.report_problem(reading.node_of(flaw, root), flaw.message, flaw.help)
    if entries.unlisted:
        entries.problems.append(
            PLAYBOOK_FILE.make_problem(0, 0, f"{entries.unlisted} more problems", label="not listed")
        )
    if entries.problems or playbook is None:
        problems = sorted(entries.problems, key=lambda each: each.label.span.start)
        return Loaded(None, tuple(problems), source)
    return Loaded(sort_playbook(playbook), (), source, read_comments(source.text, tree), reading.stamp)


class _PlaybookReader:
    """Reads all parts, and keeps the nodes for later problems."""

    def __init__(self, entries: EntryReader) -> None:
        self.entries = entries
        self.stamp: str | None = None
        self.nodes: dict[str, Sequence[YamlNode]] = {"sections": [], "bullets": [], "pairs": []}

    def read_root(self, root: YamlNode) -> Playbook | None:
        if not isinstance(root, YamlMap):
            self.entries.report_problem(root, f"the file is {describe_node(root)}, and a playbook is a map", _BEGIN)
            return None
        top = self.entries.read_map(root, "a playbook", write_playbook.TOP)
        self.check_version(top)
        if not self.entries.has_needed(top, root, "the playbook", write_playbook.TOP_NEEDED):
            return None
        self.stamp = self.read_stamp(top["stamp"]) if "stamp" in top else None
        self.nodes = {
            name: self.entries.read_items(top[name], f"`{name}`") if name in top else [] for name in self.nodes
        }
        return Playbook(
            name=self.entries.read_text(top["name"], "`name`") or "",
            revision=self.entries.read_count(top["revision"], "`revision`") or 0,
            sections=tuple(self.read_section(node) for node in self.nodes["sections"]),
            bullets=tuple(self.read_bullet(node) for node in self.nodes["bullets"]),
            pairs=tuple(self.read_pair(node) for node in self.nodes["pairs"]),
            policy=self.read_policy(top["policy"]) if "policy" in top else Policy(),
        )

    def check_version(self, top: dict[str, YamlNode]) -> None:
        node = top.get("schema_version")
        if node is None:
            return
        if not isinstance(node, Scalar) or not node.is_plain or node.text != str(write_playbook.SCHEMA_VERSION):
            version = write_playbook.SCHEMA_VERSION
            cure = f"write `schema_version: {version}`; if a newer version of acdl-mkdocs wrote the file, update"
            self.entries.report_problem(
                node, f"`schema_version` is {describe_node(node)}, and this program reads version 1", cure
            )

    def read_stamp(self, node: YamlNode) -> str | None:
        stamp = self.entries.read_text(node, "`stamp`")
        if stamp is not None and not write_playbook.STAMP.fullmatch(stamp):
            self.entries.report_problem(
                node, f"`stamp` is {describe_node(node)}, and it has 12 digits of 0-9 and a-f", _NO_STAMP
            )
        return stamp

    def read_policy(self, node: YamlNode) -> Policy:
        entries = self.entries
        if isinstance(node, Scalar) and node.is_plain and node.text in ("", "null", "~"):
            return Policy()
        nodes = entries.read_map(node, "`policy`", write_playbook.POLICY)
        filled = {name: value for name, value in nodes.items() if name not in _MAY_MISS or not _is_nothing(value)}
        usual = Policy()
        budget = (
            entries.read_count(filled["budget_model_tokens"], "`budget_model_tokens`") if _BUDGET in filled else None
        )
        encoding = entries.read_text(filled["encoding"], "`encoding`") if "encoding" in filled else None
        measure = (
            entries.read_text(filled["similarity"], "`similarity`") if "similarity" in filled else usual.similarity
        )
        protected = usual.protect_revisions
        if "protect_revisions" in filled:
            protected = entries.read_count(filled["protect_revisions"], "`protect_revisions`") or 0
        least = entries.read_number(filled[_MERGE], f"`{_MERGE}`", 1.0) if _MERGE in filled else None
        refine = self.read_refine(filled["refine"]) if "refine" in filled else usual.refine
        return Policy(budget, encoding, measure or "", protected, least, refine)

    def read_refine(self, node: YamlNode) -> Refine:
        """Return when a playbook is refined: a word, or `every: N`."""
        entries = self.entries
        if not isinstance(node, YamlMap):
            return cast(Refine, entries.read_choice(node, "`refine`", REFINE, "{every: 10}") or Policy().refine)
        nodes = entries.read_map(node, "`refine`", ("every",))
        if not entries.has_needed(nodes, node, "`refine`", ("every",)):
            return Policy().refine
        every = entries.read_count(nodes["every"], "`every`")
        if every == 0:
            entries.report_problem(
                nodes["every"], "`every` is 0, and at least 1 is needed", "write `refine: never` for never"
            )
        return every or Policy().refine

    def read_section(self, node: YamlNode) -> Section:
        nodes = self.entries.read_map(node, "a section", write_playbook.SECTION)
        if not self.entries.has_needed(nodes, node, "the section", write_playbook.SECTION):
            return Section("", "")
        texts = [self.entries.read_text(nodes[name], f"`{name}` of a section") or "" for name in write_playbook.SECTION]
        return Section(*texts)

    def read_bullet(self, node: YamlNode) -> Bullet:
        entries = self.entries
        nodes = entries.read_map(node, "a bullet", write_playbook.BULLET)
        entries.has_needed(nodes, node, "the bullet", write_playbook.BULLET_NEEDED)
        values: dict[str, object] = {"id": "", "section": "", "content": ""}
        for name, value in nodes.items():
            if name == "content":
                read: object = self.read_content(value)
            elif name in _TEXTS:
                read = entries.read_text(value, f"`{name}`") if not _may_be_nothing(name, value) else None
            elif name in _COUNTS:
                read = entries.read_count(value, f"`{name}`")
            elif name in _LISTS:
                read = tuple(sorted(set(entries.read_texts(value, f"`{name}`"))))
            elif name in _CHOICES:
                read = (
                    entries.read_choice(value, f"`{name}`", _CHOICES[name]) if not _is_old(name, value) else "archived"
                )
            elif name == "source":
                read = self.read_source(value)
            else:
                read = entries.read_bool(value, f"`{name}`")
            if read is not None:
                values[name] = read
        return Bullet(**values)  # type: ignore[arg-type]  # each was read as what its name needs

    def read_content(self, node: YamlNode) -> str | None:
        text = self.entries.read_text(node, "`content`")
        if text is None or node.start == node.end:
            return None  # the problem, of an alias too, is reported
        cleaned = clean_content(text)
        for message in cleaned.problems:
            self.entries.report_problem(node, f"the content {message}")
        return cleaned.text or text

    def read_source(self, node: YamlNode) -> tuple[Provenance, ...]:
        nodes = [node] if isinstance(node, YamlMap) else self.entries.read_items(node, "`source`")
        return tuple(self.read_provenance(each) for each in nodes)

    def read_provenance(self, node: YamlNode) -> Provenance:
        nodes = self.entries.read_map(node, "`source`", write_playbook.SOURCE)
        texts = {
            name: self.entries.read_text(value, f"`{name}` of `source`")
            for name, value in nodes.items()
            if not _is_nothing(value)
        }
        return Provenance(**texts)

    def read_pair(self, node: YamlNode) -> Pair:
        entries = self.entries
        nodes = entries.read_map(node, "a pair", write_playbook.PAIR)
        if not entries.has_needed(nodes, node, "the pair", write_playbook.PAIR_NEEDED):
            return Pair("", "", "open")
        a, b = (entries.read_text(nodes[name], f"`{name}` of a pair") or "" for name in ("a", "b"))
        verdict = entries.read_choice(nodes["verdict"], "`verdict`", write_playbook.VERDICTS) or "open"
        score = entries.read_number(nodes["score"], "`score`", 1.0) if "score" in nodes else None
        filled = {
            name: nodes[name] for name in ("why", "by", "texts") if name in nodes and not _is_nothing(nodes[name])
        }
        texts = {name: entries.read_text(value, f"`{name}` of a pair") for name, value in filled.items()}
        rounded = None if score is None else round(score, 2)
        return Pair(min(a, b), max(a, b), cast(Verdict, verdict), rounded, **texts)

    def node_of(self, flaw: Flaw, root: YamlNode) -> YamlNode:
        """Return the node of a flaw."""
        node = self.nodes[flaw.kind][flaw.index] if flaw.kind in self.nodes else root
        if flaw.kind == "policy" and isinstance(root, YamlMap):
            node = next(value for key, value in root.pairs if key.text == flaw.kind)
        for key, value in node.pairs if isinstance(node, YamlMap) else ():
            if key.text == flaw.key:
                return value
        return node


_TEXTS = frozenset(("id", "section", "reason", "superseded_by"))
_COUNTS = frozenset((*COUNTERS, "added", "updated"))
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
