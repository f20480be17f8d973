/** A place in a text; lines and characters count from 0, as the parser of container files has them. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** Where a range of lines and characters begins and ends in the text itself. */
export function textOffsets(
  text: string,
  { start, end }: { readonly start: Position; readonly end: Position },
): { readonly from: number; readonly to: number } {
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
  const offsetOf = ({ line, character }: Position): number => (lineStarts[line] ?? 0) + character;
  return { from: offsetOf(start), to: offsetOf(end) };
}
