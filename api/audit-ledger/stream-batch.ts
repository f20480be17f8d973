import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { BatchLeaf } from '../../domain/audit-ledger/ports.ts';

/** Characters that are written at once. */
const CHUNK = 64 * 1024;
/** How long a client may take nothing. */
const PATIENCE_MS = 60_000;
/** How long a whole answer may take: a full day at 150 KB a second. */
const WHOLE_MS = 15 * 60_000;

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
  await streamLines(response, 'application/json', textOf(head, leaves), gone);
}

async function* textOf(head: Readonly<Record<string, unknown>>, leaves: AsyncIterable<object>): AsyncGenerator<string> {
  yield `{"success":true,"data":${JSON.stringify(head).slice(0, -1)},"leaves":[`;
  let separator = '';
  for await (const leaf of leaves) {
    yield separator + JSON.stringify(leaf);
    separator = ',';
  }
  yield ']}}';
}

/** Sends text as it comes, and only as fast as the client takes it; one that takes nothing for long is cut off. */
export async function streamLines(
  response: ServerResponse,
  type: string,
  lines: AsyncIterable<string>,
  gone: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` });
  const ended = AbortSignal.any([gone, AbortSignal.timeout(WHOLE_MS)]);
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < CHUNK) continue;
    if (!response.write(text)) await drained(response, ended, patienceMs);
    text = '';
  }
  response.end(text);
}

async function drained(response: ServerResponse, gone: AbortSignal, patienceMs: number): Promise<void> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([gone, patience.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** Leaves as an org may see them; null sees all. */
export async function* visibleLeaves(leaves: AsyncIterable<BatchLeaf>, orgSlug: string | null): AsyncGenerator<object> {
  for await (const { orgSlug: owner, eventId, namespace, chainIndex, leafIndex, eventHash } of leaves) {
    const own = orgSlug === null || orgSlug === owner;
    yield own ? { leafIndex, eventHash, eventId, namespace, chainIndex } : { leafIndex, eventHash };
  }
}
