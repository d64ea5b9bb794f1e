/** Tabs by the ARIA pattern: one stop of the tab key, arrows between them, a panel each. */

export class Tabs {
  private readonly tabs: HTMLElement[];

  constructor(
    private readonly list: HTMLElement,
    private readonly onShow: (name: string) => void = () => undefined,
  ) {
    this.tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
    list.addEventListener("click", (event) => {
      const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
      if (tab) this.show(tab.id);
    });
    list.addEventListener("keydown", (event) => this.press(event));
  }

  get shown(): string {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true")?.id ?? "";
  }

  show(name: string, has_focus = false): void {
    for (const tab of this.tabs) {
      const isShown = tab.id === name;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      if (isShown && has_focus) tab.focus();
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      if (panel?.getAttribute("role") === "tabpanel") panel.hidden = !isShown;
    }
    this.onShow(name);
  }

  private press(event: KeyboardEvent): void {
    const at = this.tabs.findIndex((tab) => tab.id === this.shown);
    const last = this.tabs.length - 1;
    const isMirrored = getComputedStyle(this.list).direction === "rtl";
    const steps: Record<string, number> = {
      ArrowRight: isMirrored ? at - 1 : at + 1,
      ArrowLeft: isMirrored ? at + 1 : at - 1,
      Home: 0,
      End: last,
    };
    const wanted = steps[event.key];
    if (wanted === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const tab = this.tabs[wanted < 0 ? last : wanted > last ? 0 : wanted];
    if (tab) this.show(tab.id, true);
  }
}
