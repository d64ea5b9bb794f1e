"""Learn from recorded runs: those of `acdl record` and all others that `check-run` reads.

Each run is a question that was already answered: its first user message, what the agent did, and its last text. Its
prompts show which lessons it had. Knows nothing about models.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.agents import AgentReply, Conversation, Task, build_conversation
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import Usage
from acdl_mkdocs.playbook.learn.models.model import AgentError
from acdl_mkdocs.playbook.learn.roles import PromptLessons
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.prompts.prompt import Call, Message, Output, Text
from acdl_mkdocs.runs.check_files import open_files
from acdl_mkdocs.runs.episodes import group_requests
from acdl_mkdocs.runs.match.units import read_reply, summarize_answer
from acdl_mkdocs.runs.read.exports import join_requests
from acdl_mkdocs.runs.read.recorded import Recorded, Tally
from acdl_mkdocs.runs.requests import add_earlier_messages


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A recorded run of an agent."""

    sample: Sample
    """The id is the recorded name of the run, else that of its file."""
    conversation: Conversation
    answer: str
    prompt_words: str
    """All text in its prompts: a lesson in it was in its prompt."""


@dataclass(frozen=True, slots=True)
class RecordedAgent:
    """An agent that repeats its recorded answer to each question."""

    runs: Mapping[str, RecordedRun]
    """By the ids of their samples."""
    answers_again = False
    """It cannot be asked again."""

    @property
    def name(self) -> str:
        """Its name in logs: the same for the same runs."""
        contents = [(each.sample.id, each.conversation.text, each.answer) for each in self.runs.values()]
        return f"{len(self.runs)} recorded runs {sha256(repr(contents).encode('utf-8', 'replace')).hexdigest()[:8]}"

    def __call__(self, task: Task) -> AgentReply:
        """Return the recorded answer.

        Raises:
            AgentError: The run of the task is not recorded.
        """
        run = self.runs.get(task.id)
        if run is None:
            raise AgentError(f"the run `{task.id}` is not recorded")
        return AgentReply(run.answer, run.conversation.text, usage=Usage())

    def find_lessons(self, playbook: Playbook, sample: Sample) -> PromptLessons:
        """Return the lessons of a playbook that were in the agent's prompt."""
        prompt_words = self.runs[sample.id].prompt_words if sample.id in self.runs else ""
        lesson_ids = {
            alias: each.id for alias, each in playbook.by_id.items() if each.is_sent and f"[{alias}]" in prompt_words
        }
        return PromptLessons("", lesson_ids)


@dataclass(frozen=True, slots=True)
class ReadRuns:
    """The runs of files."""

    agent: RecordedAgent
    """Answers each question as the recording did; calls no model."""
    samples: tuple[Sample, ...]
    """The question of each run, in the order of the files."""
    notes: tuple[str, ...] = ()
    """Parts of the files that are not runs, each with its position."""


def read_runs(paths: Sequence[str | Path], format: str | None = None) -> ReadRuns:
    """Read the runs in recordings, including those in folders.

    Parameters:
        paths: Files and folders.
        format: Form of the files, or format of the bodies, such as `openai`; `None` auto-detects.

    Raises:
        TraceError: A file cannot be read, or there is no run in all of them.
        UnknownFormatError: There is no such format.
    """
    files, recorded = open_files(paths, format)
    tally = Tally()
    named: set[str] = set()
    runs: dict[str, list[Recorded]] = {}
    for each in group_requests(_note_names(tally.count_requests(add_earlier_messages(join_requests(recorded))), named)):
        runs.setdefault(each.episode or "", []).append(each)
    ids = _ids(runs, named)
    read = {ids[name]: _run(ids[name], requests) for name, requests in runs.items()}
    silent = [name for name, run in read.items() if not run.sample.question]
    usable = {name: run for name, run in read.items() if run.sample.question}
    notes = (
        *tally.describe_skipped(),
        *(f"{name}: the run has no user message, so there is no question" for name in silent),
    )
    if not usable:
        where = ", ".join(map(str, files[:3]))
        hint = notes[0] if notes else "record a run with `acdl record --out run.jsonl -- COMMAND`"
        raise TraceError(f"{where}: there is no run to learn from; {hint}")
    return ReadRuns(RecordedAgent(usable), tuple(run.sample for run in usable.values()), notes)


def _note_names(requests: Iterable[Recorded], named: set[str]) -> Iterator[Recorded]:
    """Yield the same requests; add the recorded names of runs to the set."""
    for each in requests:
        if each.episode is not None:
            named.add(each.episode)
        yield each


def _ids(runs: Mapping[str, Sequence[Recorded]], named: set[str]) -> dict[str, str]:
    """Name each run independently of other files: by its own name, or that of its file, numbered if necessary."""
    stems = {name: Path(requests[0].origin.file).stem for name, requests in runs.items() if name not in named}
    n_of = Counter(stems.values())
    seen: Counter[str] = Counter()
    ids: dict[str, str] = {}
    for name in runs:
        stem = stems.get(name, name)
        seen[stem] += 1
        ids[name] = f"{stem}#{seen[stem]}" if n_of[stem] > 1 else stem
    return ids


def _run(name: str, requests: Sequence[Recorded]) -> RecordedRun:
    messages = list(_messages(requests))
    did = build_conversation(messages)
    question = next((each for each in messages if each.role == "user" and _words(each).strip()), None)
    last = summarize_answer(requests[-1])
    answer = did.last_words or (last.text if last is not None else "")
    prompt_words = "\n".join(_words(each) for each in messages if each.role != "assistant")
    return RecordedRun(Sample(name, _words(question) if question else ""), did, answer, prompt_words)


def _messages(requests: Sequence[Recorded]) -> Iterator[Message]:
    """Yield all messages of a run, each once: those of requests, and the answers."""
    seen: set[str] = set()
    for each in requests:
        for message in (*each.request.messages, *read_reply(each)):
            key = _key(message)
            if key not in seen:
                seen.add(key)
                yield message


def _key(message: Message) -> str:
    """Return the content of a message, without ids that differ from request to request."""
    calls = [(part.tool, sorted(part.args.items(), key=str)) for part in message.parts if isinstance(part, Call)]
    results = [part.call_id for part in message.parts if isinstance(part, Output)]
    return repr((message.role, " ".join(_words(message).split()), calls, results))


def _words(message: Message) -> str:
    """Return all text of a message, including that of results."""
    texts: list[str] = []
    for part in message.parts:
        inner = part.parts if isinstance(part, Output) else (part,)
        texts += [each.text for each in inner if isinstance(each, Text)]
    return "\n".join(texts)
