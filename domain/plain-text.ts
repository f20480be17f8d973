/** Characters that show what follows in the other direction: text can look like another one. */
export const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A control character other than a tab and a line break, or a change of direction. */
const HIDDEN = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** True for text in which nothing is hidden from who reads it. */
export function isPlainText(text: string): boolean {
  return !HIDDEN.test(text);
}

/** Text from elsewhere as it is shown to people: lines and tabs, and nothing hidden. */
export function plainText(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, '').replace(DIRECTIONS, '');
}
