// What readers do with ACDL figures: choose a view; zoom and move an enlarged one; highlight every use of a name, which can be
// chosen from a list too, and every part with the sentences and links about it; hide comments; copy and save. `acdl.js` loads this
// file when a figure is first used, and passes on the events, also those that came before it.
"use strict";
document.dispatchEvent(new CustomEvent("acdl-actions", { detail: ({
  COPIED, part, elementOf, make, button, copyButton, show, targetOf, layersOf, backgroundOf,
}) => {
  // Of a drawing and the one for narrow columns that may follow it, the one on the screen.
  const shown = (svg) => {
    const narrow = svg && svg.nextElementSibling;
    return narrow && narrow.matches(".acdl-narrow") && narrow.getClientRects().length ? narrow : svg;
  };

  // The switch, and what is remembered of it if the browser lets a page remember anything.
  const remember = (view) => {
    try { localStorage.setItem("acdl-view", view); } catch { /* then the choice lasts as long as the page */ }
  };

  const choose = (tab) => {
    const top = tab.getBoundingClientRect().top;
    remember(tab.dataset.view);
    for (const figure of document.querySelectorAll("figure.acdl-tabbed")) show(figure, tab.dataset.view);
    window.scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: "instant" });
  };

  // Names.
  const NAMES = ":is(.acdl-svg, .acdl-code) :is(.acdl-r, .acdl-l, .acdl-i, .acdl-f, .acdl-v)";
  // A name as the language reads it: letters of any script, and the joiners that some need inside. The figure has no `$`.
  const NAME = /@?\$?[\p{L}\p{Nl}_][\p{L}\p{M}\p{N}_\u200c\u200d]*/u;
  // A variable: all before its index.
  const VARIABLE = /^[^[\s]+/u;
  const nameIn = (node) => (node.classList.contains("acdl-v") ? VARIABLE : NAME).exec(node.textContent);
  const named = (node) => {
    const found = nameIn(node);
    return (found ? found[0] : "").replace("$", "").normalize();
  };
  // Words of a drawing have no background of their own: what lies behind all that are lit is one path below the text.
  const backgroundPath = (node) => {
    const { index, 0: { length } } = nameIn(node);
    const ends = [index, Math.min(index + length, node.getNumberOfChars()) - 1].map((at) => node.getExtentOfChar(at));
    const left = Math.min(...ends.map((end) => end.x)) - 1;
    const right = Math.max(...ends.map((end) => end.x + end.width)) + 1;
    return `M${left} ${ends[0].y}H${right}v${ends[0].height}H${left}z`;
  };
  const setBackground = (svg, nodes) => {
    let behind = svg.querySelector(":scope > .acdl-lit-behind");
    if (!behind) {
      behind = document.createElementNS(svg.namespaceURI, "path");
      behind.setAttribute("class", "acdl-lit-behind");
      svg.querySelector(":scope > :is(g, text)").before(behind);
    }
    behind.setAttribute("d", nodes.map(backgroundPath).join(""));
  };
  let lit = [];
  let backed = [];
  let chosen = { figure: null, name: "" };

  const lightAll = (figure, name) => {
    for (const node of lit) node.classList.remove("acdl-lit");
    lit = figure && name ? [...figure.querySelectorAll(NAMES)].filter((node) => named(node) === name) : [];
    for (const node of lit) node.classList.add("acdl-lit");
    for (const svg of backed) setBackground(svg, []);
    const drawn = lit.map((node) => [node, node.closest("svg")]).filter(([node, svg]) => svg && node.getClientRects().length);
    backed = [...new Set(drawn.map(([, svg]) => svg))];
    for (const svg of backed) setBackground(svg, drawn.filter((each) => each[1] === svg).map(([node]) => node));
  };
  const clear = () => lightAll(chosen.figure, chosen.name);

  const light = (event) => {
    const figure = elementOf(event, ":is(.acdl-svg, .acdl-code)") && elementOf(event, "figure.acdl");
    const link = elementOf(event, "a");
    const node = figure && (elementOf(event, NAMES) || (link && link.querySelector(NAMES)));
    const name = node && named(node);
    if (name) lightAll(figure, name);
    else clear();
  };

  // For who has no pointer: a list of the names that are used more than once, which is one stop of the tab key.
  const namesOf = (svg) => {
    const uses = new Map();
    for (const node of svg.querySelectorAll(NAMES)) {
      const name = named(node);
      if (name) uses.set(name, (uses.get(name) || 0) + 1);
    }
    const several = [...uses].filter(([, number]) => number > 1).sort(([one], [other]) => (one < other ? -1 : 1));
    if (!several.length) return null;
    const list = make("select", "acdl-names", "", { title: "Highlight a name", "aria-label": "Highlight a name" });
    list.append(make("option", "", "Names", { value: "" }));
    for (const [name, number] of several) list.append(make("option", "", `${name} (${number})`, { value: name }));
    return list;
  };

  // What is needed less often; it is made when the menu is opened first.
  const fillMenu = (list) => {
    const figure = list.closest("figure.acdl");
    const drawing = part(figure, ".acdl-figure");
    if (figure.querySelector(COPIED)) list.append(copyButton());
    if (drawing.querySelector("svg .acdl-c")) {
      list.append(button("acdl-fold", "Comments", "Hide comments", { "aria-pressed": "false" }));
    }
    const names = namesOf(drawing.querySelector("svg"));
    if (names) list.append(names);
    list.append(...["SVG", "PNG"].map((kind) => button("acdl-save", `Save ${kind}`, `Save ${kind}`, { value: kind })));
  };

  const setMenu = (dots, isOpen) => {
    const list = dots.nextElementSibling;
    if (!isOpen && list.contains(document.activeElement)) dots.focus({ preventScroll: true });
    if (isOpen && !list.firstChild) fillMenu(list);
    list.hidden = !isOpen;
    dots.setAttribute("aria-expanded", String(isOpen));
  };
  const closeMenus = (except = null) => {
    for (const dots of document.querySelectorAll(".acdl-dots[aria-expanded=true]")) {
      if (dots.parentNode !== except) setMenu(dots, false);
    }
  };

  // The part of the drawing on the screen for one of the drawing that has the ids.
  const counterpart = (target) => {
    const svg = target.closest("svg.acdl-svg");
    const other = shown(svg);
    if (other === svg) return target;
    const texts = (drawing) => [...drawing.querySelectorAll("text")];
    const text = texts(other)[texts(svg).indexOf(target.matches("text") ? target : target.querySelector("text"))];
    return (target.matches("g") && text.closest(`[data-acdl="${target.dataset.acdl}"]`)) || text;
  };

  // An address that leads into a drawing shows the drawing, and there the part, whichever drawing has room.
  const reveal = () => {
    for (const old of document.querySelectorAll(".acdl-aim")) old.classList.remove("acdl-aim");
    const target = targetOf(location.hash);
    const drawing = target && target.closest(".acdl-figure");
    if (!drawing) return;
    const figure = drawing.hidden && drawing.closest("figure.acdl-tabbed");
    if (figure) show(figure, "figure");
    const aim = counterpart(target);
    if (aim !== target) aim.classList.add("acdl-aim");
    if (figure || aim !== target) aim.scrollIntoView();
  };

  // Parts: a sentence of the view in words, and a link of the page into a figure, frame their part; a part frames them.
  const SENTENCE = ".acdl-explained [data-acdl]";
  const LINK = "a[href*='#']:not(svg a, .acdl-explained a)";
  const partOf = (link) => {
    const [page, target] = [link.href.split("#")[0], targetOf(link.hash)];
    const isInFigure = target && page === location.href.split("#")[0] && target.closest(".acdl-figure svg");
    return isInFigure ? counterpart(target) : null;
  };
  const aboutPart = (part) => {
    const figure = part.closest("figure.acdl"); // a legend has none
    const said = figure ? [...figure.querySelectorAll(SENTENCE)] : [];
    let of = [];
    for (let node = part; node && !of.length; node = node.parentElement.closest("[data-acdl]")) {
      of = said.filter((each) => each.dataset.acdl === node.dataset.acdl);
    }
    const links = [...document.querySelectorAll(LINK)].filter((link) => { const to = partOf(link); return to && to.contains(part); });
    return [...of, ...links];
  };
  const partsOf = (event) => {
    const [sentence, link, part] = [SENTENCE, LINK, ".acdl-figure svg [data-acdl]"].map((kind) => elementOf(event, kind));
    if (part) return aboutPart(part);
    if (!sentence) return link ? [partOf(link)] : [];
    return sentence.closest("figure.acdl").querySelectorAll(`.acdl-figure [data-acdl="${sentence.dataset.acdl}"]`);
  };
  let framed = [];
  const frame = (event) => {
    for (const node of framed) node.classList.remove("acdl-about");
    framed = [...partsOf(event)].filter(Boolean);
    for (const node of framed) node.classList.add("acdl-about");
  };

  // A link to the place where the reader already is changes no address, so nothing else tells that it was followed.
  const asHtml = (link) => (link instanceof SVGElement ? make("a", "", "", { href: link.href.baseVal, hidden: "" }) : link);
  const isHere = (link) => {
    const { hash, href } = asHtml(link);
    return hash && href === location.href;
  };

  // Material and Zensical replace pages without loading them, but only where a link is one of HTML.
  const isInstant = () => {
    const config = document.getElementById("__config");
    return Boolean(config) && config.textContent.includes('"navigation.instant"');
  };
  const follow = (event) => {
    const link = elementOf(event, "svg.acdl-svg a");
    const isChanged = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || isChanged || !isInstant()) return;
    event.preventDefault();
    event.stopPropagation();
    const stand = asHtml(link);
    for (const dialog of document.querySelectorAll("dialog.acdl-lightbox")) dialog.close();
    document.body.append(stand);
    stand.click();
    stand.remove();
  };

  const say = (figure, words) => {
    const status = part(figure, ".acdl-bar").querySelector(".acdl-said");
    status.textContent = words;
    setTimeout(() => { status.textContent = ""; }, 2000);
  };

  const copy = async (figure) => {
    const bar = part(figure, ".acdl-bar");
    const view = bar.dataset.view === "text" ? ".acdl-text" : ".acdl-code code, .acdl-text";
    const words = figure.querySelector(view);
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(words.textContent);
    } catch { // no permission, or a page without encryption: then the reader presses the keys
      getSelection().selectAllChildren(words);
      said = "Press Ctrl+C";
    }
    say(figure, said);
  };

  // The figure as a file: the wide drawing in the colours of the page, with a margin on their ground.
  const MARGIN = 16;
  const pictureOf = (figure) => {
    const drawing = figure.querySelector(".acdl-figure svg");
    const ground = `rgb(${backgroundOf(layersOf(drawing.parentNode)).map((part) => Math.round(part * 255))})`;
    const svg = drawing.cloneNode(true);
    const parts = [...svg.querySelectorAll("path, text, tspan")];
    [...drawing.querySelectorAll("path, text, tspan")].forEach((each, at) => {
      const { fill, stroke } = getComputedStyle(each);
      parts[at].setAttribute("fill", fill);
      parts[at].setAttribute("stroke", stroke);
    });
    for (const layer of svg.querySelectorAll(".acdl-overlay, .acdl-lit-behind")) layer.remove();
    const { width, height } = drawing.viewBox.baseVal;
    const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
    svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size.width} ${size.height}`);
    for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value);
    const font = getComputedStyle(drawing);
    svg.setAttribute("font-family", font.fontFamily);
    const rect = document.createElementNS(drawing.namespaceURI, "rect");
    for (const [name, value] of Object.entries({ x: -MARGIN, y: -MARGIN, ...size, fill: ground })) rect.setAttribute(name, value);
    const style = document.createElementNS(drawing.namespaceURI, "style");
    style.textContent = `svg{font-size-adjust:${font.fontSizeAdjust};text-rendering:geometricPrecision}`;
    svg.querySelector("desc").after(style, rect);
    return { ...size, text: new XMLSerializer().serializeToString(svg) };
  };
  const PIXELS = 2; // of a PNG, for each of the page
  const asPng = async (picture) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(picture.text)}`;
    await image.decode();
    const canvas = make("canvas");
    Object.assign(canvas, { width: picture.width * PIXELS, height: picture.height * PIXELS });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
  };
  const save = async (pressed) => {
    const figure = pressed.closest("figure.acdl");
    const picture = pictureOf(figure);
    const isPng = pressed.value === "PNG";
    try {
      const blob = isPng ? await asPng(picture) : new Blob([picture.text], { type: "image/svg+xml" });
      const address = URL.createObjectURL(blob);
      const link = make("a", "", "", { href: address, download: `${figure.id || "figure"}.${isPng ? "png" : "svg"}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    } catch { // a strict policy of the site allows no images made here
      say(figure, "This site does not allow PNG; save SVG");
    }
  };

  // The enlarged view: a copy of the drawing in a box that scrolls, so that whatever scrolls a page works there too.
  const LARGEST = 8;
  const STEP = 1.25;
  const enlarge = (figure, opener) => {
    const wide = figure.querySelector(".acdl-figure svg");
    const onPage = shown(wide);
    const drawing = innerWidth < wide.viewBox.baseVal.width ? onPage : wide;
    const named = part(figure, ".acdl-figure").getAttribute("aria-label");
    const dialog = make("dialog", "acdl-lightbox", "", { "aria-label": `${named}, enlarged` });
    const stage = make("div", "acdl-stage", "", { tabindex: "0", role: "group", "aria-label": named });
    const svg = drawing.cloneNode(true);
    svg.classList.remove("acdl-narrow");
    svg.removeAttribute("display");
    for (const layer of svg.querySelectorAll(".acdl-overlay")) layer.remove();
    for (const node of svg.querySelectorAll("[id]")) node.removeAttribute("id");
    const level = make("output", "acdl-level");
    const { width, height } = drawing.viewBox.baseVal;
    let scale = 1;

    const room = () => {
      const around = 2 * parseFloat(getComputedStyle(stage).paddingTop);
      return { width: stage.clientWidth - around, height: stage.clientHeight - around };
    };
    const fitting = () => Math.min(room().width / width, room().height / height);
    const zoom = (wanted, x = innerWidth / 2, y = innerHeight / 2) => {
      const before = svg.getBoundingClientRect();
      const next = Math.min(LARGEST, Math.max(Math.min(1, fitting()), wanted));
      svg.style.width = `${width * next}px`;
      const after = svg.getBoundingClientRect();
      stage.scrollLeft += after.left - x + ((x - before.left) / scale) * next;
      stage.scrollTop += after.top - y + ((y - before.top) / scale) * next;
      scale = next;
      level.textContent = `${Math.round(scale * 100)} %`;
    };
    const actions = {
      "-": () => zoom(scale / STEP), "+": () => zoom(scale * STEP), "=": () => zoom(scale * STEP),
      0: () => zoom(Math.min(fitting(), LARGEST)),
      ArrowLeft: () => stage.scrollBy(-60, 0), ArrowRight: () => stage.scrollBy(60, 0),
      ArrowUp: () => stage.scrollBy(0, -60), ArrowDown: () => stage.scrollBy(0, 60),
    };
    dialog.addEventListener("keydown", (event) => {
      if (elementOf(event, ".acdl-stepper")) return;
      const action = !event.ctrlKey && !event.metaKey && !event.altKey && actions[event.key];
      if (!action) return;
      event.preventDefault();
      event.stopPropagation(); // many sites have keys of their own
      action();
    });
    stage.addEventListener("wheel", (event) => {
      if (event.shiftKey) return; // moves sideways
      event.preventDefault();
      const speed = event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.002; // a pinch on a touchpad comes with `ctrl`
      zoom(scale * Math.exp(-event.deltaY * speed), event.clientX, event.clientY);
    }, { passive: false });

    const pointers = new Map();
    let hasMoved = false;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      if (!pointers.size) hasMoved = false;
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    stage.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      const here = { x: event.clientX, y: event.clientY };
      if (!last || (!hasMoved && Math.hypot(here.x - last.x, here.y - last.y) < 4)) return;
      hasMoved = true;
      stage.setPointerCapture(event.pointerId);
      const other = [...pointers].find(([id]) => id !== event.pointerId);
      pointers.set(event.pointerId, here);
      stage.scrollBy((last.x - here.x) / pointers.size, (last.y - here.y) / pointers.size);
      if (!other) return;
      const apart = (one) => Math.hypot(one.x - other[1].x, one.y - other[1].y);
      zoom(scale * (apart(here) / Math.max(1, apart(last))), (here.x + other[1].x) / 2, (here.y + other[1].y) / 2);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      stage.addEventListener(end, (event) => pointers.delete(event.pointerId));
    }
    stage.addEventListener("dragstart", (event) => event.preventDefault());
    dialog.addEventListener("click", (event) => {
      const pressed = elementOf(event, "button");
      if (pressed && pressed.closest(".acdl-stepper")) return;
      if (pressed) (actions[pressed.value] || (() => dialog.close()))();
      else if (elementOf(event, "a")) dialog.close();
    });
    dialog.addEventListener("close", () => {
      figure.dispatchEvent(new CustomEvent("acdl-enlarged", { bubbles: true, detail: null }));
      dialog.remove();
      opener.focus({ preventScroll: true });
    });

    const controls = make("div", "acdl-controls");
    controls.append(
      button("acdl-zoom", "\u2212", "Zoom out (-)", { value: "-" }), level,
      button("acdl-zoom", "+", "Zoom in (+)", { value: "+" }),
      button("acdl-zoom", "Fit", "Fit to window (0)", { value: "0" }),
      button("acdl-close", "Close", "Close (Esc)"),
    );
    stage.append(svg);
    dialog.append(stage, controls);
    figure.append(dialog); // inside it, so that it has its colours
    dialog.showModal();
    // Steps go on here.
    figure.dispatchEvent(new CustomEvent("acdl-enlarged", { bubbles: true, detail: { svg, controls } }));
    stage.focus();
    // As wide as the window, but not larger than twice, and never smaller than on the page.
    zoom(Math.max(onPage.getBoundingClientRect().width / onPage.viewBox.baseVal.width, Math.min(2, room().width / width)));
    stage.scrollTo(0, 0);
  };

  const fold = (pressed) => {
    const isFolded = pressed.closest("figure.acdl").classList.toggle("acdl-folded");
    pressed.setAttribute("aria-pressed", String(isFolded));
  };

  const CLICKS = {
    ".acdl-tab": choose,
    ".acdl-fold": fold,
    ".acdl-copy": (pressed) => copy(pressed.closest("figure.acdl")),
    ".acdl-enlarge": (pressed) => enlarge(pressed.closest("figure.acdl"), pressed),
    ".acdl-dots": (pressed) => setMenu(pressed, pressed.getAttribute("aria-expanded") === "false"),
    ".acdl-save": save,
  };

  const click = (event) => {
    const link = elementOf(event, "a");
    if (link && isHere(link)) setTimeout(reveal);
    const staysOpen = elementOf(event, ".acdl-dots, .acdl-fold, .acdl-names");
    closeMenus(staysOpen && staysOpen.closest(".acdl-menu"));
    const pressed = elementOf(event, ".acdl-bar button");
    const kind = pressed && Object.keys(CLICKS).find((selector) => pressed.matches(selector));
    if (kind) CLICKS[kind](pressed);
  };

  const ENDS = { Home: 0, End: -1 };
  const keydown = (event) => {
    const tab = elementOf(event, ".acdl-tab");
    if (tab) {
      const tabs = [...tab.parentNode.children];
      const isMirrored = getComputedStyle(tab).direction === "rtl";
      const step = { ArrowRight: isMirrored ? -1 : 1, ArrowLeft: isMirrored ? 1 : -1 }[event.key];
      const next = step ? (tabs.indexOf(tab) + step) % tabs.length : ENDS[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      tabs.at(next).focus();
      choose(tabs.at(next));
    } else if (event.key === "Escape" && elementOf(event, ".acdl-items")) {
      closeMenus();
    } else if (event.key === "Enter" && event.target instanceof Element && event.target.matches(".acdl-figure")) {
      if (event.target.querySelector("svg")) enlarge(event.target.closest("figure.acdl"), event.target);
    }
  };

  const pointerover = (event) => {
    light(event);
    frame(event);
  };
  // A touch focuses the whole figure too, which must not put out what it has just lit.
  const isLink = (event) => elementOf(event, "svg.acdl-svg a");
  const focusin = (event) => {
    if (isLink(event)) light(event);
    if (elementOf(event, "a")) frame(event);
  };
  const focusout = (event) => {
    if (isLink(event)) clear();
    if (elementOf(event, "a")) frame({ target: null });
  };

  document.addEventListener("click", follow, true);
  document.addEventListener("change", (event) => {
    const list = elementOf(event, ".acdl-names");
    if (!list) return;
    for (const other of document.querySelectorAll(".acdl-names")) if (other !== list) other.value = "";
    chosen = { figure: list.closest("figure.acdl"), name: list.value };
    clear();
  });
  window.addEventListener("popstate", () => {
    for (const dialog of document.querySelectorAll("dialog.acdl-lightbox")) dialog.close();
  });
  return { click, keydown, pointerover, focusin, focusout, reveal };
} }));
