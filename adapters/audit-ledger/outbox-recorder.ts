import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pendingEvent } from '../../domain/audit/pending-event.ts';
import type { AuditRecorder } from '../../domain/audit/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { EventQueue } from '../../sdk/audit/audit-event.ts';
import { type OutboxOptions, openOutbox } from '../../sdk/audit/outbox.ts';
import { type ForwardEventsOptions, forwardEvents } from './forward-events.ts';

export interface OutboxRecorderOptions extends Omit<ForwardEventsOptions, 'source'>, Omit<OutboxOptions, 'folder'> {
  /** Namespace of the events: the part of the platform that writes them. */
  readonly namespace: string;
  /** Folder for outboxes, one for each process that runs at the same time. */
  readonly folder: string;
}

export interface OutboxRecorder extends AuditRecorder {
  /** How many events wait for the ledger here. */
  waiting(): number;
  /** Tells the ledger what waits, at most this long; the next process tells it the rest. */
  close(limits?: { readonly timeoutMs?: number }): Promise<void>;
}

/** More processes than this on one folder are a mistake. */
const MOST_PROCESSES = 64;
const CLOSE_MS = 5_000;

/**
 * Records events in an outbox on disk, for a part of the platform without a database of its own to record them in. Work
 * never fails for its events: one that cannot be kept is logged as lost.
 *
 * @throws CONFLICT when {@link MOST_PROCESSES} others hold their outboxes
 */
export function createOutboxRecorder(options: OutboxRecorderOptions): OutboxRecorder {
  const { namespace, folder, log, ...limits } = options;
  const path = join(folder, namespace);
  const outbox = firstFree(path, limits);
  const forwarder = forwardEvents({ ...limits, log, source: outbox });
  const takenOver = takeOver(path, outbox, limits)
    .then(() => forwarder.wake())
    .catch((error: unknown) => log.warn({ err: error }, 'audit events of processes that ended stay in their outboxes'));
  let lostSoFar = 0;
  let closing: Promise<void> | null = null;
  const close = async (timeoutMs: number): Promise<void> => {
    await takenOver;
    await forwarder.finish({ timeoutMs });
    await outbox.close();
  };
  return {
    waiting: () => outbox.size,
    async record(event) {
      try {
        if (closing !== null) throw new FairleadError('UNAVAILABLE', 'This outbox was closed');
        await outbox.add(pendingEvent(event, namespace));
        forwarder.wake();
      } catch (error) {
        lostSoFar += 1;
        log.warn({ type: event.type, subject: event.subject, lostSoFar, err: error }, 'an audit event is lost');
      }
    },
    close({ timeoutMs = CLOSE_MS } = {}) {
      closing ??= close(timeoutMs);
      return closing;
    },
  };
}

function firstFree(path: string, limits: Omit<OutboxOptions, 'folder'>): EventQueue {
  for (let number = 1; number <= MOST_PROCESSES; number += 1) {
    const outbox = openFree({ ...limits, folder: `${path}-${number}` });
    if (outbox !== null) return outbox;
  }
  throw new FairleadError('CONFLICT', `${MOST_PROCESSES} processes use the audit outboxes in ${path}-…`);
}

/**
 * Brings what processes that ended left behind into the outbox of this one, which may be the only one from now on. An
 * event is in one of them at any moment; where it is in both, it is sent under one key.
 */
async function takeOver(path: string, own: EventQueue, limits: Omit<OutboxOptions, 'folder'>): Promise<void> {
  for (let number = 1; number <= MOST_PROCESSES; number += 1) {
    const folder = `${path}-${number}`;
    const left = existsSync(folder) ? openFree({ ...limits, folder }) : null;
    if (left === null) continue;
    try {
      for (const event of await left.readNext(left.size)) {
        await own.add(event);
        await left.markDelivered(event);
      }
    } finally {
      await left.close();
    }
  }
}

/** Null while another process uses it. */
function openFree(options: OutboxOptions): EventQueue | null {
  try {
    return openOutbox(options);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CONFLICT') return null;
    throw error;
  }
}
