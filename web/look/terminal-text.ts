import { type Html, html } from '../../api/http/pages/html.ts';
import { printableText } from '../../domain/logs/printable-text.ts';

/** Changes of style that are followed in one line; a line that has more is not meant to be read. */
const MOST_CHANGES = 100;
/** Codes of one change that are read: nothing that is meant to be read has more. */
const MOST_CODES = 24;
/** Places of one line that are marked: each is markup, of which a long line would have megabytes. */
const MOST_MARKS = 100;
/** "Select graphic rendition" (ECMA-48, 8.3.117): `ESC [ 1 ; 31 m`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const STYLE_COMMAND = /\u001b\[([\d;:]*)m/g;

interface Style {
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly inverse: boolean;
  /** Of 16; null for that of the page. */
  readonly colour: number | null;
  readonly ground: number | null;
}

const PLAIN: Style = {
  ...{ bold: false, dim: false, italic: false, underline: false, strike: false, inverse: false },
  ...{ colour: null, ground: null },
};

/** A part of a line in one style. */
export interface TerminalPart {
  readonly text: string;
  /** Classes of the stylesheet, which has no others; empty for plain text. */
  readonly classes: string;
}

/**
 * A line of terminal output in parts: colours and weights as classes, because pages allow no inline style. What a terminal
 * would obey besides (cursor, title, links) is taken out, with controls and changes of direction.
 */
export function terminalParts(line: string): readonly TerminalPart[] {
  const parts: { text: string; classes: string }[] = [];
  let style = PLAIN;
  let from = 0;
  const take = (to: number): void => {
    const text = printableText(line.slice(from, to));
    const classes = classesOf(style);
    const last = parts.at(-1);
    if (text === '') return;
    if (last !== undefined && last.classes === classes) last.text += text;
    else parts.push({ text, classes });
  };
  let changes = 0;
  for (const match of line.matchAll(STYLE_COMMAND)) {
    take(match.index);
    from = match.index + match[0].length;
    style = styleAfter(style, match[1] ?? '');
    changes += 1;
    // What follows is one part: the work on a line does not grow with what somebody prints.
    if (changes === MOST_CHANGES) break;
  }
  take(line.length);
  return parts;
}

/** A line as markup, with what was searched for marked. @param found empty marks nothing */
export function terminalText(line: string, found = ''): Html {
  const parts = terminalParts(line);
  const marks = marksIn(parts.map(({ text }) => text).join(''), found);
  let at = 0;
  return html`${parts.map(({ text, classes }) => {
    const pieces = cut(text, at, marks).map(({ piece, isMarked }) => (isMarked ? html`<mark>${piece}</mark>` : piece));
    at += text.length;
    return classes === '' ? pieces : html`<span class="${classes}">${pieces}</span>`;
  })}`;
}

type Range = readonly [start: number, end: number];

/** Where a text stands in another one, in upper or lower case. */
function marksIn(text: string, found: string): readonly Range[] {
  const [lower, wanted] = [text.toLowerCase(), found.toLowerCase()];
  // A few letters have another length in lower case: places would not fit.
  if (wanted === '' || lower.length !== text.length) return [];
  const marks: Range[] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    marks.push([at, at + wanted.length]);
    if (marks.length === MOST_MARKS) break;
  }
  return marks;
}

/** A text that stands at a place of its line, cut where marks begin and end. */
function cut(text: string, at: number, marks: readonly Range[]) {
  const pieces: { readonly piece: string; readonly isMarked: boolean }[] = [];
  let from = 0;
  const push = (to: number, isMarked: boolean): void => {
    if (to > from) pieces.push({ piece: text.slice(from, to), isMarked });
    from = Math.max(from, to);
  };
  for (const [start, end] of marks) {
    if (end <= at || start >= at + text.length) continue;
    push(Math.max(0, start - at), false);
    push(Math.min(text.length, end - at), true);
  }
  push(text.length, false);
  return pieces;
}

function classesOf(style: Style): string {
  const { colour, ground, inverse } = style;
  const names = [
    style.bold && 't-bold',
    style.dim && colour === null && 't-dim',
    style.italic && 't-italic',
    style.underline && 't-underline',
    style.strike && 't-strike',
    // The ground brings a colour that can be read on it.
    ground !== null ? `t-on-${ground % 8}` : inverse ? 't-inverse' : colour !== null && `t-${colour % 8}`,
  ];
  return names.filter((name) => name !== false).join(' ');
}

const SWITCHES: Readonly<Record<number, Partial<Style>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { colour: null },
  49: { ground: null },
};

function styleAfter(before: Style, command: string): Style {
  const codes = command.split(/[;:]/, MOST_CODES).map((code) => (code === '' ? 0 : Number(code)));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes.slice(at + 1));
      at += length;
      if (colour !== null) style = { ...style, [code === 38 ? 'colour' : 'ground']: colour };
      continue;
    }
    style = { ...style, ...(SWITCHES[code] ?? basicColour(code)) };
  }
  return style;
}

function basicColour(code: number): Partial<Style> {
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 90 + 8 };
  if (code >= 40 && code <= 47) return { ground: code - 40 };
  if (code >= 100 && code <= 107) return { ground: code - 100 + 8 };
  return {};
}

/** `5;n` or `2;r;g;b` after 38 or 48: the nearest of the 16, and how many codes it took. */
function extendedColour(codes: readonly number[]): { readonly colour: number | null; readonly length: number } {
  const [kind, first, second, third] = codes;
  if (kind === 5 && first !== undefined) return { colour: ofPalette(first), length: 2 };
  if (kind === 2 && first !== undefined && second !== undefined && third !== undefined) {
    return { colour: nearest(first, second, third), length: 4 };
  }
  return { colour: null, length: codes.length };
}

/** Of the 256: 16 basic ones, a cube of 6 × 6 × 6, and 24 greys. */
function ofPalette(index: number): number | null {
  if (index > 255) return null;
  if (index < 16) return index;
  if (index >= 232) return index < 244 ? 8 : 7;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Each channel that is more than half of the strongest counts: orange becomes yellow, pink magenta. */
function nearest(red: number, green: number, blue: number): number | null {
  const strongest = Math.max(red, green, blue);
  const weakest = Math.min(red, green, blue);
  if (strongest > 255) return null;
  if (strongest < 48) return 0;
  if (strongest - weakest < 32) return strongest < 160 ? 8 : 7;
  const isOn = (channel: number): boolean => channel - weakest > (strongest - weakest) * 0.5;
  return (isOn(red) ? 1 : 0) + (isOn(green) ? 2 : 0) + (isOn(blue) ? 4 : 0);
}
