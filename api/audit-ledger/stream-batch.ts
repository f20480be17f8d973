import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { BatchLeaf } from '../../domain/audit-ledger/ports.ts';

/** Characters that are written at once. */
const CHUNK = 64 * 1024;

/**
 * Sends a batch in the envelope, its leaves as they are read and only as fast as the client takes them: a full day is
 * more than a hundred megabytes. A fault after the first byte cuts the connection, so that half a list is never whole JSON.
 */
export async function streamBatch(
  response: ServerResponse,
  head: Readonly<Record<string, unknown>>,
  leaves: AsyncIterable<object>,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
  let text = `{"success":true,"data":${JSON.stringify(head).slice(0, -1)},"leaves":[`;
  let separator = '';
  for await (const leaf of leaves) {
    text += separator + JSON.stringify(leaf);
    separator = ',';
    if (text.length < CHUNK) continue;
    if (!response.write(text)) await once(response, 'drain', { signal: gone });
    text = '';
  }
  response.end(`${text}]}}`);
}

/** Leaves as an org may see them; null sees all. */
export async function* visibleLeaves(leaves: AsyncIterable<BatchLeaf>, orgSlug: string | null): AsyncGenerator<object> {
  for await (const { orgSlug: owner, eventId, namespace, chainIndex, leafIndex, eventHash } of leaves) {
    const own = orgSlug === null || orgSlug === owner;
    yield own ? { leafIndex, eventHash, eventId, namespace, chainIndex } : { leafIndex, eventHash };
  }
}
