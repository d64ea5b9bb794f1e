// Galleries of ACDL specs: a filter by words, tags, roles and constructs that works in place. Its state is in the
// query of the address (`?words=...&tag=...&uses=...`; themes take `q` for their search), so that it can be linked,
// and the way back leads through it. Without it tags and constructs lead to lists at the end of the gallery.
// Everything hangs on events of the document; galleries that come later, as by instant navigation, are noticed.
(() => {
  "use strict";
  const root = document.documentElement;
  if (root.hasAttribute("data-acdl-gallery-script")) return; // loaded twice, by the plugin and by hand
  root.setAttribute("data-acdl-gallery-script", "");

  const READY = ".acdl-gallery[data-acdl-ready]";
  const TAGS = ":is(.acdl-tags, .acdl-card-tags) a";
  const elementOf = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
  const splitAt = (text, sign) => (text || "").split(sign).filter(Boolean);
  const plain = (text) => text.normalize("NFC").toLowerCase();

  const wordsOf = (part) => (part.querySelector(".acdl-open") ? "" : part.textContent);

  // What can be looked for on each card, read once: of each of its versions, if it has a switch between two.
  const known = new WeakMap();
  const cardsOf = (gallery) => {
    if (!known.has(gallery)) {
      known.set(gallery, [...gallery.querySelectorAll(":scope > .acdl-cards > .acdl-card")].flatMap((card) => {
        const versions = [...card.querySelectorAll(":scope > .acdl-versions > .acdl-version")];
        const switches = [...card.querySelectorAll(":scope > .acdl-switch input")];
        return (versions.length ? versions : [card]).map((version, index) => {
          const parts = [...version.children, ...(versions.length ? card.querySelectorAll(":scope > p") : [])];
          return {
            card,
            version,
            switchTo: switches[index],
            title: plain(version.querySelector(".acdl-card-title a").textContent),
            text: plain(`${parts.map(wordsOf).join(" ")} ${version.dataset.words || ""}`),
            tags: parts.filter((part) => part.matches(".acdl-card-tags"))
              .flatMap((part) => [...part.querySelectorAll("a")].map((link) => link.textContent)),
            uses: splitAt(version.dataset.uses, ","),
          };
        });
      }));
    }
    return known.get(gallery);
  };

  const stateOf = (query) => {
    const said = new URLSearchParams(query);
    const all = (name) => said.getAll(name).filter(Boolean);
    return { words: said.get("words") || "", tag: all("tag"), uses: all("uses") };
  };
  const queryOf = (state) => {
    const said = new URLSearchParams(location.search);
    for (const name of ["words", "tag", "uses"]) said.delete(name);
    if (state.words.trim()) said.set("words", state.words);
    for (const name of ["tag", "uses"]) for (const value of state[name]) said.append(name, value);
    return said.toString();
  };

  // What a link asks for, by the list that it leads to without this script: `["tag", "chat"]` or `["uses", "ForEach"]`.
  const askedBy = (hash) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const list = id && document.getElementById(id);
    if (!list || !list.closest(`${READY} > .acdl-index`)) return null;
    return ["tag", "uses"].filter((kind) => kind in list.dataset).map((kind) => [kind, list.dataset[kind]])[0];
  };
  const tagOf = (hash) => {
    const [kind, tag] = askedBy(hash) || [];
    return kind === "tag" ? tag : null;
  };

  const isKnown = (gallery, kind, value) =>
    cardsOf(gallery).some(({ tags, uses }) => (kind === "tag" ? tags : uses).includes(value));

  // How far a title is from the words: by how many of them it lacks, then by whether it equals or begins with them.
  const distanceOf = (title, words) => {
    const nMissing = words.filter((word) => !title.includes(word)).length;
    const phrase = words.join(" ");
    return 3 * nMissing + (title === phrase ? 0 : title.startsWith(phrase) ? 1 : 2);
  };

  // Cards with the words in their titles come first; without words, each is in its place again.
  const rank = (cards, words) => {
    const sorted = cards.map(({ card, title }) => ({ card, distance: words.length ? distanceOf(title, words) : 0 }))
      .sort((one, other) => one.distance - other.distance);
    const ranked = [...new Set(sorted.map(({ card }) => card))];
    const list = ranked.length ? ranked[0].parentElement : null;
    if (ranked.some((card, index) => list.children[index] !== card)) list.append(...ranked);
  };

  // A card shows a version that matches; if that was not the one shown, it is shown until both match again.
  const switched = new WeakSet();
  const setSwitch = (card, versions) => {
    const isShown = versions.some(({ checked }) => checked);
    if (isShown && !(switched.has(card) && versions.length === 2)) return;
    versions[0].checked = true;
    if (isShown) switched.delete(card);
    else switched.add(card);
  };

  const show = (gallery, state) => {
    const words = splitAt(plain(state.words), /\s+/);
    let nShown = 0;
    const cards = cardsOf(gallery);
    const matching = new Map();
    for (const { card, version, switchTo, text, tags, uses } of cards) {
      const isShown = words.every((word) => text.includes(word))
        && state.tag.every((tag) => tags.includes(tag)) && state.uses.every((name) => uses.includes(name));
      if (!matching.has(card)) matching.set(card, []);
      if (isShown) matching.get(card).push(switchTo);
      version.toggleAttribute("data-acdl-no-match", !isShown);
      nShown += isShown;
    }
    for (const [card, versions] of matching) {
      if (card.hidden !== !versions.length) card.hidden = !versions.length;
      if (versions[0]) setSwitch(card, versions);
    }
    rank(cards, words);
    gallery.querySelector(":scope > .acdl-no-match").hidden = nShown > 0;
    const count = gallery.querySelector(":scope > .acdl-count");
    count.dataset.all = count.dataset.all || count.textContent;
    const nothing = ["tag", "uses"].flatMap((kind) => state[kind].filter((value) => !isKnown(gallery, kind, value)));
    const why = nothing.length ? `; nothing here has ${nothing.map((value) => `\u201c${value}\u201d`).join(", ")}` : "";
    const said = (nShown === cards.length ? count.dataset.all : `${nShown} of ${count.dataset.all}`) + why;
    if (count.textContent !== said) count.textContent = said;
  };

  // What else the address asks for and no control says, each to be taken back: it may have more constructs than there
  // are lists to choose them from, and tags that no spec has.
  const setChosen = (gallery, state) => {
    const form = gallery.querySelector(":scope > .acdl-filter");
    const inLists = [...form.querySelectorAll("select")].map((select) => select.value);
    const rest = {
      tag: state.tag.filter((tag) => !isKnown(gallery, "tag", tag)),
      uses: state.uses.filter((name) => !inLists.includes(name)),
    };
    let row = gallery.querySelector(":scope > .acdl-chosen");
    if (!row) {
      row = document.createElement("p");
      row.className = "acdl-chosen";
      form.after(row);
    }
    row.replaceChildren(...["tag", "uses"].flatMap((kind) => rest[kind].map((value) => {
      const chip = document.createElement("button");
      Object.assign(chip, { type: "button", name: kind, value, textContent: value });
      chip.setAttribute("aria-label", `Remove filter ${value}`);
      return chip;
    })));
    row.hidden = !row.childElementCount;
  };

  const setControls = (gallery, state) => {
    const form = gallery.querySelector(":scope > .acdl-filter");
    if (form.elements.words.value !== state.words) form.elements.words.value = state.words;
    for (const select of form.querySelectorAll("select")) {
      const found = [...select.options].find((option) => option.value && state.uses.includes(option.value));
      select.value = found ? found.value : "";
    }
    setChosen(gallery, state);
    for (const link of gallery.querySelectorAll(".acdl-tags a")) {
      const isChosen = state.tag.includes(tagOf(link.hash));
      if (isChosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
      if (isChosen && link.closest("details")) link.closest("details").open = true;
    }
  };

  const showAll = () => {
    const state = stateOf(location.search);
    for (const gallery of document.querySelectorAll(READY)) {
      setControls(gallery, state);
      show(gallery, state);
    }
  };

  // Typing is one step of the way back, however many letters it has.
  let isTyping = false;
  const go = (state, byTyping = false) => {
    const query = queryOf(state);
    const url = `${location.pathname}${query && `?${query}`}`;
    try {
      if (byTyping && isTyping) history.replaceState(history.state, "", url);
      else if (url !== location.pathname + location.search + location.hash) history.pushState(null, "", url);
    } catch { /* a browser may limit how often this is done */ }
    isTyping = byTyping;
  };

  // What the reader has changed; all else stays as the address says.
  const changed = (state, control) => {
    if (control.name === "words") return { ...state, words: control.value };
    const before = [...control.options].map((option) => option.value).find((name) => state.uses.includes(name));
    const rest = state.uses.filter((name) => name !== before && name !== control.value);
    return { ...state, uses: control.value ? [...rest, control.value] : rest };
  };

  document.addEventListener("input", (event) => {
    const form = elementOf(event, ".acdl-filter");
    if (!form) return;
    const state = changed(stateOf(location.search), event.target);
    go(state, event.target.name === "words");
    for (const gallery of document.querySelectorAll(READY)) show(gallery, state);
    if (event.target.name !== "words") showAll();
  });
  document.addEventListener("change", (event) => { if (elementOf(event, ".acdl-filter")) isTyping = false; });
  document.addEventListener("change", (event) => { switched.delete(elementOf(event, ".acdl-card")); });
  document.addEventListener("submit", (event) => { if (elementOf(event, ".acdl-filter")) event.preventDefault(); });
  const clear = () => {
    go({ words: "", tag: [], uses: [] });
    showAll();
  };
  document.addEventListener("reset", (event) => {
    if (!elementOf(event, ".acdl-filter")) return;
    event.preventDefault();
    clear();
  });
  document.addEventListener("click", (event) => {
    const button = elementOf(event, ".acdl-no-match button");
    if (!button) return;
    clear();
    button.closest(READY).querySelector(".acdl-filter input").focus(); // the button is gone
  });

  document.addEventListener("click", (event) => {
    const chip = elementOf(event, ".acdl-chosen button");
    if (!chip) return;
    const state = stateOf(location.search);
    const gallery = chip.closest(READY);
    go({ ...state, [chip.name]: state[chip.name].filter((value) => value !== chip.value) });
    showAll();
    (gallery.querySelector(":scope > .acdl-chosen button") || gallery.querySelector(".acdl-filter input")).focus();
  });

  // Before anyone else hears of it: navigation without page loads would follow the link.
  document.addEventListener("click", (event) => {
    const link = elementOf(event, `${READY} ${TAGS}`);
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const tag = tagOf(link.hash);
    if (tag === null) return;
    event.preventDefault();
    event.stopPropagation();
    const state = stateOf(location.search);
    const rest = state.tag.filter((other) => other !== tag);
    go({ ...state, tag: rest.length < state.tag.length ? rest : [...rest, tag] });
    showAll();
    const gallery = link.closest(READY);
    if (link.closest(".acdl-card")) gallery.scrollIntoView({ block: "start" });
  }, true);

  // A link to the list of a tag or construct, as it works without this script, filters by it.
  const takeHash = () => {
    const asked = askedBy(location.hash);
    if (!asked) return;
    const [kind, value] = asked;
    const state = stateOf(location.search);
    const query = queryOf({ ...state, [kind]: [...state[kind].filter((other) => other !== value), value] });
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
  };

  const enhanceAll = () => {
    const forms = document.querySelectorAll(".acdl-gallery > .acdl-filter[hidden]");
    if (!forms.length) return;
    for (const form of forms) {
      const gallery = form.parentElement;
      gallery.setAttribute("data-acdl-ready", "");
      form.hidden = false;
      for (const list of gallery.querySelectorAll(":scope > :is(.acdl-index, .acdl-by-use)")) list.hidden = true;
    }
    takeHash();
    showAll();
  };
  for (const moved of ["popstate", "hashchange"]) {
    window.addEventListener(moved, () => { isTyping = false; takeHash(); showAll(); });
  }

  const start = () => {
    enhanceAll();
    new MutationObserver(enhanceAll).observe(root, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
