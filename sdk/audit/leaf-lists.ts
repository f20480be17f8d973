import { z } from 'zod';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { createRootBuilder, type LeafListHead, leafListHeadSchema } from '../../domain/audit-ledger/leaf-list.ts';
import { hashSchema } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { textLines } from './text-lines.ts';

/** The lines of a leaf list; see `leaf-list.ts` of the domain. */
export type LeafLines = AsyncIterator<string>;

/** Where leaf lists come from: the ledger, or files. Null for a day of which there is none. @throws UNAVAILABLE */
export type LeafLists = (day: Day) => Promise<LeafLines | null>;

/** What was read of a leaf list. */
export interface ReadLeafList {
  readonly leafCount: number;
  /** Computed from the leaves, whatever the list says. */
  readonly root: Hash;
  /** Whether what was looked for is in it. */
  readonly has: boolean;
}

/** The lists that a ledger publishes; they are public, so no credential is sent. */
export function ledgerLists(ledgerUrl: string, fetch: typeof globalThis.fetch = globalThis.fetch): LeafLists {
  const base = ledgerUrl.replace(/\/+$/, '');
  return async (day) => {
    const response = await fetch(`${base}/v1/batches/${day}/leaves`, { redirect: 'error' }).catch((cause: unknown) => {
      throw new FairleadError('UNAVAILABLE', 'the ledger does not answer', { cause, retryable: true });
    });
    if (response.ok && response.body !== null) return textLines(response.body);
    const { error } = refusalSchema.safeParse(parseJson(await response.text())).data ?? {};
    if (response.status === 404 && error?.code === 'BATCH_NOT_FOUND') return null;
    throw new FairleadError('UNAVAILABLE', `the ledger answered with status ${response.status}`, { retryable: true });
  };
}

const refusalSchema = z.object({ error: z.object({ code: z.string() }) });

/**
 * Reads a list to its end, in memory of the logarithm of its length.
 * @param wanted what to look for: an event's hash as lists have it
 * @throws VALIDATION_FAILED for what is no list of that day; UNAVAILABLE when it breaks off
 */
export async function readLeafList(lines: LeafLines, day: Day, wanted: Hash | null): Promise<ReadLeafList> {
  const { batchId, root: claimed, leafCount } = await readHead(lines);
  if (batchId !== day) throw invalid(`it is the list of ${batchId}`);
  const builder = createRootBuilder(leafCount);
  let has = false;
  for (let count = 0; count < leafCount; count += 1) {
    const listed = hashSchema.safeParse(parseJson((await nextLine(lines)) ?? '')).data;
    if (listed === undefined) throw invalid(`its leaf ${count} of ${leafCount} is missing, or no hash`);
    try {
      builder.add(listed);
    } catch (error) {
      throw invalid(error instanceof Error ? error.message : String(error));
    }
    if (listed === wanted) has = true;
  }
  const root = builder.root();
  if (root === null || root !== claimed) throw invalid(`its leaves lead to ${root}, and it claims ${claimed}`);
  return { leafCount, root, has };
}

async function readHead(lines: LeafLines): Promise<LeafListHead> {
  const head = leafListHeadSchema.safeParse(parseJson((await nextLine(lines)) ?? ''));
  if (head.success) return head.data;
  throw invalid('it does not begin as a leaf list does');
}

/** Null at the end. @throws UNAVAILABLE when the connection is cut */
async function nextLine(lines: LeafLines): Promise<string | null> {
  try {
    const { done, value } = await lines.next();
    return done === true ? null : value;
  } catch (cause) {
    if (cause instanceof FairleadError) throw cause;
    throw new FairleadError('UNAVAILABLE', 'it breaks off', { cause, retryable: true });
  }
}

function invalid(message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', message);
}
