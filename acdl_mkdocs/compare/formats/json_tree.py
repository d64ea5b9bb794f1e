"""A difference as JSON, for tools.

```json
{"acdl_diff": 1, "old": "a.acdl", "new": "b.acdl", "equal": false, "equal_sent": false,
 "syntax_errors": {"old": [], "new": []}, "edits": [EDIT], "comments": [], "used": [], "sent": null}
```

`assets/diff.schema.json` describes all of it.

An `EDIT` has `kind`, `what` (the head of the statement), `around` (the heads of the blocks around it, outermost
first), `old` and `new` (each a `PLACE` or null), `changes`, `carried`, `head_only` and `can_change_sent`. A `PLACE` has
`start` and `end`, each with `line` and `column` (from 1, in code points), `span` (`[start, end]`, half-open code points
of the text) and `path` (positions of statements from the file down, comments left out). A change has `what`, `old` and
`new` (in the normal form), `old_place` and `new_place`. An edit of comments has `kind`, `old` and `new`: lists of
`text` and `place`. `syntax_errors` has `message` and `place` of the errors on each side, `used` the edits inside
fragments of other texts, with the names of these texts, in which their places are. `sent` has the messages of both at
the points of a state, and is null without one. `acdl_diff` is incremented when a field changes its meaning or is
removed; fields may be added.
"""

from acdl_mkdocs.compare.formats.edit_text import BlockHeads, head_of
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.messages import MessageChange, MessagePlace
from acdl_mkdocs.compare.sent.sent import PointDifference, SentDifference, SentSide
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.compare.sent.words import ChangedWords
from acdl_mkdocs.compare.structure.edits import Change, CommentEdit, Difference, Edit, Path
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import Node
from acdl_mkdocs.language.syntax.parse import Parsed


def sent_object(sent: SentDifference) -> dict[str, object]:
    """Convert the comparison at all points to plain data."""
    first = sent.first_difference
    return {
        "old_spec": sent.old_spec,
        "new_spec": sent.new_spec,
        "same": sent.is_same,
        "verdict": sent_verdict(sent),
        "first_difference": str(first.at) if first else None,
        "encoding": sent.encoding or None,
        "is_estimate": sent.is_estimate,
        "points": [_point_object(each) for each in sent.points],
    }


def _point_object(point: PointDifference) -> dict[str, object]:
    return {
        "at": str(point.at),
        "verdict": point.verdict,
        "old": _side_object(point.old),
        "new": _side_object(point.new),
        "kept": point.n_kept,
        "same_start": point.n_same_start,
        "same_start_tokens": point.n_same_tokens,
        "other_beside": list(point.other_beside),
        "messages": [_message_object(each) for each in point.changes],
    }


def _side_object(side: SentSide) -> dict[str, object]:
    return {
        "messages": side.n_messages,
        "model_tokens": side.n_tokens,
        "errors": list(side.errors),
        "unknown": list(side.unknown),
        "undecided": list(side.undecided),
        "keeps_prompt_before": side.is_prefix_kept,
    }


def _message_object(change: MessageChange) -> dict[str, object]:
    return {
        "kind": change.kind,
        "old": _message_place_object(change.old),
        "new": _message_place_object(change.new),
        "words": [_words_object(each) for each in change.words],
        "other_parts": change.has_other_parts,
        "unknown": list(change.unknown),
    }


def _words_object(words: ChangedWords) -> dict[str, object]:
    if words.kind == "folded":
        return {"kind": "folded", "characters": int(words.text)}
    return {"kind": words.kind, "text": words.text}


def _message_place_object(place: MessagePlace | None) -> dict[str, object] | None:
    if place is None:
        return None
    start = place.source.find_place(place.span.start)
    return {
        "n": place.number,
        "role": place.role,
        "file": place.source.name,
        "line": start.line,
        "column": start.column,
        "span": [place.span.start, place.span.end],
        "rounds": place.rounds,
    }


VERSION = 1


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """Write the difference as one indented document."""
    return json_text(to_object(difference, options)) + "\n"


def to_object(difference: Difference, options: CompareOptions | None = None) -> dict[str, object]:
    """Convert the difference to plain data."""
    sent = options.sent if options else None
    return {
        "acdl_diff": VERSION,
        "old": difference.old.source.name,
        "new": difference.new.source.name,
        "equal": difference.is_empty,
        "equal_sent": difference.is_equal_sent,
        "syntax_errors": {"old": _error_objects(difference.old), "new": _error_objects(difference.new)},
        "edits": _edit_objects(difference),
        "comments": [_comment_object(each, difference) for each in difference.comments],
        "used": [
            {"old": each.old.source.name, "new": each.new.source.name, "edits": _edit_objects(each)}
            for each in difference.used
        ],
        "sent": sent_object(sent) if sent is not None else None,
    }


def _error_objects(parsed: Parsed) -> list[dict[str, object]]:
    errors = [each for each in parsed.diagnostics if each.severity == "error"]
    return [{"message": each.message, "place": _place_object(each.label.span, parsed.source)} for each in errors]


def _edit_objects(difference: Difference) -> list[dict[str, object]]:
    heads = BlockHeads(difference)
    return [_edit_object(each, difference, heads) for each in difference.edits]


def _edit_object(edit: Edit, difference: Difference, heads: BlockHeads) -> dict[str, object]:
    old, new = difference.old, difference.new
    about = head_of(edit.new, new) if edit.new is not None else head_of(edit.old, old) if edit.old is not None else ""
    return {
        "kind": edit.kind,
        "what": about,
        "around": list(heads.heads_around(edit)),
        "old": _statement_object(edit.old, edit.old_path, old),
        "new": _statement_object(edit.new, edit.new_path, new),
        "changes": [_change_object(each, difference) for each in edit.changes],
        "carried": [{"old_path": list(each.old_path), "new_path": list(each.new_path)} for each in edit.carried],
        "head_only": edit.is_head,
        "can_change_sent": edit.can_change_sent,
    }


def _statement_object(node: Node | None, path: Path | None, parsed: Parsed) -> dict[str, object] | None:
    if node is None or path is None:
        return None
    return {**_place_object(node.span, parsed.source), "path": list(path)}


def _change_object(change: Change, difference: Difference) -> dict[str, object]:
    return {
        "what": change.what,
        "old": change.old,
        "new": change.new,
        "old_place": _place_object(change.old_span, difference.old.source),
        "new_place": _place_object(change.new_span, difference.new.source),
    }


def _comment_object(edit: CommentEdit, difference: Difference) -> dict[str, object]:
    sides = (("old", edit.old, difference.old.source), ("new", edit.new, difference.new.source))
    texts = {
        name: [{"text": each.text, "place": _place_object(each.span, source)} for each in comments]
        for name, comments, source in sides
    }
    return {"kind": edit.kind, **texts}


def _place_object(span: Span, source: Source) -> dict[str, object]:
    start, end = source.find_place(span.start), source.find_place(span.end)
    return {
        "start": {"line": start.line, "column": start.column},
        "end": {"line": end.line, "column": end.column},
        "span": [span.start, span.end],
    }
