/** The first of a stream, which is closed after it; null of an empty one. */
export async function firstOf<T>(stream: AsyncIterable<T>): Promise<T | null> {
  for await (const item of stream) return item;
  return null;
}
