/** The figure: its size on the screen, and the way between its parts and the text. */

import { byId, make, parsed, say } from "./dom";
import type { Lit } from "./editor_marks";
import { CodePoints } from "./positions";

const STEP = 1.25;
const LEAST = 0.2;
const MOST = 6;
const PART = "[data-acdl]";

export interface FigureOptions {
  onLight: (lit: Lit | null) => void;
  onChoose: (lit: Lit) => void;
}

export class Figure {
  private readonly stage = byId("figure");
  private readonly level = byId<HTMLOutputElement>("zoom");
  private places = new CodePoints("");
  private html = "";
  private scale: number | null = null; // `null`: fitting

  constructor(options: FigureOptions) {
    this.stage.addEventListener("pointerover", (event) => options.onLight(this.placeOf(event)));
    this.stage.addEventListener("pointerleave", () => options.onLight(null));
    this.stage.addEventListener("click", (event) => {
      const place = this.placeOf(event);
      if (!place || getSelection()?.toString()) return;
      event.preventDefault(); // a name in a figure leads to its definition: here, to the text
      options.onChoose(place);
    });
    this.stage.addEventListener("keydown", (event) => this.press(event));
    this.stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // else the wheel scrolls
      event.preventDefault();
      this.zoom(this.now * Math.exp(-event.deltaY * 0.01));
    }, { passive: false });
    byId("panel-figure").addEventListener("click", (event) => {
      const asked = (event.target as Element).closest<HTMLElement>("[data-zoom]")?.dataset["zoom"];
      if (asked) this.act(asked);
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  /** Of the drawing and the one for narrow columns, the one that has room. */
  get svg(): SVGSVGElement | null {
    const drawings = [...this.stage.querySelectorAll<SVGSVGElement>("svg.acdl-svg")];
    const isShown = (svg: SVGSVGElement): boolean => svg.checkVisibility({ visibilityProperty: true });
    return drawings.find(isShown) ?? drawings[0] ?? null;
  }

  /** Show a drawing of that text. */
  show(svg: string, places: CodePoints): void {
    this.places = places;
    if (svg === this.html) return;
    this.html = svg;
    const { scrollLeft, scrollTop } = this.stage;
    this.stage.replaceChildren(framed(svg));
    this.resize();
    this.stage.scrollTo(scrollLeft, scrollTop);
  }

  /** Show which part of the figure the cursor of the text is in. */
  mark(at: number): void {
    this.stage.querySelector(".here")?.classList.remove("here");
    let found: Element | null = null;
    let least = Infinity;
    for (const part of this.svg?.querySelectorAll(PART) ?? []) {
      const place = this.places.placeOf(part);
      if (!place || at < place.from || at > place.to || place.to - place.from >= least) continue;
      [found, least] = [part, place.to - place.from];
    }
    if (!found) return;
    found.classList.add("here");
    this.reveal(found);
  }

  private placeOf(event: Event): Lit | null {
    const part = event.target instanceof Element ? event.target.closest(PART) : null;
    return part && this.stage.contains(part) ? this.places.placeOf(part) : null;
  }

  private reveal(part: Element): void {
    const area = this.stage.getBoundingClientRect();
    const own = part.getBoundingClientRect();
    if (own.top < area.top) this.stage.scrollTop += own.top - area.top - 24;
    else if (own.bottom > area.bottom) this.stage.scrollTop += Math.min(own.bottom - area.bottom + 24, own.top - area.top - 24);
  }

  private get now(): number {
    const { svg } = this;
    return svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
  }

  private zoom(wanted: number | null): void {
    this.scale = wanted === null ? null : Math.min(MOST, Math.max(LEAST, wanted));
    this.resize();
  }

  private resize(): void {
    const { svg } = this;
    if (!svg) return;
    const { width } = svg.viewBox.baseVal;
    svg.style.minWidth = this.scale === null ? "" : "0";
    svg.style.maxWidth = this.scale === null ? "" : "none";
    svg.style.width = this.scale === null ? "" : `${width * this.scale}px`;
    this.measure();
  }

  private measure(): void {
    if (this.svg) say(this.level, `${Math.round(this.now * 100)} %`);
  }

  private act(asked: string): void {
    if (asked === "+") this.zoom(this.now * STEP);
    else if (asked === "-") this.zoom(this.now / STEP);
    else this.zoom(asked === "0" ? null : 1);
  }

  private press(event: KeyboardEvent): void {
    const asked = event.key === "=" ? "+" : event.key;
    if (!["+", "-", "0", "1"].includes(asked) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.act(asked);
  }
}

/** A drawing in the frame that pages give it, without the bar below. */
export function framed(svg: string): HTMLElement {
  const box = make("div", { class: "acdl-figure" });
  box.append(parsed(svg));
  return make("figure", { class: "acdl", "data-acdl-ready": "" }, box);
}
