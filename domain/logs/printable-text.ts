import { DIRECTIONS } from '../plain-text.ts';

/**
 * Commands to a terminal: colours and cursor (CSI), titles and links (OSC), each also by its one character of C1, and
 * others of two characters. Linear: no class overlaps its successor.
 */
const TERMINAL_COMMANDS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[@-Z\\^_]/g;

/** A control character but the tab, a line break of Unicode, or a change of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/**
 * Text from elsewhere without what a terminal would obey: no command, no control character but the tab, no change of
 * direction. A line break inside becomes a blank.
 */
export function printableText(text: string): string {
  // Most text has nothing of it.
  if (!HIDDEN.test(text)) return text;
  return text
    .replace(TERMINAL_COMMANDS, '')
    .replace(/[\r\n]+$/, '')
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(/(?!\t)\p{Cc}/gu, '')
    .replace(DIRECTIONS, '');
}
