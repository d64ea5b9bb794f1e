/** What the page says of its engine: how far it has come, what it weighs, and what to do if it cannot start. */

import { byId, say } from "./dom";
import { EngineClient } from "./engine_client";
import type { Method, Methods, Refusal, Stage } from "./engine_types";
import { dismiss, notice } from "./notices";

const WORDS: Record<Stage, string> = {
  runtime: "Loading Python",
  package: "Loading ACDL",
  ready: "Ready",
};

export class Loading {
  private readonly client: EngineClient;
  isReady = false;
  /** Bytes of everything, if the site says so. */
  bytes = "";
  private settle: () => void = () => undefined;
  /** Once the engine has come, or cannot: nothing else is waited for then. */
  readonly settled = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  /** Called when the engine has come, also when it has started anew. */
  onReady: () => void = () => undefined;

  constructor(assets: URL) {
    this.client = new EngineClient({
      worker: new URL("worker.js", assets),
      onStage: (stage, done, total) => this.stage(stage, done, total),
      onFailed: (why) => this.failed(why),
      onSlow: () => this.slow(),
    });
    byId("stop").addEventListener("click", () => {
      byId("stop").hidden = true;
      notice("slow", "Stopped. The engine is restarting.");
      this.client.stop();
    });
  }

  /** Load the engine, if this browser can have one. */
  start(): void {
    const missing = typeof WebAssembly === "undefined" ? "WebAssembly" : typeof Worker === "undefined" ? "workers" : "";
    if (missing) {
      byId("loading").hidden = true;
      byId("engine").textContent = "No engine";
      notice("engine", `This browser has no ${missing}: it cannot draw figures. You can still write and save.`, {
        label: "Try again", run: () => location.reload(),
      });
      return;
    }
    this.client.start();
  }

  private stage(stage: Stage, done: number, total: number): void {
    this.isReady = stage === "ready";
    const bar = byId<HTMLProgressElement>("loading");
    bar.hidden = this.isReady;
    if (total) bar.value = done / total;
    else bar.removeAttribute("value");
    say(byId("engine"), `${WORDS[stage]}${this.isReady ? "" : " …"}`);
    byId("engine").title = this.bytes ? `The page loads ${this.bytes}, compressed, and keeps it for the next visit` : "";
    if (!this.isReady) return;
    byId("stop").hidden = true;
    dismiss("engine");
    this.settle();
    this.onReady();
  }

  private failed({ message, cure }: Refusal): void {
    this.isReady = false;
    this.settle();
    byId("loading").hidden = true;
    byId("engine").textContent = "No engine";
    const offline = navigator.onLine ? "" : " You are offline; the first visit needs a network.";
    notice("engine", `The engine stopped: ${message}.${offline} ${cure ? `To fix it, ${cure}.` : ""} Your text is safe.`, {
      label: "Start again", run: () => this.client.restart(),
    });
  }

  private slow(): void {
    byId("engine").textContent = "Working …";
    byId("stop").hidden = false;
  }

  /** Ask, and when the answer has come say no more that it takes long. */
  call<M extends Method>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
    return this.client.call(method, params).finally(() => this.answered());
  }

  private answered(): void {
    if (byId("stop").hidden) return;
    byId("stop").hidden = true;
    byId("engine").textContent = WORDS.ready;
  }
}
