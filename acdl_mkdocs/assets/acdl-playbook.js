// Pages of playbooks: a filter by words, section, status, evidence, spec, origin and date, an order, copies of the files,
// and the difference of any two revisions. Its state is in the query of the address (`?find=...&section=...&sort=...`),
// so that it can be linked, and the way back leads through it. Pages are complete without it. Everything hangs on events
// of the document; playbooks that come later, as by instant navigation, are noticed.
(() => {
  "use strict";
  const root = document.documentElement;
  if (root.hasAttribute("data-acdl-playbook-script")) return; // loaded twice, by the plugin and by hand
  root.setAttribute("data-acdl-playbook-script", "");

  const FORM = ".acdl-book-filter";
  const ORIGIN = ["run", "model", "who"]; // bullets have the places of their values among the choices
  const FACETS = ["section", "status", "evidence", "about", ...ORIGIN];
  const RANGES = { from: /^\d{4}-\d\d-\d\d$/, until: /^\d{4}-\d\d-\d\d$/, since: /^\d{1,9}$/ };
  const KEYS = ["find", ...FACETS, ...Object.keys(RANGES), "sort"];
  const NUMBERS = { helpful: /▲ (\d+)/, harmful: /▼ (\d+)/, seen: / seen (\d+)/, evidence: /(\d+)–\d+ %/ };
  const elementOf = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);
  const plain = (text) => text.normalize("NFC").toLowerCase();
  const within = (form, selector) => {
    const book = CSS.escape(form.dataset.acdlBook);
    return [...document.querySelectorAll(`.acdl-playbook[data-acdl-book="${book}"] ${selector}`)];
  };

  // What can be looked for in each bullet, read once.
  const known = new WeakMap();
  const originOf = (node, { choices, days }) => {
    const [changed, ...codes] = (node.dataset.of || "").split(" ");
    const origin = Object.fromEntries(ORIGIN.map((name) => [name, []]));
    for (const code of codes) {
      const [, name, place] = code.match(/^([a-z]+)(\d+)$/) || [];
      const choice = choices.find((each) => each.name === name);
      if (choice) origin[name].push(choice.options[place].option.value);
    }
    const last = days.filter(([first]) => first <= Number(changed)).pop();
    return { ...origin, changed: Number(changed), day: last ? last[1] : "" };
  };
  const entryOf = (node, list, form) => {
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
      ...originOf(node, form),
    };
  };
  const bookOf = (form) => {
    if (!known.has(form)) {
      const choices = [...form.querySelectorAll("select")].filter((each) => each.name !== "sort").map((select) => ({
        name: select.name,
        options: [...select.options].slice(1).map((option) => ({
          option, words: option.textContent.replace(/ \(\d+\)$/, ""),
        })),
      }));
      const days = [...(form.dataset.days || "").matchAll(/(\d+) (\S+)/g)].map(([, first, day]) => [Number(first), day]);
      const lists = within(form, ".acdl-bullets").map((list) => {
        const entries = [...list.children].map((node) => entryOf(node, list, { choices, days }));
        const archive = list.closest(".acdl-archive");
        return { list, entries, heading: archive ? null : headingOf(list), archive };
      });
      known.set(form, {
        lists, choices, days, sort: "", archives: within(form, ".acdl-archive"),
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

  // What of a state filters a book: who says bullets and when are not asked where a page knows nothing of it.
  const rangesOf = (book, state) => Object.fromEntries(Object.entries(RANGES).map(
    ([name, form]) => [name, book.days.length && form.test(state[name]) ? state[name] : ""],
  ));
  const facetsIn = (book, state) => FACETS.filter((name) => state[name]
    && (!ORIGIN.includes(name) || book.choices.some((choice) => choice.name === name)));

  // One pass: which bullets are shown, and how many each choice would leave with all the others as they are.
  const pass = (book, state) => {
    const words = plain(state.find).split(/\s+/).filter(Boolean);
    const { from, until, since } = rangesOf(book, state);
    const used = facetsIn(book, state);
    const counts = Object.fromEntries(FACETS.map((name) => [name, new Map()]));
    const count = (entry, name) => {
      for (const value of entry[name]) counts[name].set(value, (counts[name].get(value) || 0) + 1);
    };
    let nShown = 0;
    for (const { entries } of book.lists) {
      for (const entry of entries) {
        entry.isShown = false;
        if (from && entry.day < from || until && (!entry.day || entry.day > until)) continue;
        if (since && entry.changed <= Number(since)) continue;
        if (!words.every((word) => entry.text.includes(word))) continue;
        let nFailed = 0;
        let failed = "";
        for (const name of used) {
          if (entry[name].includes(state[name])) continue;
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
    const isFiltered = Boolean(state.find.trim() || facetsIn(book, state).length
      || Object.values(rangesOf(book, state)).some(Boolean));
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

  // What is new leads to all of it.
  document.addEventListener("click", (event) => {
    const button = elementOf(event, ".acdl-book-show");
    if (!button) return;
    go({ ...stateOf(""), from: button.dataset.from }, false);
    showAll();
    const form = within({ dataset: button.closest("[data-acdl-book]").dataset }, FORM)[0];
    if (form) form.scrollIntoView();
  });

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

  // Two revisions of a history: a file has what each revision changed. It is read when somebody asks, replayed up to both
  // revisions, and what differs is grouped as `acdl playbook diff` does.
  const COMPARE = ".acdl-compare";
  const KINDS = ["playbook", "section", "bullet", "pair"];
  const GROUPS = ["added", "changed", "archived", "removed", "merged", "counters", "other"];
  const COUNTERS = ["helpful", "harmful", "neutral", "seen"];
  const DEFAULTS = { pinned: false, publish: true, send: true, severity: "normal", status: "active" };
  const UNTOLD = ["content", "updated", "added", "id", ...COUNTERS];
  const MOST_COMPARED = 100, MOST_CELLS = 1e6, DAYS = 7;
  const canonical = (value) => JSON.stringify(value, (_, each) => (each && typeof each === "object" && !Array.isArray(each)
    ? Object.fromEntries(Object.keys(each).sort().map((name) => [name, each[name]])) : each));
  const isSame = (one, two) => one === two || canonical(one) === canonical(two);

  const patched = (part, patch) => {
    const found = { ...part };
    for (const [name, value] of Object.entries(patch)) {
      if (value === null) delete found[name];
      else found[name] = value;
    }
    return found;
  };
  const stateAt = ({ revisions }, number) => {
    const state = new Map();
    for (const [revision, , , patches, counts] of revisions) {
      if (revision > number) break;
      for (const [place, patch] of patches) {
        if (patch === 0) state.delete(place);
        else state.set(place, patched(state.get(place), patch));
      }
      for (const [more, ...runs] of counts) {
        for (let at = 0; at < runs.length; at += 2) {
          for (let place = runs[at]; place < runs[at] + runs[at + 1]; place += 1) {
            const part = state.get(place);
            state.set(place, patched(part, { seen: (part.seen || 0) + more || null }));
          }
        }
      }
    }
    return state;
  };
  const groupOf = ({ kind, id, was, now, fields }, names) => {
    if (kind !== "bullet") return "other";
    if (!now) return names.has(id) ? "merged" : "removed";
    if (!was) return "added";
    if (fields.includes("aliases")) return "merged";
    const [before, after] = [was, now].map((each) => each.status || "active");
    if (before === "active" && after !== "active") return "archived";
    return fields.every((name) => COUNTERS.includes(name)) ? "counters" : "changed";
  };
  const differencesOf = (data, from, to) => {
    const [before, after] = [from, to].map((number) => stateAt(data, number));
    const names = new Set([...after].flatMap(([place, { aliases }]) => (
      data.parts[place][0] === "bullet" ? [data.parts[place][1], ...(aliases || [])] : []
    )));
    const found = [...new Set([...before.keys(), ...after.keys()])].map((place) => {
      const [was, now] = [before.get(place), after.get(place)];
      const [kind, id] = data.parts[place];
      const fields = Object.keys({ ...was, ...now }).filter((name) => !isSame((was || {})[name], (now || {})[name]));
      const told = fields.filter((name) => name !== "updated");
      return { kind, id, was, now, fields: told, isSame: was && now && !fields.length };
    });
    return found.filter((each) => !each.isSame)
      .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.id < b.id ? -1 : Number(a.id > b.id)))
      .map((each) => ({ ...each, group: groupOf(each, names) }));
  };

  const made = (name, ...inside) => {
    const node = document.createElement(name);
    node.append(...inside);
    return node;
  };
  // The words of two texts, with `<del>` and `<ins>` around what only one has.
  const wordDiff = (before, after) => {
    const [old, fresh] = [before, after].map((text) => text.match(/https?:\/\/\S*[\p{L}\p{N}_]|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || []);
    if (old.length * fresh.length > MOST_CELLS) return [made("del", before), " ", made("ins", after)];
    const rows = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
    for (let i = old.length - 1; i >= 0; i -= 1) {
      for (let j = fresh.length - 1; j >= 0; j -= 1) {
        rows[i][j] = old[i] === fresh[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
      }
    }
    const parts = []; // what stays has `kept`, what changes has `del` and `ins`
    const add = (name, word) => {
      const last = parts[parts.length - 1];
      if (last && ("kept" in last) === (name === "kept")) last[name] += word;
      else parts.push(name === "kept" ? { kept: word } : { del: "", ins: "", [name]: word });
    };
    let i = 0, j = 0;
    while (i < old.length || j < fresh.length) {
      if (i < old.length && j < fresh.length && old[i] === fresh[j]) { add("kept", old[i]); i += 1; j += 1; }
      else if (j >= fresh.length || (i < old.length && rows[i + 1][j] >= rows[i][j + 1])) { add("del", old[i]); i += 1; }
      else { add("ins", fresh[j]); j += 1; }
    }
    // Blanks and signs that stay between two changes belong to them.
    const joined = [];
    parts.forEach((part, at) => {
      const isBetween = "kept" in part && at > 0 && at < parts.length - 1 && !/[\p{L}\p{N}_]/u.test(part.kept);
      const both = isBetween ? { del: part.kept, ins: part.kept } : part;
      const last = joined[joined.length - 1];
      if (last && "del" in last && "del" in both) { last.del += both.del; last.ins += both.ins; }
      else joined.push({ ...both });
    });
    return joined.flatMap(({ kept, del, ins }) => (
      kept === undefined ? [del && made("del", del), del && ins && " ", ins && made("ins", ins)].filter(Boolean) : [kept]
    ));
  };
  const words = (value) => {
    if (value === undefined || value === null) return "none";
    if (typeof value === "boolean") return value ? "yes" : "no";
    return typeof value === "object" ? canonical(value) : String(value);
  };
  const entryNode = ({ kind, id, was, now, fields, group }, home) => {
    const item = made("li");
    const title = kind === "bullet" ? made("a", id) : made("span", `${kind} ${id}`.trim());
    if (kind === "bullet") title.href = `${home}#${encodeURIComponent(id)}`;
    const text = (part) => (part && (part.content || part.title || part.why || part.verdict || part.name)) || "";
    const isRewritten = was && now && text(was) !== text(now);
    item.append(title, " ", ...(isRewritten ? wordDiff(text(was), text(now)) : [text(now || was)]));
    if (!was || !now) return item;
    for (const name of fields) {
      if (COUNTERS.includes(name)) item.append(` · ${name} ${was[name] || 0} → ${now[name] || 0}`);
      else if (!UNTOLD.includes(name) && !(text(was) === was[name] && isRewritten)) {
        const [before, after] = [was, now].map((part) => words(name in part || kind !== "bullet" ? part[name] : DEFAULTS[name]));
        const wanted = group === "archived" && name === "reason" ? after : `${before} → ${after}`;
        item.append(` · ${name.replace(/_/g, " ")}: ${wanted}`);
      }
    }
    return item;
  };
  const groupNodes = (name, entries, home) => {
    const list = made("ul", ...entries.slice(0, MOST_COMPARED).map((each) => entryNode(each, home)));
    if (entries.length > MOST_COMPARED) list.append(made("li", `and ${entries.length - MOST_COMPARED} more`));
    return [made("h3", `${name[0].toUpperCase()}${name.slice(1)} (${entries.length})`), list];
  };
  const summaryOf = (found, data, from, to) => {
    const named = (number) => {
      const day = (data.revisions.find(([each]) => each === number) || [])[1].slice(0, 10);
      return `revision ${number}${day ? ` (${day})` : ""}`;
    };
    const counts = GROUPS.map((group) => [found.filter((each) => each.group === group).length, group]).filter(([n]) => n);
    const both = found.filter(({ kind, was, now }) => kind === "bullet" && was && now);
    const moved = COUNTERS.map((name) => [name, both.reduce((n, { was, now }) => n + (now[name] || 0) - (was[name] || 0), 0)]);
    const said = [...counts.map(([n, group]) => `${n} ${group === "counters" ? "only counted" : group}`), ...moved.filter(([, n]) => n)
      .map(([name, n]) => `${n > 0 ? "+" : "−"}${Math.abs(n)} ${name}`)].join(", ");
    return `From ${named(from)} to ${named(to)}: ${said || "no difference"}.`;
  };

  const histories = new WeakMap();
  const historyOf = (part) => {
    if (!histories.has(part)) {
      histories.set(part, fetch(part.dataset.acdlData).then((answer) => {
        if (!answer.ok) throw new Error(answer.statusText);
        return answer.json();
      }));
    }
    return histories.get(part);
  };
  const setChoices = (form, { revisions }) => {
    if (form.elements.from.options.length) return;
    for (const name of ["from", "to"]) {
      const told = ([number, time, actor]) => [number, time.slice(0, 10), actor].filter((each) => each !== "").join(" · ");
      form.elements[name].append(...[...revisions].reverse().map((each) => new Option(told(each), each[0])));
    }
  };
  const endsOf = ({ revisions }) => {
    const said = new URLSearchParams(location.search);
    const wanted = (name) => revisions.find(([number]) => String(number) === said.get(name));
    const newest = revisions[revisions.length - 1];
    const week = new Date(newest[1]).getTime() - DAYS * 864e5;
    const before = revisions.filter(([, time]) => time && new Date(time.slice(0, 10)).getTime() < week).pop();
    return [wanted("from") || before || revisions[0], wanted("to") || newest].map(([number]) => number);
  };
  const showCompared = async (part) => {
    const said = part.querySelector(".acdl-compare-said");
    const place = part.querySelector(".acdl-compared");
    const form = part.querySelector("form");
    try {
      const data = await historyOf(part);
      const [from, to] = endsOf(data);
      setChoices(form, data);
      form.elements.from.value = from;
      form.elements.to.value = to;
      const found = differencesOf(data, from, to);
      const groups = GROUPS.map((group) => [group, found.filter((each) => each.group === group)]).filter(([, each]) => each.length);
      place.replaceChildren(...groups.flatMap(([name, each]) => groupNodes(name, each, part.dataset.acdlHome)));
      said.textContent = summaryOf(found, data, from, to);
    } catch {
      said.textContent = "The history could not be read; the command below shows the same.";
    }
  };
  const choose = (part, from, to) => {
    const query = new URLSearchParams(location.search);
    query.set("from", from);
    query.set("to", to);
    try { history.pushState(null, "", `${location.pathname}?${query}`); } catch { /* as above */ }
    showCompared(part);
  };
  document.addEventListener("toggle", (event) => {
    if (event.target instanceof Element && event.target.matches(`${COMPARE}[open]`)) showCompared(event.target);
  }, true);
  document.addEventListener("change", (event) => {
    const part = elementOf(event, COMPARE);
    if (part) choose(part, event.target.form.elements.from.value, event.target.form.elements.to.value);
  });
  document.addEventListener("click", (event) => {
    const button = elementOf(event, `${COMPARE} button`);
    if (button) choose(button.closest(COMPARE), button.form.elements.to.value, button.form.elements.from.value);
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
    for (const part of document.querySelectorAll(`${COMPARE}[hidden]`)) {
      part.hidden = false;
      if (new URLSearchParams(location.search).has("to")) part.open = true;
    }
    const fresh = document.querySelectorAll(`${FORM}[hidden]`);
    if (!fresh.length) return;
    for (const form of fresh) {
      form.setAttribute("data-acdl-ready", "");
      form.hidden = false;
      bookOf(form);
      for (const button of within(form, ".acdl-book-show[hidden]")) button.hidden = false;
    }
    if (KEYS.some((name) => stateOf(location.search)[name])) showAll();
    reveal();
  };
  window.addEventListener("popstate", () => {
    isTyping = false;
    showAll();
    for (const part of document.querySelectorAll(`${COMPARE}[open]`)) showCompared(part);
  });
  window.addEventListener("hashchange", reveal);

  const start = () => {
    enhanceAll();
    reveal();
    new MutationObserver(enhanceAll).observe(root, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
