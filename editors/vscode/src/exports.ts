// The formats a figure is exported to, and what is shown of what a spec sends. Knows nothing of VS Code.

import type { Exported, ExportFormat } from "./protocol";

export const FORMATS: readonly { format: ExportFormat; label: string; extension: string }[] = [
  { format: "svg", label: "SVG: a drawing for pages and slides", extension: "svg" },
  { format: "png", label: "PNG: a picture", extension: "png" },
  { format: "pdf", label: "PDF: for papers", extension: "pdf" },
  { format: "text", label: "Text: indented lines", extension: "txt" },
  { format: "json", label: "JSON: the tree of boxes", extension: "json" },
  { format: "html", label: "HTML: lists, for readers and search", extension: "html" },
];

export const SHOWN: readonly { format: string; label: string }[] = [
  { format: "transcript", label: "Messages" },
  { format: "json", label: "Messages as JSON" },
  { format: "openai", label: "Request of OpenAI (chat completions)" },
  { format: "responses", label: "Request of OpenAI (responses)" },
  { format: "anthropic", label: "Request of Anthropic" },
  { format: "gemini", label: "Request of Gemini" },
  { format: "pml", label: "PML" },
];

export function bytesOf({ encoding, data }: Pick<Exported, "encoding" | "data">): Uint8Array {
  return new Uint8Array(Buffer.from(data, encoding === "base64" ? "base64" : "utf-8"));
}
