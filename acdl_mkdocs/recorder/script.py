"""Answers from a script: the replies that somebody wrote, in their order, each for the requests it is meant for."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Lock

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Message, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import Answer, Asked, model_of_address
from acdl_mkdocs.prompts.providers.response_formats import shape_of
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Said, SaidCall, Stop
from acdl_mkdocs.prompts.redact import redacted_text
from acdl_mkdocs.recorder.offline import failed, other_call, said_answer

_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Condition:
    """Which requests a reply is for: all that is said must be so."""

    model: str = ""
    """Name of the model, in which `*` stands for anything."""
    system: str = ""
    """Words in the instructions."""
    last: str = ""
    """Words in the last message, or in the results that it has."""
    format: str = ""
    """Key in `WIRES`."""

    def fits(self, asked: Asked, prompt: Prompt, model: str) -> bool:
        """Whether a request is such a one."""
        system = [each for each in prompt.messages if each.role == "system"]
        return (
            (not self.model or fnmatchcase(model, self.model))
            and (not self.format or self.format == asked.format)
            and (not self.system or any(self.system in _words(each) for each in system))
            and (not self.last or self.last in "".join(_words(each) for each in prompt.messages[-1:]))
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """An element of a script."""

    line: int
    """In the file."""
    condition: Condition = Condition()
    times: int | None = 1
    """How often it is given; `None` is always."""
    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, Mapping[str, Json], str], ...] = ()
    """Name, arguments and id of each; without an id it gets one."""
    stop: Stop | None = None
    usage: tuple[int, int] | None = None
    failure: Failure | None = None


def _words(message: Message) -> str:
    """All text of a message, also in results of calls."""
    texts = []
    for part in message.parts:
        inner = part.parts if isinstance(part, Output) else (part,)
        texts += [each.text for each in inner if isinstance(each, Text)]
    return "\n".join(texts)


class ScriptedAnswers:
    """Gives to each request the first reply that is left and is for it."""

    is_offline = True

    def __init__(self, name: str, replies: tuple[Reply, ...]) -> None:
        self._name = name
        self._replies = replies
        self._n_given = [0] * len(replies)
        self._complaints: list[str] = []
        self._lock = Lock()

    def answer(self, asked: Asked) -> Answer:
        """The reply of the script in the shape of the provider."""
        if asked.format is None:
            found = other_call(asked)
            return self._refused(asked, found, 404) if isinstance(found, str) else found
        if asked.fault:
            return self._refused(asked, f"request {asked.number} cannot be answered: {asked.fault}")
        read = PROVIDERS[asked.format].read(asked.json)
        model = read.model or model_of_address(asked.path) or ""
        with self._lock:
            number = self._next(asked, read.prompt, model)
            if number is None:
                sentence = self._nothing_left(asked, read.prompt, model)
                self._complaints.append(sentence)
                return failed(asked, Failure(400, sentence))
            self._n_given[number] += 1
            n_given = self._n_given[number]
        reply = self._replies[number]
        if reply.failure is not None:
            return failed(asked, reply.failure, is_scripted=True)
        mark = f"{number + 1}" if n_given == 1 else f"{number + 1}_{n_given}"
        return said_answer(asked, _said(reply, mark, asked))

    def _refused(self, asked: Asked, sentence: str, status: int = 400) -> Answer:
        with self._lock:
            self._complaints.append(sentence)
        return failed(asked, Failure(status, sentence))

    def _next(self, asked: Asked, prompt: Prompt, model: str) -> int | None:
        for number, reply in enumerate(self._replies):
            is_left = reply.times is None or self._n_given[number] < reply.times
            if is_left and reply.condition.fits(asked, prompt, model):
                return number
        return None

    def _nothing_left(self, asked: Asked, prompt: Prompt, model: str) -> str:
        last = " ".join(redacted_text("".join(_words(each) for each in prompt.messages[-1:])).split())
        words = f"{last[:_MOST_SHOWN]}…" if len(last) > _MOST_SHOWN else last
        left = [
            each for each, n in zip(self._replies, self._n_given, strict=True) if each.times is None or n < each.times
        ]
        if left:
            why = f"of the {len(left)} that are left none is for it (the first is in line {left[0].line})"
            cure = "look at their `when`"
        else:
            why, cure = f"all {len(self._replies)} were given", "add one, or write `times: any` where one is enough"
        sentence = (
            f"{self._name} has no reply for request {asked.number} ({asked.format}, model `{model}`, last: `{words}`)"
        )
        return f"{sentence}: {why}; {cure}"

    def complaints(self) -> list[str]:
        """What could not be answered."""
        return list(self._complaints)

    def left_over(self) -> list[str]:
        """Which replies nobody wanted."""
        unused = [reply for reply, n in zip(self._replies, self._n_given, strict=True) if n < (reply.times or 0)]
        if not unused:
            return []
        many = "1 reply was" if len(unused) == 1 else f"{len(unused)} replies were"
        return [f"{many} never given; the first is in line {unused[0].line} of {self._name}"]

    def remarks(self) -> list[str]:
        """Nothing else."""
        return []


def _said(reply: Reply, mark: str, asked: Asked) -> Said:
    shape = shape_of(asked)
    calls = tuple(
        SaidCall(name, arguments, given or shape.call_id(mark, number))
        for number, (name, arguments, given) in enumerate(reply.calls, 1)
    )
    stop: Stop = reply.stop or ("calls" if calls else "end")
    return Said(mark, reply.text, reply.thinking, calls, stop, reply.usage)


def load_script(path: Path | str) -> ScriptedAnswers:
    """The answers of a script.

    Raises:
        RecorderError: The file cannot be read, or is no script; the message says every problem with its place.
    """
    from acdl_mkdocs.recorder.read_script import read_script

    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as reason:
        raise RecorderError(f"{path}: {(reason.strerror or 'it cannot be read').lower()}") from None
    except UnicodeDecodeError as fault:
        raise RecorderError(f"{path}: byte {fault.start + 1} is not UTF-8; save the file in UTF-8") from None
    return ScriptedAnswers(str(path), read_script(text, str(path)))
