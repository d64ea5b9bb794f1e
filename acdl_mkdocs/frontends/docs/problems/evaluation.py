"""The problems of prompts that are built from a state, documented like rules; see `text_problems` for the form.

The section "State" is the state of the example.
"""

from collections.abc import Mapping

EVALUATION_PROBLEMS: Mapping[str, str] = {
    "missing-value": """the state has no value for something that a message needs.

        The help says under which path to give it. With `missing: placeholder` a visible stand-in is sent instead, with
        `missing: empty` nothing.

        ## Why
        A prompt with a hole is worse than no prompt: the model would fill it.

        ## Example
        ```acdl
        Chat[@T]: { U: env.qestion[@T] }
        ```

        ## State
        ```yaml
        acdl_state: 1
        steps: {1: {env: {question: "Why?"}}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { U: env.question[@T] }
        ```
        """,
    "future-value": """something is read that does not exist yet at the step that the prompt is built for.

        ## Why
        A sample state holds a whole conversation, so a wrong index would find a value here and none in the real system.

        ## Example
        ```acdl
        Chat[@T]: { ForEach(t: range(1, @T+1)) { U: env.question[@t+1] } }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?", 2: "How?"}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { ForEach(t: range(1, @T+1)) { U: env.question[@t] } }
        ```
        """,
    "answer-before-call": """a response of the very step that the prompt is built for is read, and the state has it.

        ## Why
        The prompt is what the model answers, so no answer can be in it. A sample state that was recorded after the
        step hides the mistake.

        ## Example
        ```acdl
        Chat[@T]: { U: env.question[@T] A: resp.answer[@T] }
        ```

        ## State
        ```yaml
        acdl_state: 1
        steps: {1: {env: {question: "Why?"}, resp: {answer: Because.}}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { If @T > 1 { A: resp.answer[@T-1] } U: env.question[@T] }
        ```
        """,
    "unbound-value": """a name has no value at the place where it is used.

        ## Why
        A loop variable ends with its loop, a `Name` with the block that it stands in, and a fragment sees its
        parameters alone.

        ## Example
        ```acdl
        Chat[@T]: {
            If sys.is_long { Name docs := sys.documents }
            U: { env.question[@T] $docs }
        }
        ```

        ## State
        ```yaml
        acdl_state: 1
        sys: {is_long: true, documents: [a.md]}
        env: {question: {1: "Why?"}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: {
            Name docs := sys.documents
            U: { env.question[@T] If sys.is_long { $docs } }
        }
        ```
        """,
    "misplaced-statement": """a statement stands where it means nothing, or text could not be understood.

        ## Why
        Nothing is sent for it. `acdl check` says more about most of such places.

        ## Example
        ```acdl
        Chat[@T]: { env.question[@T] }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?"}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { U: env.question[@T] }
        ```
        """,
    "not-iterable": """a loop runs over something that has no elements.

        ## Why
        A text or a number is one value, and what a function without a sample gives is not known.

        ## Example
        ```acdl
        Chat[@T]: { ForEach(d: retrieve(env.question[@T])) { U: d.content } }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?"}}
        ```

        ## Use instead
        Give a sample in the state file:
        `functions: {retrieve: [{args: ["Why?"], returns: [{content: "Because."}]}]}`
        """,
    "not-computable": """values cannot be calculated with, put in order, or used as a time or as bounds of a range.

        ## Why
        A text has no half, and nothing can be divided by zero.

        ## Example
        ```acdl
        Chat[@T]: { ForEach(t: range(1, env.limit)) { U: env.question[@t] } }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {limit: many, question: {1: "Why?"}}
        ```
        """,
    "undecided-condition": """the state does not decide a condition.

        With `missing: placeholder` it counts as false and is listed as a choice that was left free.

        ## Why
        One of two prompts would be shown without saying that there are two.

        ## Example
        ```acdl
        Chat[@T]: { If sys.is_plan_mode[@T] { S: PLAN } Else { S: ACT } }
        ```

        ## State
        ```yaml
        acdl_state: 1
        at: "2"
        steps: {1: {sys: {is_plan_mode: true}}}
        ```

        ## Use instead
        Give the value at that step; or let the last one persist, `hold: [sys.is_plan_mode]`; or decide it,
        `assume: [{when: sys.is_plan_mode, value: true}]`, as the message says.
        """,
    "evaluation-limit": """the evaluation was stopped: a loop, the prompt or the fragments have no end in sight.

        100,000 rounds of loops, 10,000 messages, 50 million characters and 64 fragments inside each other are
        more than any prompt needs.

        ## Why
        A wrong bound would fill the memory, or never end.

        ## Example
        ```acdl
        Chat[@T]: { ForEach(t: range(1, 1000000)) { U: "hello" } }
        ```
        """,
    "no-text": """a template without its text, or a function without a sample, is shown by its name.

        ## Why
        A spec leaves the wording to others. Where the state does not give it either, the stand-in shows where it goes.

        ## Example
        ```acdl
        Chat[@T]: { S: INSTRUCTIONS U: env.question[@T] }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?"}}
        ```
        """,
    "unfilled-template": """a template and its arguments do not fit: a slot is left, or an argument has no slot.

        ## Why
        `{{name}}` would be sent as it stands, or a value would be lost.

        ## Example
        ```acdl
        Chat[@T]: { S: GREETING(sys.user) }
        ```

        ## State
        ```yaml
        acdl_state: 1
        sys: {user: Ann}
        templates: {GREETING: {text: "Hello {{name}}, this is {{place}}."}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { S: GREETING(sys.user, sys.place) }
        ```
        """,
    "no-message": """a message is left out, because nothing inside it was reached.

        ## Why
        Providers refuse messages without content. `options: {empty: keep}` in the state file keeps them.

        ## Example
        ```acdl
        Chat[@T]: { U: { If @T > 1 { env.question[@T-1] } } }
        ```
        """,
    "read-as": """something can be read in several ways; the message says which one was taken.

        ## Why
        The language leaves it open, people write it all the same, and a wrong guess should be seen.

        ## Example
        ```acdl
        Chat[@T]: { U: env.question[@t] }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?"}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { U: env.question[@T] }
        ```
        """,
    "flattened-part": """a call, a result, an image or a thought stands where there is only text.

        ## Why
        As content of a message, or in a list that is content, such a part stays what it is. Beside `+`, as an argument
        of a template or inside a map only its words are left, and no provider sees a call in them.

        ## Example
        ```acdl
        Chat[@T]: { U: env.question[@T] A: "Called: " + sys.call }
        ```

        ## State
        ```yaml
        acdl_state: 1
        env: {question: {1: "Why?"}}
        sys: {call: {$call: {name: search, arguments: {}}}}
        ```

        ## Use instead
        ```acdl
        Chat[@T]: { U: env.question[@T] A: { "Called:" sys.call } }
        ```
        """,
    "lossy-request": """the request of a provider has no place for something that the prompt sends.

        The message says what becomes of it: it is left out, written in another way, or made up. Only `acdl unroll`
        says this, when it writes requests.

        ## Why
        What the model is given is not what the spec says. A prompt that is shown without this warning, and sent with
        it, behaves otherwise than its readers expect.
        """,
}
"""Problems of a spec with a state at a point in time."""
