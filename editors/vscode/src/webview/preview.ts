// The page of the preview: shows what the extension sends, keeps scroll and zoom, and tells what is clicked.

import type { ToExtension, ToPage } from "../messages";

declare function acquireVsCodeApi(): {
  postMessage(message: ToExtension): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

interface Kept {
  zoom: number;
  left: number;
  top: number;
}

const STEP = 1.25;
const LEAST = 0.25;
const MOST = 8;
const MARKED = "acdl-here";

const code = acquireVsCodeApi();
const one = <Kind extends Element>(selector: string): Kind => document.querySelector<Kind>(selector)!;
const stage = one<HTMLElement>("#stage");
const spec = one<HTMLSelectElement>("#spec");
const against = one<HTMLSelectElement>("#against");
const follow = one<HTMLInputElement>("#follow");
const said = one<HTMLElement>("#said");
const level = one<HTMLOutputElement>("#level");
const trouble = one<HTMLElement>("#trouble");

let { zoom, left, top: fromTop }: { zoom: number; left: number; top: number } = code.getState() ?? { zoom: 1, left: 0, top: 0 };
let compared = "";
let shown: string | undefined;
let lit: string | undefined;

const keep = (): void => code.setState({ zoom, left: stage.scrollLeft, top: stage.scrollTop });

const drawings = (): SVGSVGElement[] => [...stage.querySelectorAll<SVGSVGElement>(".acdl-figure svg.acdl-svg")];

const setZoom = (wanted: number): void => {
  zoom = Math.min(MOST, Math.max(LEAST, wanted));
  for (const svg of drawings()) {
    svg.style.width = zoom === 1 ? "" : `${svg.viewBox.baseVal.width * zoom}px`;
    svg.style.maxWidth = zoom === 1 ? "" : "none";
  }
  level.textContent = `${Math.round(zoom * 100)} %`;
  keep();
};

const fit = (): void => {
  const widest = Math.max(0, ...drawings().map((svg) => svg.viewBox.baseVal.width));
  const room = stage.querySelector(".acdl-figure")?.clientWidth ?? stage.clientWidth;
  if (widest) setZoom(room / widest);
};

const options = (select: HTMLSelectElement, named: readonly string[], chosen: string): void => {
  const first = select.options[0]!;
  select.replaceChildren(first, ...named.map((name) => new Option(name, name)));
  select.value = named.includes(chosen) ? chosen : "";
};

const light = (part: string | undefined): void => {
  const isOther = part !== lit; // what a reader has scrolled away from stays there while it is the same
  lit = part;
  for (const node of stage.querySelectorAll(`.${MARKED}`)) node.classList.remove(MARKED);
  if (!part) return;
  const nodes = stage.querySelectorAll(`.acdl-figure [data-acdl="${CSS.escape(part)}"]`);
  for (const node of nodes) node.classList.add(MARKED);
  if (isOther) nodes[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
};

// The point in time that a reader has chosen is chosen again in a figure that is drawn anew.
const sliders = (): HTMLInputElement[] => [...stage.querySelectorAll<HTMLInputElement>(".acdl-slider")];
const choosePoints = (points: readonly string[]): void => {
  sliders().forEach((slider, at) => {
    if (points[at] === undefined || slider.value === points[at]) return;
    slider.value = points[at];
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
};

const replace = (html: string): void => {
  const points = sliders().map(({ value }) => value);
  stage.innerHTML = html || '<p class="waiting">There is no spec in this document.</p>';
  shown = html;
  setZoom(zoom);
  stage.scrollTo(left, fromTop);
  if (points.length) requestAnimationFrame(() => choosePoints(points));
};

const show = (message: Extract<ToPage, { type: "show" }>): void => {
  const { html, specs, isEqual, problems } = message.preview;
  options(spec, specs.map(({ name }) => name), message.spec);
  compared = message.against;
  against.value = compared;
  trouble.hidden = true;
  if (html !== shown) replace(html);
  const words = [];
  if (problems.errors) words.push(`${problems.errors} error${problems.errors === 1 ? "" : "s"}`);
  if (problems.warnings) words.push(`${problems.warnings} warning${problems.warnings === 1 ? "" : "s"}`);
  if (isEqual) words.push("the messages are the same");
  else if (isEqual === false) words.push("the messages can differ");
  said.textContent = words.join(", ");
  light(lit);
};

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.type === "show") show(data);
  else if (data.type === "light") light(data.part);
  else if (data.type === "trouble") {
    trouble.textContent = data.message;
    trouble.hidden = false;
  }
});

stage.addEventListener("scroll", () => {
  left = stage.scrollLeft;
  fromTop = stage.scrollTop;
  keep();
}, { passive: true });

stage.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || event.target.closest("a, button, select, summary, input")) return;
  const part = event.target.closest("[data-acdl]")?.getAttribute("data-acdl");
  if (part && !getSelection()?.toString()) code.postMessage({ type: "reveal", part });
});

const ACTIONS: Record<string, () => void> = {
  in: () => setZoom(zoom * STEP),
  out: () => setZoom(zoom / STEP),
  fit,
  export: () => code.postMessage({ type: "export" }),
};
one("header").addEventListener("click", (event) => {
  const name = event.target instanceof Element && event.target.closest("button")?.dataset["action"];
  if (name) ACTIONS[name]?.();
});
stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target !== stage) return;
  const action = { "+": "in", "=": "in", "-": "out", "0": "fit" }[event.key];
  if (!action) return;
  event.preventDefault();
  ACTIONS[action]!();
});
stage.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  setZoom(zoom * Math.exp(-event.deltaY * 0.005));
}, { passive: false });

spec.addEventListener("change", () => code.postMessage({ type: "spec", name: spec.value }));
follow.addEventListener("change", () => code.postMessage({ type: "follow", isOn: follow.checked }));
against.addEventListener("change", () => {
  const kind = against.value;
  against.value = compared; // until the comparison is there
  if (kind === "" || kind === "head" || kind === "file") code.postMessage({ type: "against", kind });
});

setZoom(zoom);
code.postMessage({ type: "ready" });
