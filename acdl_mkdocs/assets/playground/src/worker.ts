/** The engine's side of the page: loads Python and the package, and answers one question after another.
 *
 * Under the name `memory` it keeps the memory of Python for the next visit, and ends.
 */

import type { Refusal, Reply, Request, Stage } from "./engine_types";
import { addFiles, answerOf, FILES, files, forget, fromFiles, fromMemory, keepMemory, type Answer } from "./python";

declare const self: DedicatedWorkerGlobalScope;

/** When there is time for what is not urgent. */
const IDLE_MS = 3000;
/** Has letters beyond ASCII too: their widths are in a file. */
const SAMPLE = "Sample[@T]: { // \u00e9 \u2026\n S: { A } ForEach(t: range(1, @T)) { U: env.question[@t] Name x := env.x[@t] } U: $x }\n";
/** What loads all that most visits need. */
const QUESTIONS = [
  ["look", { text: SAMPLE }],
  ["look", { text: "Sample[@T]: { U: \u00e9 \u2026\n" }], // what people type is hardly ever whole
  ["complete", { text: SAMPLE, at: 20 }],
  ["hover", { text: SAMPLE, at: 2 }],
  ["symbols", { text: SAMPLE }],
  ["format", { text: SAMPLE }],
  ["evaluate", { text: SAMPLE, state: "acdl_state: 1\nat: 1\nsteps: {1: {env: {question: a, x: b}}}\n", provider: "openai" }],
  ["export", { text: SAMPLE, format: "text" }],
  ["diff", { old: SAMPLE, new: `${SAMPLE} ` }],
] as const;

/** The name of the worker that keeps it. */
const MEMORY = "memory";

let answer: Answer | null = null;
/** Files that are not there yet, though Python answers. */
let missing: (() => Promise<void>) | null = null;
let timer = 0;
let afterAnswer: (() => void) | null = null;

function say(reply: Reply): void {
  self.postMessage(reply);
}

function stage(name: Stage, done: number): void {
  say({ stage: name, done, total: FILES.length });
}

/** Tells how many files have come. */
function follow(): void {
  let done = 0;
  new PerformanceObserver((list) => {
    done += list.getEntries().filter((each) => each.name.startsWith(files.href)).length;
    if (!answer && done < FILES.length) stage("runtime", done);
  }).observe({ type: "resource", buffered: true });
}

/** The same promise for everyone who asks, and a new one after it has failed. */
function once(act: () => Promise<void>): () => Promise<void> {
  let made: Promise<void> | null = null;
  return () => (made ??= act().catch((problem: unknown) => {
    made = null;
    throw problem;
  }));
}

async function load(): Promise<Answer> {
  stage("runtime", 0);
  follow();
  const remembered = await fromMemory();
  if (remembered) {
    const whole = once(() => addFiles(remembered));
    missing = () => whole().then(() => void (missing = null));
    afterAnswer = () => void missing?.().catch(() => undefined); // tried again when a question needs them
    return answerOf(remembered);
  }
  const python = await fromFiles(() => stage("package", FILES.length));
  afterAnswer = () => new Worker(self.location.href, { type: "module", name: MEMORY });
  return answerOf(python);
}

function refusal(problem: unknown): Refusal {
  const message = problem instanceof Error ? problem.message : String(problem);
  return { message: message.trim().split("\n").at(-1) ?? message, cure: "reload the page" };
}

/** Why the engine did not come: browsers do not say which file it was, so each is asked for. */
async function lost(problem: unknown): Promise<Refusal> {
  for (const name of FILES) {
    const found = await fetch(new URL(name, files), { method: "HEAD" }).catch(() => null);
    if (found?.ok) continue;
    const why = found ? `the site says ${found.status}` : "the network is gone, or does not let it through";
    return { message: `${name} cannot be fetched: ${why}`, cure: "start again; if that does not help, reload the page" };
  }
  const { message } = refusal(problem);
  const isNetwork = /fetch|network|load/i.test(message);
  return { message: isNetwork ? "a part of it did not come whole" : message, cure: "start again" };
}

/** Once nothing has been asked for a while. */
function later(): void {
  if (!afterAnswer) return;
  self.clearTimeout(timer);
  timer = self.setTimeout(() => {
    afterAnswer?.();
    afterAnswer = null;
  }, IDLE_MS);
}

type Given = { result: unknown } | { error: Refusal };

/** The answer; what fails because a file is missing is asked again when all are there. */
async function given(ask: Answer, method: string, params: unknown): Promise<Given> {
  const words = JSON.stringify(params);
  const first = JSON.parse(ask(method, words)) as Given;
  if (!missing || "result" in first) return first;
  try {
    await missing();
  } catch {
    return { error: { message: "a part of the engine cannot be fetched", cure: "try again with a network" } };
  }
  return JSON.parse(ask(method, words)) as Given;
}

self.onmessage = (event: MessageEvent<Request>) => {
  const { seq, method, params } = event.data;
  if (!answer) return;
  given(answer, method, params)
    .then((found) => say({ seq, ...found }))
    .catch((problem: unknown) => {
      // Python itself has stopped: nothing more can be asked of it.
      say({ failed: refusal(problem) });
      return forget().catch(() => undefined);
    });
  later();
};

if (self.name === MEMORY) {
  keepMemory(QUESTIONS)
    // There is no room, or storage is blocked: the next visit loads as this one did.
    .catch((problem: unknown) => console.debug("No memory is kept for the next visit:", problem))
    .finally(() => self.close());
} else {
  load().then(
    (loaded) => {
      answer = loaded;
      stage("ready", FILES.length);
    },
    (problem: unknown) => void lost(problem).then((failed) => say({ failed })),
  );
}
