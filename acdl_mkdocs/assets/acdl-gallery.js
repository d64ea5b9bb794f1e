// Galleries of ACDL specs: a filter by words, tags, roles and constructs that works in place. Its state is in the
// query of the address (`?words=...&tag=...&uses=...`; themes take `q` for their search), so that it can be linked,
// and the way back leads through it. Without it tags lead to lists at the end of the gallery.
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

  // What can be looked for on each card, read once.
  const known = new WeakMap();
  const cardsOf = (gallery) => {
    if (!known.has(gallery)) {
      known.set(gallery, [...gallery.querySelectorAll(":scope > .acdl-cards > .acdl-card")].map((card) => ({
        card,
        text: plain(`${card.textContent} ${card.dataset.words || ""}`),
        tags: [...card.querySelectorAll(TAGS)].map((link) => link.textContent),
        uses: splitAt(card.dataset.uses, ","),
      })));
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

  // The tag that a link leads to, by the list that it has without this script.
  const tagOf = (hash) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const list = id && document.getElementById(id);
    return list && list.closest(`${READY} > .acdl-index`) ? list.dataset.tag : null;
  };

  const show = (gallery, state) => {
    const words = splitAt(plain(state.words), /\s+/);
    let nShown = 0;
    const cards = cardsOf(gallery);
    for (const { card, text, tags, uses } of cards) {
      const isShown = words.every((word) => text.includes(word))
        && state.tag.every((tag) => tags.includes(tag)) && state.uses.every((name) => uses.includes(name));
      if (card.hidden === isShown) card.hidden = !isShown;
      nShown += isShown;
    }
    const count = gallery.querySelector(":scope > .acdl-count");
    count.dataset.all = count.dataset.all || count.textContent;
    const said = nShown === cards.length ? count.dataset.all : `${nShown} of ${count.dataset.all}`;
    if (count.textContent !== said) count.textContent = said;
  };

  const setControls = (gallery, state) => {
    const form = gallery.querySelector(":scope > .acdl-filter");
    if (form.elements.words.value !== state.words) form.elements.words.value = state.words;
    for (const select of form.querySelectorAll("select")) {
      const found = [...select.options].find((option) => option.value && state.uses.includes(option.value));
      select.value = found ? found.value : "";
    }
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

  const formState = (form) => ({
    ...stateOf(location.search),
    words: form.elements.words.value,
    uses: [...form.querySelectorAll("select")].map((select) => select.value).filter(Boolean),
  });

  document.addEventListener("input", (event) => {
    const form = elementOf(event, ".acdl-filter");
    if (!form) return;
    const state = formState(form);
    go(state, event.target.name === "words");
    for (const gallery of document.querySelectorAll(READY)) show(gallery, state);
    if (event.target.name !== "words") showAll();
  });
  document.addEventListener("change", (event) => { if (elementOf(event, ".acdl-filter")) isTyping = false; });
  document.addEventListener("submit", (event) => { if (elementOf(event, ".acdl-filter")) event.preventDefault(); });
  document.addEventListener("reset", (event) => {
    if (!elementOf(event, ".acdl-filter")) return;
    event.preventDefault();
    go({ words: "", tag: [], uses: [] });
    showAll();
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

  // A link to the list of a tag, as it works without this script, filters by the tag.
  const takeHash = () => {
    const tag = tagOf(location.hash);
    if (tag === null) return;
    const state = stateOf(location.search);
    const query = queryOf({ ...state, tag: [...state.tag.filter((other) => other !== tag), tag] });
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
  };

  const enhanceAll = () => {
    const forms = document.querySelectorAll(".acdl-gallery > .acdl-filter[hidden]");
    if (!forms.length) return;
    for (const form of forms) {
      const gallery = form.parentElement;
      const index = gallery.querySelector(":scope > .acdl-index");
      gallery.setAttribute("data-acdl-ready", "");
      form.hidden = false;
      if (index) index.hidden = true;
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
