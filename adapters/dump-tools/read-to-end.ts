/**
 * Lets `work` read an archive, then reads what it left: a tool stops at the last byte that it needs, and what is wrong with an
 * archive as a whole is told at its end. An archive that was not read to its end without an error is not restored.
 * @throws what `work` throws; what the rest of the archive throws
 */
export async function readToEnd(
  archive: AsyncIterable<Uint8Array>,
  work: (archive: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const pieces = archive[Symbol.asyncIterator]();
  let hasEnded = false;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const piece = await pieces.next();
    hasEnded = piece.done === true;
    return piece;
  };
  try {
    // Without `return`: whoever stops reading does not end it.
    await work({ [Symbol.asyncIterator]: () => ({ next }) });
    while (!hasEnded) await next();
  } finally {
    // Not waited for: it may be what hangs.
    if (!hasEnded) pieces.return?.().catch(() => undefined);
  }
}
