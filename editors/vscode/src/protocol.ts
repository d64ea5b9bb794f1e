// What the language server is asked beyond the protocol: names and JSON of its own requests.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

interface OfDocument {
  textDocument: { uri: string };
  spec?: string;
}

export type Against = { revision: string } | { uri: string } | { text: string; name?: string };

export interface PreviewParams extends OfDocument {
  against?: Against;
  at?: string;
  state?: string;
}

export interface Preview {
  version: number | null;
  title: string;
  specs: { name: string; kind: string; range: Range }[];
  /** The body of a page: classes only, no scripts and no styles. */
  html: string;
  /** Every `data-acdl` of the HTML, and the place in the document that it stands for. */
  ranges: Record<string, Range>;
  hasState: boolean;
  points: string[];
  isEqual?: boolean | null;
  problems: { errors: number; warnings: number };
}

export type ExportFormat = "svg" | "png" | "pdf" | "text" | "json" | "html";

export interface ExportParams extends OfDocument {
  format: ExportFormat;
  theme?: "auto" | "light" | "dark";
  width?: number;
  scale?: number;
}

export interface Exported {
  name: string;
  mime: string;
  encoding: "utf-8" | "base64";
  data: string;
}

export interface EvaluateParams extends OfDocument {
  at?: string;
  state?: string;
  format?: string;
}

export interface Evaluated {
  at: string;
  points: string[];
  state: string | null;
  text: string;
  language: string;
  problems: { severity: string; message: string; range?: Range | null }[];
}

export interface FenceParams {
  uri: string;
  /** The opening line, from its backticks on. */
  header: string;
  text: string;
  line?: number;
}

export interface DrawnFence {
  html: string;
}

export interface InferParams {
  recordings: string[];
}

export interface Inferred {
  text: string;
  states: { spec: string; text: string }[];
  isProven: boolean;
  notes: string[];
}

export const PREVIEW = "acdl/preview";
export const EXPORT = "acdl/export";
export const EVALUATE = "acdl/evaluate";
export const FENCE = "acdl/fence";
export const INFER = "acdl/infer";
/** The server says this when the problems of an open document are other than before: `{uri, version}`. */
export const CHANGED = "acdl/changed";
/** The server says this when it has checked all files. */
export const CHECKED = "acdl/checked";
