"""The tools about playbooks: show, retrieve, propose, tag and review. What an agent proposes waits for a person.

An agent adds proposals and counts; it approves, rewrites and removes nothing.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import get_args

from acdl_mkdocs.app.curate import curate, refusal_of
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments, option_words
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath, resolve_links
from acdl_mkdocs.frontends.mcp.schemas import COUNT, STRING, answer_schema
from acdl_mkdocs.frontends.mcp.tool import LINES, Tool
from acdl_mkdocs.playbook.exchange import DEFAULT_TOP
from acdl_mkdocs.playbook.model.bullets import GENERAL, Bullet, Playbook, Provenance, TagName
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.model.near_pairs import find_near_pairs
from acdl_mkdocs.playbook.model.prompt_text import bullet_text, prompt_text
from acdl_mkdocs.playbook.model.retrieval import drop_harmful, select_lessons
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.playbook.store import load, load_revision, update
from acdl_mkdocs.playbook.store.files import LOCKS
from acdl_mkdocs.playbook.store.load import get_usable_playbook, history_path, resolve_link
from acdl_mkdocs.prompts.prompt import Json

AGENT = "agent"
"""The actor in the history for changes through these tools."""
MAX_TOP = 100
MAX_WAITING = 100
"""Limit on waiting proposals: with more, a person has to review them first."""
MAX_PAIRS = 20
_ENDINGS = (".yaml", ".yml")
_PLAYBOOK = Argument("path", "path of the playbook, such as `playbook.yaml`", is_required=True)
_IDS: Data = {"type": "array", "items": STRING}
_OF_PLAYBOOK = {"playbook": STRING, "revision": COUNT}


def _show_playbook(args: ToolArguments, folders: Folders) -> Answer:
    found = _find_playbook(args, folders)
    revision = args.number_of("revision", -1)
    playbook = load_revision(found.path, revision) if revision >= 0 else _read_playbook(found)
    name = args.text_of("id")
    if name is not None:
        bullet = _find_bullet(playbook, name)
        return Answer(_bullet_data(bullet), data=_bullets_data(playbook, [bullet]))
    section = args.text_of("section")
    if section is not None and all(section not in (each.id, each.title) for each in playbook.sections):
        section_ids = ", ".join(f"`{each.id}`" for each in playbook.sections)
        raise CallError(f"there is no section `{section[:80]}`", f"there are {section_ids}")
    ids = {each.id for each in playbook.sections if section in (None, each.id, each.title)}
    bullets = [each for each in playbook.sent if each.section in ids]
    notes = "; ".join(
        f"{format_count(n, 'lesson')} {what}"
        for what, n in (
            ("proposed", sum(each.status == "proposed" for each in playbook.bullets)),
            ("archived", sum(each.status == "archived" for each in playbook.bullets)),
        )
        if n
    )
    text = prompt_text(playbook, bullets=bullets)
    return Answer(text or "there is no lesson", notes and f"also: {notes}", _bullets_data(playbook, bullets))


def _retrieve_bullets(args: ToolArguments, folders: Folders) -> Answer:
    playbook = _read_playbook(_find_playbook(args, folders))
    task = args.text_of("task") or ""
    if not task.strip():
        raise CallError("`task` is empty", "say in a sentence what is to be done")
    top = args.number_of("top", DEFAULT_TOP)
    if not 1 <= top <= MAX_TOP:
        raise CallError(f"`top` is {top}", f"send a number from 1 to {MAX_TOP}")
    bullets = list(select_lessons(playbook, task, top))
    text = prompt_text(playbook, bullets=bullets) or "there is no lesson for it"
    n_more = len(drop_harmful(playbook).sent) - len(bullets)
    used = "name the ids in brackets of the lessons that you use, and tag them when you know whether they helped"
    notes = [used] if bullets else []
    notes += [f"{format_count(n_more, 'more lesson')} are not shown: send a larger `top`"] if n_more > 0 else []
    return Answer(text, "; ".join(notes), _bullets_data(playbook, bullets))


def _propose_bullet(args: ToolArguments, folders: Folders) -> Answer:
    found = _find_writable_playbook(args, folders)
    playbook = _read_playbook(found)
    if sum(each.status == "proposed" for each in playbook.bullets) >= MAX_WAITING:
        raise CallError(f"{MAX_WAITING} proposals wait already", "let a person review them first")
    operation: dict[str, Json] = {"type": "ADD", "status": "proposed"}
    operation |= {
        "section": args.text_of("section") or next((each.id for each in playbook.sections), GENERAL),
        "content": args.text_of("content") or "",
    }
    if args.text_of("reason"):
        operation["reason"] = args.text_of("reason")
    curated = _apply_operation(found, operation)
    applied = curated.report.applied[0]
    is_waiting = applied.after is not None and applied.after.status == "proposed"
    message = (
        f"[{applied.id}] waits until a person approves it" if is_waiting else f"[{applied.id}] says the same already"
    )
    approve = f"acdl playbook approve {found.name} {applied.id}"
    notes = f"nothing that agents read has it before; a person approves it with `{approve}`" if is_waiting else ""
    return Answer(message, notes, {**_playbook_data(curated.playbook), "id": applied.id, "is_waiting": is_waiting})


def _tag_bullet(args: ToolArguments, folders: Folders) -> Answer:
    found = _find_writable_playbook(args, folders)
    bullet = _find_bullet(_read_playbook(found), args.text_of("id") or "")
    operation: dict[str, Json] = {"type": "TAG", "bullet_id": bullet.id, "tag": args.choice_of("tag", "neutral")}
    if args.text_of("reason"):
        operation["reason"] = args.text_of("reason")
    curated = _apply_operation(found, operation)
    after = curated.playbook.by_id[bullet.id]
    counts: Data = {"helpful": after.helpful, "harmful": after.harmful, "neutral": after.neutral}
    return Answer(bullet_text(after), data={**_playbook_data(curated.playbook), "id": after.id, **counts})


def _list_for_review(args: ToolArguments, folders: Folders) -> Answer:
    found = _find_playbook(args, folders)
    playbook = _read_playbook(found)
    proposed = [each for each in playbook.bullets if each.status == "proposed"]
    pairs = find_near_pairs(playbook, load_similarity(playbook.policy.similarity))
    lines = [f"{format_count(len(proposed), 'proposal')} to approve"]
    for each in proposed:
        lines.append(f"{bullet_text(each)}" + (f" (section {each.section}; {each.reason})" if each.reason else ""))
    lines.append(f"{format_count(len(pairs), 'pair')} of lessons that are near each other")
    for pair in pairs[:MAX_PAIRS]:
        lines += [f"{each.id}: {each.content}" for each in (pair.a, pair.b)]
    notes = f"a person decides: `acdl playbook approve {found.name} ID`, `acdl playbook review {found.name}`"
    data = _playbook_data(playbook) | {
        "proposed": [each.id for each in proposed],
        "pairs": [[each.a.id, each.b.id] for each in pairs[:MAX_PAIRS]],
    }
    return Answer("\n".join(lines), notes, data)


def _find_playbook(args: ToolArguments, folders: Folders) -> FoundPath:
    """Return a playbook with its history and its lock, all in the folders of the server.

    Raises:
        CallError: There is none, or a link leads outside.
    """
    found = folders.find_file(args.text_of("path") or "", _ENDINGS, can_be_sent=False)
    if not found.path.is_file():
        raise CallError(f"`{found.name}` is not a playbook file", "`acdl playbook init playbook.yaml` makes one")
    own = resolve_link(found.path)
    for path in (own, history_path(own), own.parent / LOCKS):
        real = resolve_links(path)
        if real is None or not real.is_relative_to(found.root):
            raise CallError(f"`{path.name}` leads out of the folders of this server", "let a person remove the link")
    return found


def _find_writable_playbook(args: ToolArguments, folders: Folders) -> FoundPath:
    """Return a playbook that may be changed.

    Raises:
        CallError: Writing is not allowed, or a link leads outside.
    """
    if not folders.may_write:
        cure = "let a person start it with `--allow-writes`, or write the lesson into your answer"
        raise CallError("this server may not write files", cure)
    return _find_playbook(args, folders)


def _read_playbook(found: FoundPath) -> Playbook:
    return get_usable_playbook(load(found.path))


def _apply_operation(found: FoundPath, operation: dict[str, Json]) -> Curated:
    """Apply one operation to the file, in the name of an agent.

    Raises:
        CallError: It is rejected, or changes nothing.
    """
    delta = delta_of({"reasoning": "", "operations": [operation]})

    def change(playbook: Playbook) -> Curated:
        return curate(playbook, delta, AGENT, Provenance(AGENT))

    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    curated = update(found.path, change, time=time, actor=AGENT)
    if refusal := refusal_of(curated):
        raise CallError(refusal.reason, refusal.cure_in_words(option_words))
    return curated


def _find_bullet(playbook: Playbook, name: str) -> Bullet:
    bullet = playbook.by_id.get(name.strip().strip("[]"))
    if bullet is None:
        raise CallError(f"there is no lesson `{name[:80]}`", "call `playbook_show` for their ids")
    return bullet


def _bullet_data(bullet: Bullet) -> str:
    """Return a bullet with its metadata."""
    lines = [bullet_text(bullet), f"status: {bullet.status}, section: {bullet.section}, seen: {bullet.seen}"]
    lines += [f"why: {bullet.reason}"] if bullet.reason else []
    for each in bullet.source:
        parts = {"by": each.by, "run": each.run, "sample": each.sample, "model": each.model, "see": each.reference}
        lines.append("source: " + ", ".join(f"{key} {value}" for key, value in parts.items() if value))
    return "\n".join(lines)


def _playbook_data(playbook: Playbook) -> Data:
    return {"playbook": playbook.name, "revision": playbook.revision}


def _bullets_data(playbook: Playbook, bullets: Sequence[Bullet]) -> Data:
    return _playbook_data(playbook) | {"ids": [each.id for each in bullets]}


_REASON = Argument("reason", "why, in a sentence, for the history")

SHOW = Tool(
    "playbook_show",
    "Show a playbook",
    "Show the lessons of a playbook: what agents learned in earlier tasks, one per line after its id and counters. "
    "With `id`, show everything about one lesson.",
    (
        _PLAYBOOK,
        Argument("section", "only the lessons of this section"),
        Argument("id", "only this lesson, with its sources"),
        Argument("revision", "the playbook as of this revision", "integer"),
        LINES,
    ),
    answer_schema({**_OF_PLAYBOOK, "ids": _IDS}),
    _show_playbook,
)
RETRIEVE = Tool(
    "playbook_retrieve",
    "Find lessons for a task",
    "Find the lessons of a playbook that help with a task. Call it before you begin a task, and follow those that "
    "apply.",
    (
        _PLAYBOOK,
        Argument("task", "the task, in a sentence or more", is_required=True),
        Argument("top", f"the maximum number of lessons (default: {DEFAULT_TOP})", "integer"),
    ),
    answer_schema({**_OF_PLAYBOOK, "ids": _IDS}),
    _retrieve_bullets,
)
PROPOSE = Tool(
    "playbook_propose",
    "Propose a lesson",
    "Propose a lesson for later tasks: one rule that is concrete and new. It waits in the playbook and has no effect "
    "until a person approves it. The server must be started with --allow-writes.",
    (
        _PLAYBOOK,
        Argument("content", "the lesson: when it applies and what to do, one paragraph", is_required=True),
        Argument("section", "section of the lesson (default: the first)"),
        _REASON,
    ),
    answer_schema({**_OF_PLAYBOOK, "id": STRING, "is_waiting": {"type": "boolean"}}),
    _propose_bullet,
    can_write=True,
    is_adding=True,
)
TAG = Tool(
    "playbook_tag",
    "Rate a lesson",
    "After a task, record whether a lesson that you used helped, did harm, or neither: once per task and lesson. "
    "The server must be started with --allow-writes.",
    (
        _PLAYBOOK,
        Argument("id", "id of the lesson", is_required=True),
        Argument("tag", "the effect of the lesson", choices=get_args(TagName), is_required=True),
        _REASON,
    ),
    answer_schema({**_OF_PLAYBOOK, "id": STRING, "helpful": COUNT, "harmful": COUNT, "neutral": COUNT}),
    _tag_bullet,
    can_write=True,
    is_adding=True,
)
REVIEW = Tool(
    "playbook_review",
    "List lessons that wait for approval",
    "List the proposed lessons of a playbook that wait for approval, and lessons that are similar to each other, to "
    "show to a person. It changes nothing.",
    (_PLAYBOOK, LINES),
    answer_schema({**_OF_PLAYBOOK, "proposed": _IDS, "pairs": {"type": "array", "items": _IDS}}),
    _list_for_review,
)
TOOLS = (SHOW, RETRIEVE, PROPOSE, TAG, REVIEW)
