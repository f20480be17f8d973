import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { Refusal } from '../../domain/audit/ports.ts';

/** A file this long gives way to a new one; the one before it stays until then. */
const FILE_BYTES = 4 * 1024 * 1024;

/**
 * Keeps an event that the ledger refuses, with the reason, for people: a line of JSON in `refused.jsonl`. When that file
 * is full it becomes `refused.1.jsonl`, in the place of the one before.
 */
export async function keepRefused(folder: string, event: PendingEvent, refusal: Refusal): Promise<void> {
  const path = join(folder, 'refused.jsonl');
  if ((await sizeOf(path)) >= FILE_BYTES) await rename(path, join(folder, 'refused.1.jsonl'));
  await appendFile(path, `${JSON.stringify({ ...event, refusal })}\n`, { mode: 0o600, flush: true });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
