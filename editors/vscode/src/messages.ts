// What the preview's page and the extension tell each other.

import type { Preview } from "./protocol";

export type ToPage =
  | { type: "show"; preview: Pick<Preview, "html" | "specs" | "points" | "isEqual" | "problems">; spec: string; against: string }
  | { type: "light"; part: string | undefined }
  | { type: "trouble"; message: string };

export type ToExtension =
  | { type: "ready" }
  | { type: "reveal"; part: string }
  | { type: "spec"; name: string }
  | { type: "against"; kind: "" | "head" | "file" }
  | { type: "follow"; isOn: boolean }
  | { type: "export" };
