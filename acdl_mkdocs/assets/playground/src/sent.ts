/** What the spec sends, for the state beside it: as messages with a stepper, or as the body of a provider's request. */

import { byId, make, parsed, plural, spoken } from "./dom";
import type { Lit } from "./editor_marks";
import type { Evaluated, Methods } from "./engine_types";
import { framed } from "./figure";
import { CodePoints } from "./positions";

type Asked = Methods["evaluate"][0];

export interface SentOptions {
  /** The point that the open text wants to be shown first, or several; may be empty. */
  first: () => string;
  onChange: () => void;
  onLight: (lit: Lit | null) => void;
  onChoose: (lit: Lit) => void;
}

export class Sent {
  private readonly panel = byId("sent");
  private readonly provider = byId<HTMLSelectElement>("provider");
  private readonly at = byId<HTMLSelectElement>("at");
  private readonly missing = byId<HTMLSelectElement>("missing");
  private readonly tokens = byId("tokens");
  private html = "";
  private places = new CodePoints("");
  private points: readonly string[] = [];
  /** The one that is shown, by the stepper and in requests alike. */
  private point = "";
  private isStepping = false;

  constructor(private readonly options: SentOptions) {
    this.at.addEventListener("change", () => {
      this.point = this.at.value;
    });
    for (const choice of [this.provider, this.at, this.missing]) choice.addEventListener("change", options.onChange);
    this.panel.addEventListener("pointerover", (event) => options.onLight(this.placeOf(event)));
    this.panel.addEventListener("pointerleave", () => options.onLight(null));
    this.panel.addEventListener("dblclick", (event) => {
      const place = this.placeOf(event);
      if (place) options.onChoose(place);
    });
  }

  /** What to ask the engine for, beside the texts. */
  get asked(): Pick<Asked, "provider" | "at" | "missing"> {
    const { value } = this.provider;
    this.notePoint();
    return {
      ...(this.missing.value ? { missing: this.missing.value as NonNullable<Asked["missing"]> } : {}),
      ...(value ? { provider: value, ...(this.point ? { at: this.point } : {}) } : {}),
    };
  }

  show(evaluated: Evaluated, svg: string, places: CodePoints): void {
    this.places = places;
    this.notePoint();
    this.showPoints(evaluated);
    const isBody = this.provider.value !== "";
    if (isBody && evaluated.at !== this.point && evaluated.points.includes(this.point)) return this.options.onChange();
    // Beside messages, the stepper says it of the point that is shown.
    this.tokens.textContent = isBody && evaluated.tokens ? `about ${plural(evaluated.tokens, "token")}` : "";
    if (this.provider.value) this.showBody(evaluated);
    else this.showMessages(evaluated.html, svg);
  }

  /** Forget which point was shown. */
  forget(): void {
    this.point = this.html = "";
    this.points = [];
    this.panel.replaceChildren();
  }

  /** Say something instead of messages. */
  say(...words: (Node | string)[]): void {
    this.html = "";
    this.tokens.textContent = "";
    this.panel.replaceChildren(make("p", { class: "hint" }, ...words));
  }

  // The stepper knows its point.
  private notePoint(): void {
    const slider = this.panel.querySelector<HTMLInputElement>(".acdl-slider");
    if (slider && !this.isStepping) this.point = this.points[Number(slider.value)] ?? this.point;
  }

  private showPoints({ points }: Evaluated): void {
    this.points = points;
    const wanted = /[\d.]+/.exec(this.options.first())?.[0] ?? "";
    if (!points.includes(this.point)) this.point = points.includes(wanted) ? wanted : (points.at(-1) ?? "");
    const isNeeded = this.provider.value !== "" && points.length > 1;
    byId("at-choice").hidden = !isNeeded;
    if ([...this.at.options].map((option) => option.value).join() !== points.join()) {
      this.at.replaceChildren(...points.map((point) => make("option", { value: point }, `@T = ${point}`)));
    }
    this.at.value = this.point;
  }

  private showBody({ body, notes }: Evaluated): void {
    this.html = "";
    this.panel.replaceChildren(
      ...notes.map((note) => make("p", { class: "hint" }, ...spoken(note))),
      ...(body ? [make("pre", { class: "body" }, make("code", {}, body))] : []),
    );
  }

  // The stepper is the site's own: it notices what comes into the page. The point that is shown stays.
  private showMessages(html: string, svg: string): void {
    const key = html + svg;
    if (key === this.html) return;
    this.html = key;
    const box = make("div", { class: "acdl-evaluated", "data-acdl-quiet": "" });
    if (svg) {
      const drawn = framed(svg);
      for (const each of drawn.querySelectorAll("[id]")) each.removeAttribute("id");
      box.append(drawn);
    }
    const { scrollTop } = this.panel;
    box.append(parsed(html));
    this.panel.replaceChildren(box);
    this.isStepping = true;
    setTimeout(() => this.stepTo(String(Math.max(0, this.points.indexOf(this.point))), scrollTop)); // when it has its stepper
  }

  private stepTo(value: string, scrollTop: number): void {
    this.isStepping = false;
    const slider = this.panel.querySelector<HTMLInputElement>(".acdl-slider");
    if (slider && slider.value !== value) {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }
    this.panel.scrollTop = scrollTop;
  }

  private placeOf(event: Event): Lit | null {
    const part = event.target instanceof Element ? event.target.closest("[data-acdl]") : null;
    return part ? this.places.placeOf(part) : null;
  }
}
