// What readers see at once of the conveniences for ACDL figures: a bar with a switch between figure, source, text and words, and
// colours that suit the page. What they do is in `acdl-actions.js`, loaded at first use. Figures are complete without both.
// Everything hangs on events of the document; figures that come later, as by instant navigation, are noticed.
(() => {
  "use strict";
  const root = document.documentElement;
  if (root.hasAttribute("data-acdl-script")) return; // loaded twice, by the plugin and by hand
  root.setAttribute("data-acdl-script", "");
  const address = document.currentScript && document.currentScript.src;

  const VIEWS = { figure: ".acdl-figure", source: ".acdl-source", text: ".acdl-words", explained: ".acdl-explained" };
  const part = (figure, selector) => figure.querySelector(`:scope > ${selector}`);
  const elementOf = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
  const make = (tag, className, text = "", attributes = {}) => {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const button = (className, text, label, attributes = {}) =>
    make("button", className, text, { type: "button", title: label, "aria-label": label, ...attributes });
  const COPIED = ".acdl-code, .acdl-text";
  const copyButton = () => button("acdl-copy", "Copy", "Copy the source, or the text while it is shown");

  // What the reader chose last, if the browser lets a page remember anything.
  const remembered = () => {
    try { return localStorage.getItem("acdl-view"); } catch { return null; }
  };

  // The switch.
  const show = (figure, wanted, bar = part(figure, ".acdl-bar")) => {
    const tabs = [...bar.querySelectorAll("[role=tab]")];
    const view = tabs.some((tab) => tab.dataset.view === wanted) ? wanted : "figure";
    bar.dataset.view = view;
    for (const tab of tabs) {
      const isShown = tab.dataset.view === view;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      // The figure stays beside what is said of it.
      part(figure, VIEWS[tab.dataset.view]).hidden = !isShown && !(view === "explained" && tab.dataset.view === "figure");
      if (tab.id) part(figure, ".acdl-figure").setAttribute("aria-details", isShown ? part(figure, VIEWS.explained).id : tab.id);
    }
  };

  const addTabs = (figure, bar) => {
    const folded = ["source", "text", "explained"].filter((view) => part(figure, VIEWS[view]));
    // Where the page shows the source at once, beside the figure or in place of it, there is nothing to switch.
    if (!folded.length || folded.some((view) => part(figure, VIEWS[view]).open)) return;
    const list = make("div", "acdl-tabs", "", { role: "tablist", "aria-label": "View" });
    for (const view of ["figure", ...folded]) {
      const inside = part(figure, VIEWS[view]);
      const panel = view === "figure" ? inside : inside.querySelector("pre, .acdl-explanation");
      const title = view === "figure" ? "Figure" : inside.querySelector("summary").textContent;
      const id = view === "explained" ? { id: `${inside.id}-tab` } : {};
      list.append(make("button", "acdl-tab", title, { type: "button", role: "tab", "data-view": view, ...id }));
      panel.setAttribute("role", "tabpanel");
      if (view !== "figure") {
        panel.setAttribute("aria-label", title);
        inside.open = true;
      }
    }
    bar.append(list);
    figure.classList.add("acdl-tabbed");
  };

  // It is filled when it is opened first.
  const makeMenu = () => {
    const menu = make("div", "acdl-menu");
    const list = make("div", "acdl-items");
    list.hidden = true;
    menu.append(button("acdl-dots", "\u22ef", "More", { "aria-expanded": "false" }), list);
    return menu;
  };

  // Heights are measured with the layout of the page, which would else be done for each figure.
  const TALL_PX = 600;
  const heights = new ResizeObserver((entries) => {
    for (const { target, contentRect: { height } } of entries) {
      if (height) part(target.parentNode, ".acdl-bar").classList.toggle("acdl-tall", height > TALL_PX);
    }
  });
  const enhance = (figure, view) => {
    const drawing = part(figure, ".acdl-figure");
    if (!drawing || part(figure, ".acdl-bar")) return;
    const bar = make("div", "acdl-bar");
    addTabs(figure, bar);
    if (drawing.querySelector("svg")) {
      bar.append(button("acdl-enlarge", "Enlarge", "Enlarge the figure"), makeMenu());
      heights.observe(drawing);
    } else if (figure.querySelector(COPIED)) {
      bar.append(copyButton());
    }
    const open = part(figure, ".acdl-open");
    if (open) bar.append(open);
    bar.append(make("span", "acdl-said", "", { role: "status" }));
    show(figure, view, bar);
    figure.insertBefore(bar, part(figure, ".acdl-permalink"));
  };

  // Colours. The style sheet follows a page that says whether it is light or dark. Where that leaves words with too little
  // contrast to what really lies behind them, the other set of colours is taken; a background that suits neither is covered.
  const LEAST_CONTRAST = 4.5;
  const SCHEMES = ["class", "style", "data-md-color-scheme", "data-md-color-primary", "data-theme", "data-bs-theme", "data-mode"];
  const WORDS = ["k", "o", "f", "v", "i", "l", "r", "s", "n", "m", "c"];
  const COLOURED = "figure.acdl, .acdl-gallery, .acdl-problem, .acdl-playbook, pre.acdl-code";
  const channels = (written) => {
    const found = written.match(/-?[\d.]+(?:e-?\d+)?/g).map(Number);
    const all = written.startsWith("rgb") ? found.map((value, i) => (i < 3 ? value / 255 : value)) : found;
    return [...all.slice(0, 3), all[3] ?? 1];
  };
  // Colours inside an element, in a scheme, as [red, green, blue, alpha] from 0 to 1. `color-mix` brings every way to write
  // one into one. All are read at once: after each change that is looked at, styles are computed again.
  const coloursIn = (element, colours, scheme = "") => {
    const probe = make("i", "acdl-probe", "", { hidden: "" });
    probe.style.colorScheme = scheme;
    for (const colour of colours) {
      const sample = make("i", "");
      sample.style.color = `color-mix(in srgb, ${colour} 100%, transparent)`;
      probe.append(sample);
    }
    element.append(probe);
    const found = [...probe.children].map((sample) => channels(getComputedStyle(sample).color));
    probe.remove();
    return found;
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // What is painted behind an element, as far as it is plain colours: the texts of them, from above.
  const layersOf = (element) => {
    const layers = [];
    for (let node = element; node; node = node.parentElement) {
      const { backgroundColor } = getComputedStyle(node);
      if (backgroundColor !== "rgba(0, 0, 0, 0)") layers.push(backgroundColor);
      if (backgroundColor.startsWith("rgb(")) break;
    }
    return layers;
  };
  const backgroundOf = (layers) => {
    const isPlain = layers.length === 1 && layers[0].startsWith("rgb(");
    const found = isPlain ? layers.map(channels) : coloursIn(root, [...layers, "Canvas"]);
    return found.reduceRight((below, top) => over(top, below), [0, 0, 0]);
  };
  const contrast = (one, other) => {
    const [lighter, darker] = [one, other].map(luminance).sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const suit = (element, layers) => {
    const background = backgroundOf(layers);
    const [page, ...words] = coloursIn(element, ["page", ...WORDS].map((name) => `var(--acdl-${name})`));
    const leastOf = (colours) => Math.min(...colours.map((colour) => contrast(over(colour, background), background)));
    let [least, scheme] = [leastOf(words), ""];
    for (const other of ["light", "dark"]) {
      if (least >= LEAST_CONTRAST) break;
      const found = leastOf(coloursIn(element, WORDS.map((name) => `var(--acdl-${name})`), other));
      if (found > least) [least, scheme] = [found, other];
    }
    const isPage = background.every((value, i) => Math.abs(value - page[i]) < 0.001);
    return { page: isPage ? "" : `color(srgb ${background.join(" ")})`, scheme, isCovered: least < LEAST_CONTRAST };
  };
  const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");
  const known = new Map();
  const suited = new WeakSet();
  const suitEach = (elements) => {
    for (const element of elements) suited.add(element);
    if (!elements.length || matchMedia("(forced-colors: active)").matches) return;
    if (!CSS.supports("color", "color-mix(in srgb, red, blue)")) return;
    for (const element of elements) {
      for (const name of ["color-scheme", "--acdl-page"]) element.style.removeProperty(name);
      element.classList.remove("acdl-ground");
    }
    const found = elements.map((element) => {
      const layers = layersOf(element.querySelector(":scope > code") || element);
      const style = getComputedStyle(element);
      const colours = ["page", ...WORDS].map((name) => style.getPropertyValue(`--acdl-${name}`));
      const key = [PREFERS_DARK.matches, style.colorScheme, ...colours, ...layers].join();
      if (!known.has(key)) known.set(key, suit(element, layers));
      return known.get(key);
    });
    elements.forEach((element, at) => {
      const { page, scheme, isCovered } = found[at];
      if (page) element.style.setProperty("--acdl-page", page);
      if (scheme) element.style.setProperty("color-scheme", scheme);
      element.classList.toggle("acdl-ground", isCovered);
    });
  };
  const suitAll = () => suitEach([...document.querySelectorAll(COLOURED)]);
  const suitNew = () => suitEach([...document.querySelectorAll(COLOURED)].filter((element) => !suited.has(element)));

  // What few pages need, or not at once, is in files of their own, beside this one: messages beside a figure, playbooks, actions.
  const PARTS = { "acdl-steps": ".acdl-evaluated", "acdl-playbook": ".acdl-playbook" };
  const loaded = new Set();
  const load = (name) => {
    if (loaded.has(name) || !address) return;
    loaded.add(name);
    const script = document.createElement("script");
    script.src = new URL(`${name}.js`, address).href;
    root.setAttribute(`data-${name}-coming`, "");
    script.addEventListener("error", () => root.removeAttribute(`data-${name}-coming`));
    document.head.append(script);
  };

  // The actions are loaded when a figure, or a link or address that leads into one, is first used; they then make up for what
  // they missed.
  const targetOf = (hash) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    return id && document.getElementById(id);
  };
  const leadsIntoDrawing = (hash) => {
    const target = hash && targetOf(hash);
    return Boolean(target) && target.closest(".acdl-figure");
  };
  let actions = null;
  const missed = [];
  for (const type of ["click", "keydown", "pointerover", "focusin", "focusout"]) {
    document.addEventListener(type, (event) => {
      const link = elementOf(event, "a");
      if (actions) actions[type](event);
      else if (elementOf(event, "figure.acdl, svg.acdl-svg") || (link && leadsIntoDrawing(link.hash))) {
        missed.push(event);
        load("acdl-actions");
      }
    });
  }
  document.addEventListener("acdl-actions", ({ detail }) => {
    actions = detail({ COPIED, part, elementOf, make, button, copyButton, show, targetOf, layersOf, backgroundOf });
    for (const event of missed) actions[event.type](event);
    reveal();
  }, { once: true });
  const reveal = () => {
    if (actions) actions.reveal();
    else if (leadsIntoDrawing(location.hash)) load("acdl-actions");
  };
  window.addEventListener("hashchange", reveal);

  // One figure at once, the others when the browser has nothing else to do; all where they do not stay as they are.
  const whenIdle = window.requestIdleCallback || setTimeout;
  let isWaiting = false;
  const enhanceNext = () => {
    const found = document.querySelectorAll("figure.acdl:not([data-acdl-ready])");
    isWaiting = false;
    if (!found.length) return;
    const view = remembered();
    const now = view && view !== "figure" ? [...found] : [found[0]];
    for (const figure of now) {
      figure.setAttribute("data-acdl-ready", "");
      enhance(figure, view);
    }
    const target = targetOf(location.hash);
    if (target && now.some((figure) => figure.contains(target))) reveal();
    isWaiting = found.length > now.length;
    if (isWaiting) whenIdle(enhanceNext);
  };
  const enhanceAll = () => {
    suitNew(); // first: what it measures is still as the browser has styled it
    if (!isWaiting) enhanceNext();
    for (const [name, selector] of Object.entries(PARTS)) if (document.querySelector(selector)) load(name);
  };

  const start = () => {
    enhanceAll();
    new MutationObserver(enhanceAll).observe(root, { childList: true, subtree: true });
    const colours = new MutationObserver(suitAll);
    for (const node of [root, document.body]) colours.observe(node, { attributeFilter: SCHEMES });
    PREFERS_DARK.addEventListener("change", suitAll);
    window.addEventListener("load", suitAll); // style sheets that came late
    document.addEventListener("transitionend", (event) => {
      if (event.propertyName === "background-color" && event.target.contains(document.querySelector(COLOURED))) suitAll();
    });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
