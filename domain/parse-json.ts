/** What JSON text says; undefined for text that is no JSON, which fits no schema: whoever checks it says what is wrong. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
