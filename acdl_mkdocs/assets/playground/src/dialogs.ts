/** The dialog of links, and what all dialogs have in common. */

import { byId } from "./dom";
import { encode, type Shared } from "./share";

const LONG = 8000; // some programs cut links that are longer

export function closing(dialog: HTMLDialogElement): HTMLDialogElement {
  dialog.addEventListener("click", (event) => {
    const isOutside = event.target === dialog;
    if (isOutside || (event.target as Element).closest("[data-close]")) dialog.close();
  });
  return dialog;
}

export async function copied(words: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return false; // no permission, or a page without encryption
  }
}

/** Gives what opens the dialog. */
export function sharing(given: () => Shared, onSave: () => void): () => Promise<void> {
  const dialog = closing(byId<HTMLDialogElement>("share-dialog"));
  const link = byId<HTMLInputElement>("link");
  const withState = byId<HTMLInputElement>("with-state");
  const said = byId("share-said");

  const make = async (): Promise<void> => {
    const { state = "", ...others } = given();
    withState.closest("p")!.hidden = !state;
    const code = await encode(withState.checked ? { ...others, state } : others);
    const address = new URL(location.href);
    address.hash = `code=${code}`;
    link.value = address.href;
    history.replaceState(history.state, "", address);
    const { length } = address.href;
    const isLong = length > LONG;
    byId("link-length").textContent = isLong
      ? `The link has ${length} characters. Some programs cut off links of this length; a file is safer.`
      : `The link has ${length} characters.`;
    byId("link-length").classList.toggle("warned", isLong);
    byId("save-instead").hidden = !isLong;
    said.textContent = "";
  };

  withState.addEventListener("change", () => void make());
  byId("save-instead").addEventListener("click", onSave);
  byId("copy-link").addEventListener("click", async () => {
    said.textContent = "";
    if (await copied(link.value)) said.textContent = "Link copied";
    else {
      link.select();
      said.textContent = "Press Ctrl+C to copy the link";
    }
  });
  return async () => {
    await make();
    dialog.showModal();
    link.select();
  };
}
