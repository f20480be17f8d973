import { stripVTControlCharacters, styleText } from 'node:util';

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'link';

const FORMATS = {
  plain: [],
  dim: ['dim'],
  bold: ['bold'],
  good: ['green'],
  bad: ['red'],
  warn: ['yellow'],
  link: ['cyan', 'underline'],
} as const;

/** Colours text, or leaves it alone where there is no terminal or colour is not wanted. */
export type Paint = (tone: Tone, text: string) => string;

export function createPaint(colour: boolean): Paint {
  if (!colour) return (_tone, text) => text;
  return (tone, text) => {
    const formats = FORMATS[tone];
    return formats.length === 0 ? text : styleText([...formats], text, { validateStream: false });
  };
}

/** Characters that show what follows in the other direction: a line can look like another one. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from elsewhere, safe to print: build output must not be able to move the cursor, rename the window or turn a line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\t', '  ')
    .replace(/\p{Cc}/gu, '')
    .replace(DIRECTIONS, '');
}

/** Columns that text takes, leaving colour codes out. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

/** Cuts plain text to a width, with an ellipsis. */
export function fit(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
