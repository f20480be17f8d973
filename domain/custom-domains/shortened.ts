/** Of what servers of others say, so many characters are kept and shown. */
const MOST_CHARACTERS = 2_000;

/** The text itself, or its beginning. */
export function shortened(text: string, most = MOST_CHARACTERS): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
