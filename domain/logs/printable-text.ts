import { DIRECTIONS } from '../plain-text.ts';

/** Commands to a terminal: colours and cursor (CSI), titles and links (OSC), others of two characters. Linear: no class overlaps its successor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const TERMINAL_COMMANDS = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\^_]/g;

/**
 * Text from elsewhere without what a terminal would obey: no command, no control character but the tab, no change of
 * direction. A line break inside becomes a blank.
 */
export function printableText(text: string): string {
  return text
    .replace(TERMINAL_COMMANDS, '')
    .replace(/[\r\n]+$/, '')
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(/(?!\t)\p{Cc}/gu, '')
    .replace(DIRECTIONS, '');
}
