import { mkdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { EventQueue } from './audit-event.ts';
import { lockFolder } from './folder-lock.ts';
import { keepRefused } from './refused-events.ts';

export interface OutboxOptions {
  /** Created when it is not there, readable by its owner only. One process at a time uses it. */
  readonly folder: string;
  /** Events that may wait; beyond, none is taken. By default 10,000. */
  readonly maxEvents?: number;
  /** Bytes that may wait; beyond, none is taken. By default 64 MiB. */
  readonly maxBytes?: number;
}

const MAX_EVENTS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

const lineSchema = z.union([z.object({ key: z.string(), body: z.string() }), z.object({ done: z.string() })]);

/** Lines of events that are done with, beyond which the file is written anew. */
const DONE_LINES = 1_000;

/**
 * Events in a file of JSON lines: one for an event that came, one for an event that went. `add` resolves once its line is
 * on the disk; those that arrive meanwhile share the next write. A line that a crash cut off was never promised to
 * anybody. Losing the line of an event that went sends the event again, under the same key. What the ledger refuses is
 * kept beside it, in `refused.jsonl`.
 *
 * @throws CONFLICT when another process uses the folder
 */
export function openOutbox(options: OutboxOptions): EventQueue {
  const { folder, maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  const path = join(folder, 'events.jsonl');
  const waiting = readWaiting(path);
  let bytes = [...waiting.values()].reduce((sum, event) => sum + sizeOf(event), 0);
  let doneLines = 0;
  let file: FileHandle | null = null;
  let queued: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  /** The write that takes what is queued; null when none waits for its turn. */
  let next: Promise<void> | null = null;
  /** Events whose lines are not on the disk yet. */
  const arriving = new Map<string, Promise<void>>();

  /** Begins with what waits and nothing else, in the place of the old file in one step. */
  async function rewrite(): Promise<FileHandle> {
    const handle = await open(`${path}.new`, 'w', 0o600);
    try {
      await handle.writeFile([...waiting.values()].map(lineOf).join(''));
      await handle.datasync();
      await rename(`${path}.new`, path);
      await syncFolder(folder);
    } catch (error) {
      await handle.close();
      throw error;
    }
    doneLines = 0;
    return handle;
  }
  async function writeQueued(): Promise<void> {
    const lines = queued;
    queued = [];
    next = null;
    const current = doneLines > DONE_LINES ? null : file;
    try {
      if (current === null) {
        const old = file;
        // What is queued is in `waiting` already.
        file = await rewrite();
        await old?.close();
      } else {
        await current.appendFile(lines.join(''));
        await current.datasync();
      }
    } catch (error) {
      // The file may end within a line: the next one to write begins it anew.
      await file?.close().catch(() => {});
      file = null;
      throw error;
    }
  }
  /** Resolves when the line is on the disk: it succeeds or fails with the write that takes it, and with no other. */
  const write = (line: string): Promise<void> => {
    queued.push(line);
    next ??= writing.catch(() => {}).then(writeQueued);
    writing = next;
    return next;
  };
  async function keep(event: PendingEvent): Promise<void> {
    const size = sizeOf(event);
    waiting.set(event.key, event);
    bytes += size;
    try {
      await write(lineOf(event));
    } catch (cause) {
      if (waiting.delete(event.key)) bytes -= size;
      throw new FairleadError('UNAVAILABLE', `The audit outbox in ${folder} cannot be written`, { cause });
    } finally {
      arriving.delete(event.key);
    }
  }
  async function strikeOff(event: PendingEvent): Promise<void> {
    if (!waiting.delete(event.key)) return;
    bytes -= sizeOf(event);
    doneLines += 1;
    await write(`${JSON.stringify({ done: event.key })}\n`);
  }
  return {
    durable: true,
    get size() {
      return waiting.size;
    },
    async add(event) {
      if (waiting.has(event.key)) {
        await arriving.get(event.key);
        return null;
      }
      if (waiting.size >= maxEvents || bytes + sizeOf(event) > maxBytes) {
        throw new FairleadError('UNAVAILABLE', `The audit outbox in ${folder} is full: ${waiting.size} events wait`);
      }
      const kept = keep(event);
      arriving.set(event.key, kept);
      await kept;
      return null;
    },
    readNext: async (limit) => [...waiting.values()].slice(0, limit),
    markDelivered: strikeOff,
    async markRefused(event, refusal) {
      if (!waiting.has(event.key)) return;
      await keepRefused(folder, event, refusal);
      await strikeOff(event);
    },
    async close() {
      try {
        await writing.catch(() => {});
        await file?.close();
      } finally {
        unlock();
      }
    },
  };
}

/** A new name in a folder outlives a loss of power only then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readWaiting(path: string): Map<string, PendingEvent> {
  const waiting = new Map<string, PendingEvent>();
  for (const text of readLines(path)) {
    const line = parseLine(text);
    if (line === null) continue;
    if ('done' in line) waiting.delete(line.done);
    else waiting.set(line.key, line);
  }
  return waiting;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Null for a line that a crash cut off, or an empty one. */
function parseLine(text: string): z.output<typeof lineSchema> | null {
  return lineSchema.safeParse(parseJson(text)).data ?? null;
}

const lineOf = ({ key, body }: PendingEvent): string => `${JSON.stringify({ key, body })}\n`;
const sizeOf = (event: PendingEvent): number => Buffer.byteLength(lineOf(event));
