"""A model whose replies are kept: none is paid for twice."""

from pathlib import Path

import pytest

from acdl_mkdocs.playbook.learn.models import Reply, Usage
from acdl_mkdocs.playbook.learn.models.model import CutReplyError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel
from acdl_mkdocs.prompts.prompt import Message, Prompt, Text


def asking(text: str) -> Prompt:
    """A prompt of one message."""
    return Prompt((Message("user", (Text(text),)),))


def test_replies_are_given_again(tmp_path: Path) -> None:
    """After a kill the same prompt has the same reply without asking; another prompt or another seed is asked."""
    path = tmp_path / "replies.jsonl"
    reply = Reply("half a \ud800 character\n", Usage(3, 4), "m-1", "stop")
    CachedModel(Scripted([reply]), path).complete(asking("a"), seed=1)
    again = CachedModel(Scripted(["b", "c"]), path)
    assert again.complete(asking("a"), seed=1) == reply
    assert [again.complete(asking("b"), seed=1).text, again.complete(asking("a"), seed=2).text] == ["b", "c"]
    assert [each.reply.text for each in again.calls] == [reply.text, "b", "c"]


def test_the_same_question_twice_has_two_replies(tmp_path: Path) -> None:
    """A prompt that was sent twice has its replies in their order, and is then asked anew."""
    path = tmp_path / "replies.jsonl"
    first = CachedModel(Scripted(["1", "2"]), path)
    assert [first.complete(asking("a")).text for _ in range(2)] == ["1", "2"]
    again = CachedModel(Scripted(["3"]), path)
    assert [again.complete(asking("a")).text for _ in range(3)] == ["1", "2", "3"]


def test_a_torn_reply_is_asked_again(tmp_path: Path) -> None:
    """The end of a line that was being written is cut off, so that the next reply is found."""
    path = tmp_path / "replies.jsonl"
    CachedModel(Scripted(["1"]), path).complete(asking("a"))
    with path.open("ab") as file:
        file.write(b'{"prompt":"00')
    CachedModel(Scripted(["2"]), path).complete(asking("b"))
    again = CachedModel(Scripted([]), path)
    assert [again.complete(asking(each)).text for each in "ab"] == ["1", "2"]


def test_where_there_is_no_folder_nothing_is_kept(tmp_path: Path) -> None:
    """A worker on another machine, where the folder of the run is not, does without."""
    heard = CachedModel(Scripted(["1"]), tmp_path / "nowhere" / "replies.jsonl")
    assert heard.complete(asking("a")).text == "1"
    assert not (tmp_path / "nowhere").exists()


def test_failures_cost_too() -> None:
    """Model tokens of a call without an answer are counted."""
    heard = CachedModel(Scripted([Reply("x", Usage(1, 2)), CutReplyError("cut", usage=Usage(10, 20))]))
    heard.complete(asking("a"))
    with pytest.raises(CutReplyError):
        heard.complete(asking("a"))
    assert heard.usage == Usage(11, 22)
