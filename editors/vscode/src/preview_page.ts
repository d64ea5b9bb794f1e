// The page of the preview: its frame, which never changes, and what may run in it. Knows nothing of VS Code.

export interface PageParts {
  /** Where the page may take scripts and styles from. */
  source: string;
  nonce: string;
  styles: readonly string[];
  scripts: readonly string[];
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const button = (name: string, text: string, title: string, more = ""): string =>
  `<button type="button" data-action="${name}" title="${title}"${more}>${text}</button>`;

/** HTML of the panel. The figure comes later, as a message; nothing but our own files and CSSOM styles it. */
export function previewPage({ source, nonce, styles, scripts }: PageParts): string {
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `img-src ${source} data:`,
    `font-src ${source}`,
    `style-src ${source}`,
    `script-src 'nonce-${nonce}' ${source}`,
  ].join("; ");
  const links = styles.map((address) => `<link rel="stylesheet" href="${escape(address)}">`);
  const loaded = scripts.map((address) => `<script nonce="${nonce}" src="${escape(address)}" defer></script>`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ACDL preview</title>
${links.join("\n")}
</head>
<body>
<header role="toolbar" aria-label="Preview">
<label>Spec <select id="spec"><option value="">All</option></select></label>
<label>Compare <select id="against">
<option value="">Off</option><option value="head">With HEAD</option><option value="file">With a file…</option>
</select></label>
<span class="group">
${button("out", "−", "Zoom out (-)")}
<output id="level">100 %</output>
${button("in", "+", "Zoom in (+)")}
${button("fit", "Fit", "Fit the width (0)")}
</span>
<label><input type="checkbox" id="follow" checked> Follow cursor</label>
${button("export", "Export…", "Export the figure")}
<span id="said" role="status"></span>
</header>
<div id="trouble" role="alert" hidden></div>
<main id="stage" tabindex="0" aria-label="Figure"><p class="waiting">Drawing…</p></main>
${loaded.join("\n")}
</body>
</html>
`;
}
