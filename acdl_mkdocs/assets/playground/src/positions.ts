/** Code points, in which the engine's figures count, as the UTF-16 units of JavaScript. Nothing else counts the first. */

export class CodePoints {
  /** Code points before each letter that takes two units. */
  private readonly wide: number[] = [];

  constructor(text: string) {
    for (const found of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) this.wide.push(found.index - this.wide.length);
  }

  units(offset: number): number {
    let low = 0;
    let high = this.wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.wide[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  }

  /** Where in the text the part of a figure or message comes from. */
  placeOf(part: Element): { from: number; to: number } | null {
    const [start, end] = (part.getAttribute("data-acdl") ?? "").split("-").map(Number);
    return start === undefined || end === undefined ? null : { from: this.units(start), to: this.units(end) };
  }
}
