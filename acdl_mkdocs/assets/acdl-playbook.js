// Pages of playbooks: a filter by words, section, status, evidence and spec, an order, and copies of the files. Its
// state is in the query of the address (`?find=...&section=...&sort=...`), so that it can be linked, and the way back
// leads through it. Pages are complete without it. Everything hangs on events of the document; playbooks that come
// later, as by instant navigation, are noticed.
(() => {
  "use strict";
  const root = document.documentElement;
  if (root.hasAttribute("data-acdl-playbook-script")) return; // loaded twice, by the plugin and by hand
  root.setAttribute("data-acdl-playbook-script", "");

  const FORM = ".acdl-book-filter";
  const FACETS = ["section", "status", "evidence", "about"];
  const KEYS = ["find", ...FACETS, "sort"];
  const NUMBERS = { helpful: /▲ (\d+)/, harmful: /▼ (\d+)/, seen: / seen (\d+)/, evidence: /(\d+)–\d+ %/ };
  const elementOf = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
  const plain = (text) => text.normalize("NFC").toLowerCase();
  const within = (form, selector) => {
    const book = CSS.escape(form.dataset.acdlBook);
    return [...document.querySelectorAll(`.acdl-playbook[data-acdl-book="${book}"] ${selector}`)];
  };

  // What can be looked for in each bullet, read once.
  const known = new WeakMap();
  const entryOf = (node, list) => {
    const footer = node.querySelector(":scope > footer");
    const badges = [...footer.querySelectorAll(":scope > i")].map((badge) => badge.textContent);
    const isOut = badges.includes("archived") || badges.includes("proposed");
    return {
      node,
      text: plain(node.textContent),
      section: [list.dataset.section],
      status: isOut ? badges : ["active", ...badges],
      evidence: [footer.querySelector(":scope > b").textContent.replace(/ \d.*/, "")],
      about: [...footer.querySelectorAll(":scope > u")].map((chip) => chip.textContent),
      said: footer.textContent,
      isShown: true,
    };
  };
  const bookOf = (form) => {
    if (!known.has(form)) {
      const lists = within(form, ".acdl-bullets").map((list) => {
        const entries = [...list.children].map((node) => entryOf(node, list));
        const archive = list.closest(".acdl-archive");
        return { list, entries, heading: archive ? null : headingOf(list), archive };
      });
      const choices = [...form.querySelectorAll("select")].filter((each) => each.name !== "sort").map((select) => ({
        name: select.name,
        options: [...select.options].slice(1).map((option) => ({
          option, words: option.textContent.replace(/ \(\d+\)$/, ""),
        })),
      }));
      known.set(form, {
        lists, choices, sort: "", archives: within(form, ".acdl-archive"),
        top: within(form, ".acdl-book-top").flatMap((list) => [list, headingOf(list)]).filter(Boolean),
        all: lists.reduce((sum, { entries }) => sum + entries.length, 0),
      });
    }
    return known.get(form);
  };

  // The heading of a list: right before it, or before the part of the page that begins with it.
  const headingOf = (list) => {
    const isHeading = (node) => (node && /^H[1-6]$/.test(node.tagName) ? node : null);
    const part = list.previousElementSibling ? null : list.closest(".acdl-playbook");
    return isHeading(list.previousElementSibling) || isHeading(part && part.previousElementSibling);
  };

  const stateOf = (query) => {
    const said = new URLSearchParams(query);
    return Object.fromEntries(KEYS.map((name) => [name, said.get(name) || ""]));
  };
  const go = (state, isTyping) => {
    const said = new URLSearchParams(location.search);
    for (const name of KEYS) said.delete(name);
    for (const name of KEYS) if (state[name].trim()) said.set(name, state[name]);
    const query = said.toString();
    const url = `${location.pathname}${query && `?${query}`}`;
    try {
      if (isTyping) history.replaceState(history.state, "", url);
      else if (url !== location.pathname + location.search + location.hash) history.pushState(null, "", url);
    } catch { /* a browser may limit how often this is done */ }
  };

  const setHidden = (node, isHidden) => { if (node && node.hidden !== isHidden) node.hidden = isHidden; };

  // The order of the bullets of each section; without one, that in which they came.
  const numberOf = ({ said }, sort) => {
    const found = sort === "updated" ? said.match(/ changed (\d+)/) || said.match(/ added (\d+)/) : said.match(NUMBERS[sort]);
    return found ? Number(found[1]) : -1;
  };
  const order = (book, sort) => {
    if (book.sort === sort) return;
    book.sort = sort;
    const isKnown = sort in NUMBERS || sort === "updated";
    for (const { list, entries } of book.lists) {
      const numbered = entries.map((entry) => [isKnown ? numberOf(entry, sort) : 0, entry.node]);
      const place = document.createComment("");
      list.replaceWith(place); // bullets of a list that is not in the page move faster
      list.append(...numbered.sort(([a], [b]) => b - a).map(([, node]) => node));
      place.replaceWith(list);
    }
  };

  // One pass: which bullets are shown, and how many each choice would leave with all the others as they are.
  const pass = (book, state) => {
    const words = plain(state.find).split(/\s+/).filter(Boolean);
    const counts = Object.fromEntries(FACETS.map((name) => [name, new Map()]));
    const count = (entry, name) => {
      for (const value of entry[name]) counts[name].set(value, (counts[name].get(value) || 0) + 1);
    };
    let nShown = 0;
    for (const { entries } of book.lists) {
      for (const entry of entries) {
        entry.isShown = false;
        if (!words.every((word) => entry.text.includes(word))) continue;
        let nFailed = 0;
        let failed = "";
        for (const name of FACETS) {
          if (!state[name] || entry[name].includes(state[name])) continue;
          nFailed += 1;
          failed = name;
        }
        if (nFailed > 1) continue;
        if (nFailed) { count(entry, failed); continue; }
        entry.isShown = true;
        nShown += 1;
        for (const name of FACETS) count(entry, name);
      }
    }
    return { nShown, counts };
  };

  const show = (form, state) => {
    const book = bookOf(form);
    const { nShown, counts } = pass(book, state);
    order(book, state.sort);
    for (const { list, entries, heading } of book.lists) {
      for (const { node, isShown } of entries) setHidden(node, !isShown);
      const isEmpty = !entries.some(({ isShown }) => isShown);
      setHidden(list, isEmpty);
      setHidden(heading, isEmpty);
    }
    const isFiltered = ["find", ...FACETS].some((name) => state[name].trim());
    for (const node of book.top) setHidden(node, isFiltered);
    for (const archive of book.archives) {
      const found = book.lists.filter((each) => each.archive === archive).flatMap(({ entries }) => entries);
      const nFound = found.filter(({ isShown }) => isShown).length;
      archive.querySelector("summary").textContent = `Archived (${nFound})`;
      setHidden(archive, !nFound);
      setHidden(headingOf(archive), !nFound);
      if (nFound && nFound === nShown && isFiltered) archive.open = true;
    }
    for (const { name, options } of book.choices) {
      for (const { option, words } of options) {
        const said = `${words} (${counts[name].get(option.value) || 0})`;
        if (option.textContent !== said) option.textContent = said;
      }
    }
    const said = nShown === book.all ? `${book.all} bullets` : `${nShown} of ${book.all} bullets`;
    const count = form.nextElementSibling;
    if (count.textContent !== said) count.textContent = said;
  };

  const setControls = (form, state) => {
    for (const name of KEYS) {
      const control = form.elements[name];
      if (!control) continue;
      if (control.value !== state[name]) control.value = state[name];
      if (control.tagName === "SELECT" && control.selectedIndex < 0) control.selectedIndex = 0;
    }
  };
  const forms = () => document.querySelectorAll(`${FORM}[data-acdl-ready]`);
  const showAll = () => {
    const state = stateOf(location.search);
    for (const form of forms()) {
      setControls(form, state);
      show(form, state);
    }
  };

  // Typing is one step of the way back, however many letters it has.
  let isTyping = false;
  document.addEventListener("input", (event) => {
    const form = elementOf(event, FORM);
    if (!form) return;
    const isText = event.target.name === "find";
    const state = { ...stateOf(location.search), [event.target.name]: event.target.value };
    go(state, isText && isTyping);
    isTyping = isText;
    for (const each of forms()) {
      if (each !== form) setControls(each, state);
      show(each, state);
    }
  });
  document.addEventListener("change", (event) => { if (elementOf(event, FORM)) isTyping = false; });
  document.addEventListener("submit", (event) => { if (elementOf(event, FORM)) event.preventDefault(); });
  document.addEventListener("reset", (event) => {
    if (!elementOf(event, FORM)) return;
    event.preventDefault();
    isTyping = false;
    go(stateOf(""), false);
    showAll();
  });

  // A link to a bullet shows it: what is folded around it is opened, and a filter that hides it is taken back.
  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const target = id && document.getElementById(id);
    if (!target || !target.closest(".acdl-playbook")) return;
    if (target.closest(".acdl-ids") && target.href) { location.replace(target.href); return; }
    let isFolded = false;
    for (let node = target.closest("details"); node; node = node.parentElement.closest("details")) {
      isFolded = isFolded || !node.open;
      node.open = true;
    }
    const article = target.closest("article");
    const isFiltered = Boolean(article && article.hidden);
    if (isFiltered) {
      try { history.replaceState(history.state, "", location.pathname + location.hash); } catch { /* as above */ }
      showAll();
    }
    if (isFolded || isFiltered) (article || target).scrollIntoView();
  };

  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* not allowed, or no secure page: as browsers did it before */ }
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "acdl-hidden";
    document.body.append(area);
    area.select();
    let isDone = false;
    try { isDone = document.execCommand("copy"); } catch { /* nor this */ }
    area.remove();
    return isDone;
  };
  document.addEventListener("click", async (event) => {
    const button = elementOf(event, ".acdl-book-copy");
    if (!button) return;
    const link = button.parentElement.querySelector("a");
    const said = button.closest(".acdl-playbook").querySelector(".acdl-book-said");
    let isDone = false;
    try {
      const answer = await fetch(link.href);
      isDone = answer.ok && await copied((await answer.text()).replace(/\n$/, ""));
    } catch { /* a page that was opened as a file may not read others */ }
    button.focus();
    said.textContent = isDone ? `${link.textContent} copied` : `${link.textContent} could not be copied; open the link instead`;
  });

  const addCopies = () => {
    for (const link of document.querySelectorAll("a[data-acdl-copy]:not([data-acdl-ready])")) {
      link.setAttribute("data-acdl-ready", "");
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "acdl-book-copy", textContent: "Copy" });
      button.setAttribute("aria-label", `Copy as ${link.textContent}`);
      link.after(button);
    }
  };
  const enhanceAll = () => {
    addCopies();
    const fresh = document.querySelectorAll(`${FORM}[hidden]`);
    if (!fresh.length) return;
    for (const form of fresh) {
      form.setAttribute("data-acdl-ready", "");
      form.hidden = false;
      bookOf(form);
    }
    if (KEYS.some((name) => stateOf(location.search)[name])) showAll();
    reveal();
  };
  window.addEventListener("popstate", () => { isTyping = false; showAll(); });
  window.addEventListener("hashchange", reveal);

  const start = () => {
    enhanceAll();
    reveal();
    new MutationObserver(enhanceAll).observe(root, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
