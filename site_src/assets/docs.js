// A table or a row of tabs that is wider than its column scrolls; so that the keyboard can do that too, it is a stop of the
// tab key. On a phone a table has its rows as lists where it would scroll, or have a column of single words.
const phone = matchMedia("(max-width: 45em)");
const WIDE = ".md-typeset__scrollwrap, .tabbed-labels";
const reachable = new ResizeObserver((entries) => {
  const targets = new Set(entries.map((entry) => entry.target.closest(WIDE)));
  targets.delete(null); // a table that was taken out of its frame
  for (const target of targets) {
    if (phone.matches && isCramped(target)) showAsLists(target);
    if (target.scrollWidth <= target.clientWidth) {
      for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
    } else {
      target.tabIndex = 0;
      target.setAttribute("role", "group");
      target.setAttribute("aria-label", target.matches(".tabbed-labels") ? "Tabs" : "Table");
    }
  }
});
const isCramped = (target) =>
  target.querySelector("thead") &&
  (target.scrollWidth > target.clientWidth ||
    [...target.querySelectorAll("td")].some((cell) => cell.offsetHeight > 2 * cell.offsetWidth));
const showAsLists = (target) => {
  const heads = [...target.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  for (const cell of target.querySelectorAll("tbody td")) cell.dataset.head = heads[cell.cellIndex];
  target.classList.add("as-lists");
};
document$.subscribe(() => {
  for (const wide of document.querySelectorAll(WIDE)) {
    for (const each of [wide, ...wide.children]) reachable.observe(each); // what is inside grows when fonts have come
  }
});

// The list of rules has a field that leaves the rules with all its words; without scripts the list is complete.
document$.subscribe(() => {
  const groups = [...document.querySelectorAll(".acdl-catalogue")];
  if (!groups.length || document.querySelector(".rule-filter")) return;
  const rows = groups.flatMap((group) => [...group.querySelectorAll("tbody tr")]);
  const filter = document.createElement("p");
  filter.className = "rule-filter";
  filter.innerHTML = '<label>Filter <input type="search" autocomplete="off" spellcheck="false"></label> <output></output>';
  const [field, count] = filter.querySelectorAll("input, output");
  const update = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    for (const group of groups) {
      group.hidden = group.previousElementSibling.hidden = !group.querySelector("tbody tr:not([hidden])");
    }
    const n_left = rows.filter((row) => !row.hidden).length;
    count.textContent = n_left === rows.length ? `${n_left} rules` : `${n_left} of ${rows.length} rules`;
  };
  field.addEventListener("input", update);
  groups[0].previousElementSibling.before(filter);
  update();
});

// Figures of the home page are edited in place: the playground opens where the figure is, once its engine has loaded.

document.addEventListener("click", (event) => {
  const link = event.target.closest(".md-content__inner:has(.hero) .acdl-open");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.hasAttribute("aria-busy")) return;
  event.preventDefault();
  const figure = link.closest("figure");
  const words = link.textContent;
  const frame = Object.assign(document.createElement("iframe"), { src: link.href, title: "Playground", className: "edit-frame" });
  const back = Object.assign(document.createElement("button"), { type: "button", textContent: "Back to the figure" });
  const place = document.createElement("div");
  place.className = "edit-here edit-loading";
  place.append(back, frame);
  figure.after(place);
  link.setAttribute("aria-busy", "true");
  link.textContent = "Loading the editor …";

  const stop = () => {
    link.removeAttribute("aria-busy");
    link.textContent = words;
    figure.hidden = false;
    place.remove();
    link.focus();
  };
  const show = () => {
    figure.hidden = true;
    place.classList.remove("edit-loading");
    back.focus({ preventScroll: true });
  };
  back.addEventListener("click", stop);
  frame.addEventListener("error", stop);
  frame.addEventListener("load", () => {
    const engine = frame.contentDocument && frame.contentDocument.getElementById("engine");
    if (!engine) {
      location.assign(link.href); // the page that came is not the playground
      return;
    }
    frame.contentDocument.getElementById("home").target = "_top";
    const look = () => /^(Ready|No engine)/.test(engine.textContent) && (watch.disconnect(), show());
    const watch = new MutationObserver(look);
    watch.observe(engine, { childList: true, characterData: true, subtree: true });
    look();
  });
});
