/** Ends a line that was cut before it was redacted: what stands before it may be the beginning of a secret. */
export const CUT_MARK = ' … (cut)';

/** The line with at most so many characters; an overlong one ends with {@link CUT_MARK}, and never with half a character. */
export function cutBeforeRedaction(line: string, characters: number): string {
  if (line.length <= characters) return line;
  const kept = line.slice(0, characters - CUT_MARK.length).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}${CUT_MARK}`;
}
