// A table that is wider than its column scrolls; so that the keyboard can do that too, it is a stop of the tab key.
const reachable = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth <= target.clientWidth) {
      for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
    } else {
      target.tabIndex = 0;
      target.setAttribute("role", "group");
      target.setAttribute("aria-label", "Table");
    }
  }
});
document$.subscribe(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) reachable.observe(table);
});
