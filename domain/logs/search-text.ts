import { printableText } from './printable-text.ts';

/** Whether somebody who reads a line sees that text in it, whatever its case: colours and other commands do not count. */
export function containsText(line: string, text: string): boolean {
  return printableText(line).toLowerCase().includes(text.toLowerCase());
}
