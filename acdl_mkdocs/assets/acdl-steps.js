// What a spec sends, step by step: one point in time is shown, at first the last, the figure shows what it did, and
// messages are highlighted with the lines of the figure that they come from, both ways. Without it all points stand below each other.
// Everything hangs on events of the document; figures that come later, as by instant navigation, are noticed.
(() => {
  "use strict";
  const root = document.documentElement;
  if (root.hasAttribute("data-acdl-steps")) return;
  root.setAttribute("data-acdl-steps", "");

  const SVG = "http://www.w3.org/2000/svg";
  const within = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
  const make = (tag, className, text = "", attributes = {}) => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const draw = (tag, attributes, text = "") => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  };
  const spanOf = (node) => node.getAttribute("data-acdl").split("-").map(Number);
  const holds = (outer, inner) => outer[0] <= inner[0] && inner[1] <= outer[1];
  const listed = (section, name) => (section.getAttribute(`data-acdl-${name}`) || "").split(" ").filter(Boolean);

  const boxes = new WeakMap(); // what is known of each element

  // ------------------------------------------------------------------------------------------------------ the figure

  const linesOf = (svg) => [...svg.querySelectorAll("[data-acdl]")].filter((line) => !line.closest(".acdl-overlay"));

  // The line or group of the figure for a part of the spec: exactly that one, else the smallest that has it inside.
  const lineFor = (box, span) => {
    let found = null;
    for (const line of box.lines) {
      const own = spanOf(line);
      if (holds(own, span) && (!found || holds(spanOf(found), own))) found = line;
    }
    return found && !holds(spanOf(found), box.spec) ? found : null;
  };

  const BANNER = /^\s*(ForEach|If|ElseIf|Else|Switch|Case|Default|PromptEndsHere)\b/;
  // Where a line or group lies, with what is drawn around its words.
  const areaOf = (line) => {
    const head = line.matches("text") ? line : line.querySelector("text");
    const { x, width: headWidth, y: headY, height: headHeight } = head.getBBox();
    const { y, height } = line.getBBox();
    const isBanner = BANNER.test(head.textContent);
    const isRole = head.matches(".acdl-b");
    return {
      x: x - (isBanner ? 24 : isRole ? 9 : 19), y: y - 5, height: height + 10,
      headEnd: x + headWidth, headY: headY + headHeight / 2,
    };
  };

  // Of two drawings, take the one that has room; the other is hidden.
  const takeDrawing = (box) => {
    const drawings = [...box.element.querySelectorAll(".acdl-figure svg.acdl-svg")];
    const isShown = (svg) => svg.getClientRects().length && getComputedStyle(svg).visibility !== "hidden";
    const svg = (box.enlarged && box.enlarged.svg) || drawings.find(isShown) || box.svg || drawings[0];
    if (!svg || svg === box.svg) return;
    for (const layer of [box.under, box.over]) if (layer) layer.remove();
    const lines = linesOf(svg);
    const byspans = new Map(lines.map((line) => [line.getAttribute("data-acdl"), line]).reverse());
    Object.assign(box, { svg, lines, byspans, under: null, over: null });
  };

  const isDrawn = (box) => Boolean(box.svg && box.svg.getClientRects().length);

  const layersOf = (box) => {
    if (!box.under) {
      box.under = draw("g", { class: "acdl-overlay acdl-under", "aria-hidden": "true" });
      box.over = draw("g", { class: "acdl-overlay acdl-over", "aria-hidden": "true" });
      box.svg.insertBefore(box.under, box.svg.querySelector(":scope > path, :scope > g"));
      box.svg.append(box.over);
    }
    return box;
  };

  // What the point did: lines that it never reached are dimmed, loops have the number of their rounds beside them.
  const effects = (box) => {
    if (!isDrawn(box)) return;
    const section = box.points[box.at];
    const { width } = box.svg.viewBox.baseVal;
    const { under, over } = layersOf(box);
    over.replaceChildren();
    for (const old of under.querySelectorAll(".acdl-ended")) old.remove();
    for (const words of listed(section, "unreached")) {
      const line = box.byspans.get(words);
      if (!line) continue;
      const { x, y, height } = areaOf(line);
      const area = { x, y: y + 1, width: Math.max(0, width - x), height: height - 2 };
      over.append(draw("rect", { class: "acdl-grey", ...area }), draw("rect", { class: "acdl-veil", ...area }));
    }
    for (const words of listed(section, "rounds")) {
      const [span, rounds] = words.split(":");
      const line = box.byspans.get(span);
      if (!line) continue;
      const { headEnd, headY } = areaOf(line);
      const text = `×${rounds}`;
      const wide = 8 + 7.2 * text.length;
      const isFitting = headEnd + 12 + wide <= width; // else it stands on the upper edge
      const x = isFitting ? headEnd + 12 : width - wide - 1;
      const middle = isFitting ? headY : headY - 14;
      const badge = draw("g", { class: "acdl-rounds" });
      badge.append(
        draw("rect", { x, y: middle - 8.5, width: wide, height: 17, rx: 8.5 }),
        draw("text", { x: x + wide / 2, y: middle + 4, "text-anchor": "middle", "font-size": 11.67 }, text),
      );
      over.append(badge);
    }
    const ended = section.getAttribute("data-acdl-ended");
    const line = ended && box.byspans.get(ended);
    if (line) under.append(band(line, width, "acdl-ended"));
  };

  const band = (line, width, name) => {
    const { x, y, height } = areaOf(line);
    return draw("rect", { class: name, x, y, width: Math.max(0, width - x), height, rx: 4 });
  };

  // ---------------------------------------------------------------------------------------------------- highlighting

  const clear = (box) => {
    for (const node of box.lit) node.classList.remove("acdl-sent-lit");
    box.lit = [];
    if (box.under) for (const old of box.under.querySelectorAll(".acdl-band")) old.remove();
  };

  const bandsFor = (box, nodes) => {
    if (!isDrawn(box)) return;
    const { width } = box.svg.viewBox.baseVal;
    const { under } = layersOf(box);
    const spans = nodes.flatMap((node) => [spanOf(node), ...listed(node, "via").map((words) => words.split("-").map(Number))]);
    for (const line of new Set(spans.map((span) => lineFor(box, span)).filter(Boolean))) {
      under.append(band(line, width, "acdl-band"));
    }
  };

  // From a message, a piece of one, or what is said above them, to the lines of the figure.
  const lightFromMessages = (box, node) => {
    clear(box);
    box.lit = [node];
    node.classList.add("acdl-sent-lit");
    bandsFor(box, [node]);
  };

  // From a line of the figure to all messages that come from it, and to pieces if it is about one.
  const lightFromFigure = (box, line) => {
    clear(box);
    const span = spanOf(line);
    if (holds(span, box.spec)) return;
    const within = (node) => holds(span, spanOf(node)) || listed(node, "via").some((words) => holds(span, words.split("-").map(Number)));
    const nodes = [...box.points[box.at].querySelectorAll("[data-acdl]")].filter(within);
    box.lit = nodes.filter((node) => !nodes.some((other) => other !== node && other.contains(node)));
    for (const node of box.lit) node.classList.add("acdl-sent-lit");
    if (isDrawn(box)) layersOf(box).under.append(band(line, box.svg.viewBox.baseVal.width, "acdl-band"));
  };

  const TARGETS = ".acdl-sent-point [data-acdl], .acdl-figure svg [data-acdl]";
  const light = (box, node) => (node.closest("svg") ? lightFromFigure : lightFromMessages)(box, node);

  const found = (event) => {
    const element = within(event, ".acdl-evaluated");
    const box = element && boxes.get(element);
    return box ? { box, node: within(event, TARGETS) } : null;
  };

  const hover = (event) => {
    const place = found(event);
    if (hover.last && hover.last !== (place && place.box) && !hover.last.pinned) clear(hover.last);
    hover.last = place && place.box;
    if (!place || place.box.pinned) return;
    if (place.node) light(place.box, place.node);
    else clear(place.box);
  };

  const listOf = (section) => section.querySelector(".acdl-sent-list");

  // Scroll inside the list, never the page.
  const bringIntoList = (section, node) => {
    const list = listOf(section);
    const area = list.getBoundingClientRect();
    const own = node.getBoundingClientRect();
    if (own.top < area.top) list.scrollTop += own.top - area.top - 4;
    else if (own.bottom > area.bottom) list.scrollTop += Math.min(own.bottom - area.bottom + 8, own.top - area.top - 4);
  };

  const pin = (box, node) => {
    const isSame = box.pinned === node;
    box.pinned = null;
    box.element.classList.toggle("acdl-pinned", Boolean(node) && !isSame);
    if (!node || isSame) {
      clear(box);
      return;
    }
    light(box, node);
    box.pinned = node;
    const first = node.closest("svg") && box.lit.find((lit) => lit.closest(".acdl-sent-list"));
    if (first) bringIntoList(box.points[box.at], first);
  };

  // -------------------------------------------------------------------------------------------------------- stepping

  const show = (box, wanted) => {
    const at = Math.max(0, Math.min(box.points.length - 1, wanted));
    const isForward = at > box.at;
    box.at = at;
    box.pinned = null;
    box.element.classList.remove("acdl-pinned");
    clear(box);
    box.points.forEach((point, index) => {
      point.classList.toggle("acdl-now", index === at);
      point.inert = index !== at;
    });
    const section = box.points[at];
    listOf(section).scrollTop = 0;
    const fresh = isForward && [...section.querySelectorAll(":is(.acdl-sent-new, .acdl-sent-changed)")].at(-1);
    if (fresh) bringIntoList(section, fresh);
    const messages = [...section.querySelectorAll(".acdl-sent-message")];
    messages.forEach((message, index) => message.setAttribute("tabindex", index ? "-1" : "0"));
    effects(box);
    if (!box.slider) return;
    const name = section.querySelector(".acdl-sent-title").textContent;
    box.slider.value = String(at);
    box.slider.setAttribute("aria-valuetext", name);
    box.back.disabled = at === 0;
    box.next.disabled = at === box.points.length - 1;
    box.said.textContent = `${at + 1} of ${box.points.length}`;
    box.bars.forEach((bar, index) => {
      if (index === at) bar.setAttribute("aria-current", "step");
      else bar.removeAttribute("aria-current");
    });
  };

  // The address names the point; a quick run through several leaves one entry in the history.
  let pushed = -Infinity;
  const step = (box, wanted) => {
    const before = box.at;
    show(box, wanted);
    if (box.at === before) return;
    box.status.textContent = `${box.points[box.at].querySelector(".acdl-sent-title").textContent}: ${box.points[box.at].querySelector(".acdl-sent-summary").textContent}`;
    if (box.element.hasAttribute("data-acdl-quiet")) return; // the address says something else, as on the playground
    const isRun = performance.now() - pushed < 1000;
    history[isRun ? "replaceState" : "pushState"](history.state, "", `#${encodeURIComponent(box.points[box.at].id)}`);
    pushed = performance.now();
  };

  const named = () => {
    const id = location.hash.slice(1);
    try { return decodeURIComponent(id); } catch { return id; }
  };

  // The point that the address names, or that has the place that it names.
  const pointNamed = (box) => {
    const target = document.getElementById(named());
    return box.points.findIndex((point) => point.contains(target));
  };

  // What the address names; without a name, where the page began: at the last point, where most has happened.
  const follow = () => {
    for (const element of document.querySelectorAll(".acdl-evaluated.acdl-stepping")) {
      const box = boxes.get(element);
      const at = pointNamed(box);
      if (at >= 0) show(box, at);
      else if (!named()) show(box, box.points.length - 1);
    }
    pushed = -Infinity;
  };

  // Where figure and messages are side by side, above the messages; where they are below each other, after both, from
  // where the style sheet keeps it in view.
  const BESIDE_PX = 640;
  const placeControls = (box) => {
    const { bar, element, sent } = box;
    const below = isDrawn(box) && element.clientWidth < BESIDE_PX ? element : sent;
    const parent = box.enlarged ? box.enlarged.controls : below;
    if (!bar || bar.parentNode === parent) return;
    const focused = bar.contains(document.activeElement) && document.activeElement;
    parent.insertBefore(bar, parent === sent ? sent.querySelector(".acdl-sent-points") : null);
    if (focused) focused.focus({ preventScroll: true });
  };

  const addControls = (box) => {
    const bar = make("div", "acdl-stepper", "", { role: "group", "aria-label": "Step through time" });
    const attributes = (label) => ({ type: "button", "aria-label": label, title: label });
    box.back = make("button", "acdl-back", "\u2039", attributes("Previous step"));
    box.next = make("button", "acdl-next", "\u203a", attributes("Next step"));
    box.slider = make("input", "acdl-slider", "", {
      type: "range", min: "0", max: String(box.points.length - 1), step: "1", "aria-label": "Point in time",
    });
    box.said = make("output", "acdl-position");
    box.status = make("span", "acdl-hidden", "", { role: "status" });
    box.bars = [...box.sent.querySelectorAll(".acdl-growth a")];
    box.back.addEventListener("click", () => step(box, box.at - 1));
    box.next.addEventListener("click", () => step(box, box.at + 1));
    box.slider.addEventListener("input", () => step(box, Number(box.slider.value)));
    bar.append(box.back, box.slider, box.next, box.said, box.status);
    box.bar = bar;
    placeControls(box);
    // Here and not at the document, so that navigation without page loads leaves these links to us.
    box.sent.querySelector(".acdl-growth").addEventListener("click", (event) => {
      const link = within(event, "a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      step(box, box.bars.indexOf(link));
    });
  };

  const KEYS = { ArrowLeft: -1, ArrowRight: 1 };
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = found(event);
    if (!place) return;
    const { box } = place;
    if (event.key === "Escape" && box.pinned) {
      pin(box, null);
      return;
    }
    const link = within(event, ".acdl-growth a");
    const message = within(event, ".acdl-sent-message");
    if ((link || message) && KEYS[event.key] && box.slider) {
      const isMirrored = getComputedStyle(box.sent).direction === "rtl";
      step(box, box.at + (isMirrored ? -1 : 1) * KEYS[event.key]);
      if (link) box.bars[box.at].focus();
      else (box.points[box.at].querySelector(".acdl-sent-message") || box.slider).focus({ preventScroll: true });
    } else if (message && event.target === message && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const next = event.key === "ArrowDown" ? message.nextElementSibling : message.previousElementSibling;
      if (!next) return;
      message.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
      bringIntoList(box.points[box.at], next);
    } else if (message && event.target === message && (event.key === "Enter" || event.key === " ")) {
      pin(box, message);
    } else return;
    event.preventDefault();
    event.stopPropagation(); // many sites have keys of their own
  };

  const click = (event) => {
    const place = found(event);
    if (!place || within(event, "a, button, summary, input")) return;
    if (getSelection().toString()) return; // somebody copies
    if (place.node) pin(place.box, place.node);
    else if (place.box.pinned && within(event, ".acdl-figure, .acdl-sent-points")) pin(place.box, null);
  };

  const redraw = (box) => {
    takeDrawing(box);
    placeControls(box);
    effects(box);
  };

  const enhance = (element) => {
    const sent = element.querySelector(":scope > .acdl-sent");
    const box = {
      element, sent, svg: null, lines: [], points: [...sent.querySelectorAll(".acdl-sent-point")], at: 0, lit: [],
      pinned: null, spec: sent.getAttribute("data-acdl-spec").split("-").map(Number),
    };
    takeDrawing(box);
    boxes.set(element, box);
    element.classList.add("acdl-stepping");
    if (box.points.length > 1) addControls(box);
    const at = pointNamed(box);
    show(box, at < 0 ? box.points.length - 1 : at);
    if (at > 0) sent.scrollIntoView({ behavior: "instant" });
    if (box.svg) new ResizeObserver(() => redraw(box)).observe(box.svg.parentNode); // hidden figures have no places yet
  };

  const enhanceAll = () => {
    for (const element of document.querySelectorAll(".acdl-evaluated:not(.acdl-stepping)")) enhance(element);
  };

  // The enlarged view of the figure takes the steps with it.
  document.addEventListener("acdl-enlarged", (event) => {
    const box = boxes.get(within(event, ".acdl-evaluated"));
    if (!box) return;
    clear(box);
    box.enlarged = event.detail;
    redraw(box);
  });
  document.addEventListener("pointerover", hover);
  document.addEventListener("focusin", (event) => {
    const place = found(event);
    if (place && place.node && !place.box.pinned && place.node.matches(".acdl-sent-message:focus-visible")) light(place.box, place.node);
  });
  document.addEventListener("focusout", (event) => {
    const place = found(event);
    if (place && !place.box.pinned) clear(place.box);
  });
  document.addEventListener("click", click);
  document.addEventListener("keydown", press);
  window.addEventListener("hashchange", follow);
  window.addEventListener("popstate", follow);

  enhanceAll();
  new MutationObserver(enhanceAll).observe(root, { childList: true, subtree: true });
})();
