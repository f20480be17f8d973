/** Every text inside a value, keys included: of strings, and of bytes as UTF-8 (so that payloads are read, not their base64). */
export function collectText(value: unknown): string {
  const found: string[] = [];
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined || pending.length > 0; next = pending.pop()) {
    if (typeof next === 'string') found.push(next);
    else if (next instanceof Uint8Array) found.push(Buffer.from(next).toString('utf8'));
    else if (Array.isArray(next)) pending.push(...next);
    else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        found.push(key);
        pending.push(inner);
      }
    }
  }
  return found.join('\n');
}
