/** Parsed JSON; null for what is none, which fits no schema: whoever checks it says what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
