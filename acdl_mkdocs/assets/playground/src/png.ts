/** A picture of a figure, drawn by the browser in the fonts that our other pictures have. */

const FACES = [
  { file: "JetBrainsMono-Regular.ttf", weight: "400", style: "normal" },
  { file: "JetBrainsMono-Bold.ttf", weight: "700", style: "normal" },
  { file: "JetBrainsMono-Italic.ttf", weight: "400", style: "italic" },
];
const SCALE = 2;
const MOST_PX = 16_384; // what browsers allow of a side

async function asAddress(address: URL): Promise<string> {
  const response = await fetch(address).catch(() => null);
  if (!response?.ok) throw new Error("the fonts of the picture cannot be fetched now: take the SVG, or try again with a network");
  const bytes = new Uint8Array(await response.arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:font/ttf;base64,${btoa(binary)}`;
}

/** Fonts of the page do not reach into a picture: they go into the drawing. */
async function withFonts(svg: string, assets: URL): Promise<string> {
  const faces = await Promise.all(FACES.map(async ({ file, weight, style }) => {
    const source = await asAddress(new URL(`fonts/${file}`, assets));
    return `@font-face{font-family:"JetBrains Mono";font-weight:${weight};font-style:${style};src:url(${source})}`;
  }));
  return svg.replace(/<svg[^>]*>/, (tag) => `${tag}<style>${faces.join("")}</style>`);
}

/** Raises an `Error` for people where the browser cannot. */
export async function png(svg: string, assets: URL, ground: string): Promise<Blob> {
  const drawing = await withFonts(svg, assets);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const scale = Math.min(SCALE, MOST_PX / image.naturalWidth, MOST_PX / image.naturalHeight);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    const pen = canvas.getContext("2d");
    if (!pen) throw new Error("this browser cannot draw pictures: take the SVG");
    pen.fillStyle = ground;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the figure is too large for a picture: take the SVG"))));
    });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
