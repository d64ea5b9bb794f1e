/** The engine as the page sees it: it starts the worker, asks one thing at a time, and starts it anew if it hangs.
 *
 * It knows nothing of the page. A newer question of a kind that supersedes (`look`, `evaluate`, ...) takes the place of
 * an older one that has not begun; that one's promise is rejected with `Superseded`.
 */

import type { Method, Methods, Refusal, Reply, Stage } from "./engine_types";

/** A newer question of the same kind has come. */
export class Superseded extends Error {}

/** The engine could not do it, and says why. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** It took too long. */
export class Stopped extends Refused {}

export interface EngineOptions {
  /** Address of `worker.js`. */
  worker: URL;
  /** What is loading, and how many of its files have come. */
  onStage: (stage: Stage, done: number, total: number) => void;
  /** The engine could not be started; `restart()` tries again. */
  onFailed: (why: Refusal) => void;
  /** A question takes longer than `slowMs`; `stop()` gives it up. */
  onSlow?: (method: Method) => void;
  slowMs?: number;
  /** When a question is given up on its own. */
  limitMs?: number;
}

interface Waiting {
  seq: number;
  method: Method;
  params: unknown;
  resolve: (result: never) => void;
  reject: (why: Error) => void;
}

const SUPERSEDES: readonly Method[] = ["look", "hover", "complete", "tokens", "symbols", "evaluate", "diff"];
const STOPPED: Refusal = {
  message: "this took too long and was stopped",
  cure: "make the text, its loops or the state smaller",
};

export class EngineClient {
  private worker: Worker | null = null;
  private seq = 0;
  private isReady = false;
  private queue: Waiting[] = [];
  private current: Waiting | null = null;
  private timers: number[] = [];

  constructor(private readonly options: EngineOptions) {}

  /** Load the engine. Questions may be asked before. */
  start(): void {
    if (this.worker) return;
    const worker = new Worker(this.options.worker, { type: "module" });
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<Reply>) => this.heard(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.fail({ message: event.message || "the engine could not be loaded", cure: "reload the page" });
    };
  }

  /** Give up what is being done and start the engine anew; questions that have not begun are kept. */
  restart(): void {
    this.end();
    this.start();
  }

  /** The same, telling whoever asked that it was stopped. */
  stop(): void {
    this.current?.reject(new Stopped(STOPPED));
    this.current = null;
    this.restart();
  }

  call<M extends Method>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
    return new Promise((resolve, reject) => {
      if (SUPERSEDES.includes(method)) {
        for (const each of this.queue) if (each.method === method) each.reject(new Superseded());
        this.queue = this.queue.filter((each) => each.method !== method);
      }
      const waiting = { seq: ++this.seq, method, params, resolve, reject } as Waiting;
      // Figures come first: what is asked beside them waits until the text is drawn.
      if (method === "look") this.queue.unshift(waiting);
      else this.queue.push(waiting);
      this.next();
    });
  }

  private next(): void {
    if (!this.isReady || this.current || !this.worker) return;
    const waiting = this.queue.shift();
    if (!waiting) return;
    this.current = waiting;
    const { slowMs = 1500, limitMs = 15000 } = this.options;
    this.timers = [
      self.setTimeout(() => this.options.onSlow?.(waiting.method), slowMs),
      self.setTimeout(() => this.stop(), limitMs),
    ];
    this.worker.postMessage({ seq: waiting.seq, method: waiting.method, params: waiting.params });
  }

  private heard(reply: Reply): void {
    if ("stage" in reply) {
      this.isReady = reply.stage === "ready";
      this.options.onStage(reply.stage, reply.done, reply.total);
      return this.next();
    }
    if ("failed" in reply) return this.fail(reply.failed);
    const waiting = this.current;
    if (!waiting || waiting.seq !== reply.seq) return;
    this.clear();
    if ("error" in reply) waiting.reject(new Refused(reply.error));
    else waiting.resolve(reply.result as never);
    this.next();
  }

  private fail(why: Refusal): void {
    const waiting = this.current;
    this.end();
    waiting?.reject(new Refused(why));
    this.options.onFailed(why);
  }

  private clear(): void {
    for (const timer of this.timers) self.clearTimeout(timer);
    this.timers = [];
    this.current = null;
  }

  private end(): void {
    this.current?.reject(new Refused(STOPPED));
    this.clear();
    this.worker?.terminate();
    this.worker = null;
    this.isReady = false;
  }
}
