import { type Html, html, renderHtml } from '../http/pages/html.ts';

/** A section of a page of which as many parts are shown as fit. */
export interface Section {
  /** The first of them are shown. */
  readonly parts: readonly Html[];
  /** How many stay, however little room there is. */
  readonly least: number;
  /** What stands before and behind so many of them. */
  readonly around: (shown: number) => { readonly before?: Html; readonly behind?: Html };
}

/** A section that was drawn: its parts with the length of the first of them, and of the first two, and so on. */
interface Drawn extends Section {
  readonly lengths: readonly number[];
}

/**
 * How many parts of each section fit, by adding up lengths: no part is drawn again. Of the first section parts are left out
 * first, from its last one down to its least, then of the second one, and so on.
 * @param room bytes for all of them
 */
export function fitSections(sections: readonly Section[], room: number): readonly number[] {
  const drawn = sections.map(measured);
  let total = drawn.reduce((sum, section) => sum + lengthOf(section, section.parts.length), 0);
  return drawn.map((section) => {
    let shown = section.parts.length;
    while (total > room && shown > section.least) {
      total += lengthOf(section, shown - 1) - lengthOf(section, shown);
      shown -= 1;
    }
    return shown;
  });
}

/** A section with so many of its parts. */
export function drawSection({ parts, around }: Section, shown: number): Html {
  const { before, behind } = around(shown);
  return html`${before}${parts.slice(0, shown)}${behind}`;
}

function measured(section: Section): Drawn {
  let length = 0;
  const lengths = section.parts.map((part) => {
    length += bytesOf(part);
    return length;
  });
  return { ...section, lengths };
}

function lengthOf({ lengths, around }: Drawn, shown: number): number {
  const { before, behind } = around(shown);
  return (lengths[shown - 1] ?? 0) + bytesOf(before) + bytesOf(behind);
}

/** In UTF-8. */
export function bytesOf(markup: Html | undefined): number {
  return markup === undefined ? 0 : Buffer.byteLength(renderHtml(markup));
}
