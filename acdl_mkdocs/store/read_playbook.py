"""The text of a playbook file as a `Playbook`, with everything that is wrong with it."""

from dataclasses import field, replace
from typing import cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.bullets import (
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
from acdl_mkdocs.playbook.content import clean
from acdl_mkdocs.playbook.plain import REFINE, SUPERSEDED
from acdl_mkdocs.store import shapes
from acdl_mkdocs.store.comments import NO_COMMENTS, Comments, read_comments
from acdl_mkdocs.store.consistency import Flaw, flaws
from acdl_mkdocs.store.entries import Entries, shown
from acdl_mkdocs.store.read_canonical import read_bullets, split
from acdl_mkdocs.store.write_playbook import Known, pieces_of, stamped, with_comments
from acdl_mkdocs.store.yaml_nodes import Pairs, Scalar, YamlNode, problem, read_tree, without_collector

_NO_STAMP = "remove the line: the next change writes a new one"
_BEGIN = "`acdl playbook init FILE` writes an empty one"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A playbook and what is wrong with its file."""

    playbook: Playbook | None
    """`None` if anything is wrong, so that nobody works with half of it."""
    problems: tuple[Diagnostic, ...]
    source: Source
    """The text that the places of the problems are of."""
    comments: Comments = NO_COMMENTS
    stamp: str | None = None
    """That of the revision, if the file says one; no part of the playbook."""
    known: Known = field(default_factory=dict, compare=False, repr=False)
    """The texts of bullets that were written to compare them; writers need them again."""


def read_playbook(text: str, name: str = "<playbook>") -> Loaded:
    """Read a playbook file: YAML 1.2, or JSON. Never raises for what it says.

    Parameters:
        text: The text of the file.
        name: What a person calls it.
    """
    with without_collector():
        source = Source(text.removeprefix("\ufeff"), name)
        return _canonical(source) or read_any(source)


def _canonical(source: Source) -> Loaded | None:
    """A text as it is written here, without anything wrong; `None` for any other."""
    parts = split(source.text)
    known: Known = {}
    bullets = read_bullets(parts[1], known) if parts else None
    if parts is None or bullets is None:
        return None
    rest = Source(parts[0], source.name)
    tree = read_tree(rest)
    reading = _Reading(Entries(tree))
    frame = reading.playbook(tree.root) if tree.root is not None else None
    if frame is None or tree.problems:
        return None
    playbook = replace(frame, bullets=bullets)
    comments = read_comments(rest.text, tree)
    text = with_comments(playbook, comments, stamped(pieces_of(playbook, known), reading.stamp))
    if text != source.text or next(flaws(playbook), None) or ordered(playbook) != playbook:
        return None
    return Loaded(playbook, (), source, comments, reading.stamp, known)


def read_any(source: Source) -> Loaded:
    """Read a text in whatever layout, with everything that is wrong with it."""
    tree = read_tree(source)
    root = tree.root
    if not tree.problems and (root is None or (isinstance(root, Scalar) and not root.text)):
        return Loaded(None, (problem(0, 0, "the file is empty", _BEGIN, "a playbook belongs here"),), source)
    if root is None:
        return Loaded(None, tuple(tree.problems), source)
    entries = Entries(tree)
    reading = _Reading(entries)
    playbook = reading.playbook(root)
    if playbook is not None and not entries.problems:
        for flaw in flaws(playbook):
            entries.say(reading.node_of(flaw, root), flaw.message, flaw.help)
    if entries.unlisted:
        entries.problems.append(problem(0, 0, f"{entries.unlisted} more problems", label="not listed"))
    if entries.problems or playbook is None:
        found = sorted(entries.problems, key=lambda each: each.label.span.start)
        return Loaded(None, tuple(found), source)
    return Loaded(ordered(playbook), (), source, read_comments(source.text, tree), reading.stamp)


class _Reading:
    """What was read of each list, and its nodes for those who find fault with it later."""

    def __init__(self, entries: Entries) -> None:
        self.entries = entries
        self.stamp: str | None = None
        self.nodes: dict[str, list[YamlNode]] = {"sections": [], "bullets": [], "pairs": []}

    def playbook(self, root: YamlNode) -> Playbook | None:
        if not isinstance(root, Pairs):
            self.entries.say(root, f"the file is {shown(root)}, and a playbook is a map", _BEGIN)
            return None
        top = self.entries.pairs(root, "a playbook", shapes.TOP)
        self.version(top)
        if not self.entries.needed(top, root, "the playbook", shapes.TOP_NEEDED):
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
        if not isinstance(node, Scalar) or not node.is_plain or node.text != str(shapes.SCHEMA_VERSION):
            cure = f"write `schema_version: {shapes.SCHEMA_VERSION}`"
            self.entries.say(node, f"`schema_version` is {shown(node)}, and this program reads version 1", cure)

    def stamp_of(self, node: YamlNode) -> str | None:
        stamp = self.entries.text(node, "`stamp`")
        if stamp is not None and not shapes.STAMP.fullmatch(stamp):
            self.entries.say(node, f"`stamp` is {shown(node)}, and it has 12 digits of 0-9 and a-f", _NO_STAMP)
        return stamp

    def policy(self, node: YamlNode) -> Policy:
        entries = self.entries
        if isinstance(node, Scalar) and node.is_plain and node.text in ("", "null", "~"):
            return Policy()
        found = entries.pairs(node, "`policy`", shapes.POLICY)
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
        """When a playbook is refined: a word, or `every: N`."""
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
        found = self.entries.pairs(node, "a section", shapes.SECTION)
        if not self.entries.needed(found, node, "the section", shapes.SECTION):
            return Section("", "")
        texts = [self.entries.text(found[name], f"`{name}` of a section") or "" for name in shapes.SECTION]
        return Section(*texts)

    def bullet(self, node: YamlNode) -> Bullet:
        entries = self.entries
        found = entries.pairs(node, "a bullet", shapes.BULLET)
        entries.needed(found, node, "the bullet", shapes.BULLET_NEEDED)
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
        found = self.entries.pairs(node, "`source`", shapes.SOURCE)
        texts = {
            name: self.entries.text(value, f"`{name}` of `source`")
            for name, value in found.items()
            if not _is_nothing(value)
        }
        return Provenance(**texts)

    def pair(self, node: YamlNode) -> Pair:
        entries = self.entries
        found = entries.pairs(node, "a pair", shapes.PAIR)
        if not entries.needed(found, node, "the pair", shapes.PAIR_NEEDED):
            return Pair("", "", "open")
        a, b = (entries.text(found[name], f"`{name}` of a pair") or "" for name in ("a", "b"))
        verdict = entries.choice(found["verdict"], "`verdict`", shapes.VERDICTS) or "open"
        score = entries.number(found["score"], "`score`", 1.0) if "score" in found else None
        said = {name: found[name] for name in ("why", "by", "texts") if name in found and not _is_nothing(found[name])}
        texts = {name: entries.text(value, f"`{name}` of a pair") for name, value in said.items()}
        rounded = None if score is None else round(score, 2)
        return Pair(min(a, b), max(a, b), cast(Verdict, verdict), rounded, **texts)

    def node_of(self, flaw: Flaw, root: YamlNode) -> YamlNode:
        """Where a flaw is."""
        node = self.nodes[flaw.kind][flaw.index] if flaw.kind in self.nodes else root
        if flaw.kind == "policy" and isinstance(root, Pairs):
            node = next(
                value
                for key, value in zip(root.keys, root.values, strict=False)
                if isinstance(key, Scalar) and key.text == flaw.kind
            )
        for key, value in zip(node.keys, node.values, strict=False) if isinstance(node, Pairs) else ():
            if isinstance(key, Scalar) and key.text == flaw.key:
                return value
        return node


_TEXTS = frozenset(("id", "section", "content", "reason", "superseded_by"))
_COUNTS = frozenset(("helpful", "harmful", "neutral", "seen", "added", "updated"))
_LISTS = frozenset(("applies_to", "aliases"))
_CHOICES = {"status": shapes.STATUSES, "severity": shapes.SEVERITIES}
_BUDGET, _MERGE = "budget_model_tokens", "merge_similar"
_MAY_MISS = frozenset((_BUDGET, "encoding", _MERGE))


def _is_nothing(node: YamlNode) -> bool:
    return isinstance(node, Scalar) and node.is_plain and node.text in ("", "~", "null", "Null", "NULL")


def _is_old(name: str, node: YamlNode) -> bool:
    """Whether a status is one that playbooks had before."""
    return name == "status" and isinstance(node, Scalar) and node.text == SUPERSEDED


def _may_be_nothing(name: str, node: YamlNode) -> bool:
    return name in ("reason", "superseded_by") and _is_nothing(node)
