import { randomUUID } from 'node:crypto';
import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AuditEventInput, EmitOutcome, EventQueue } from './audit-event.ts';
import { createForwarder } from './forwarder.ts';
import { type ConnectionOptions, lazyConnection } from './lazy-connection.ts';
import { createMemoryQueue } from './memory-queue.ts';
import { type OutboxOptions, openOutbox } from './outbox.ts';
import {
  type AuditEventPage,
  type AuditEventQuery,
  type AuditVerdict,
  queryEvents,
  verifyEntity,
} from './read-ledger.ts';

export interface AuditClientOptions extends ConnectionOptions {
  /** Events that may wait in memory; beyond, the oldest are dropped. */
  readonly queueLimit?: number;
  /** Keeps events on disk until the ledger has them, also over restarts. */
  readonly outbox?: OutboxOptions;
  /** Told of every event that is lost, and of how many were before; by default a line on stderr. */
  readonly onError?: (error: Error, lost: LostEvent) => void;
  /** Told of every event that is recorded: whoever keeps receipts can show later what the ledger had. */
  readonly onReceipt?: (receipt: Receipt) => void;
  readonly retryDelaysMs?: readonly number[];
}

export interface LostEvent {
  readonly eventType: string;
  readonly entityId: string;
  /** Events lost by this client so far, this one counted. */
  readonly lostSoFar: number;
}

export interface EmitOptions {
  /** 1 to 200 visible ASCII characters: under one key the ledger records an event once, however often it is emitted. */
  readonly idempotencyKey?: string;
}

export interface AuditClient {
  /**
   * Records an event. It never throws, and its promise never rejects: what is lost goes to `onError`. Nobody needs to
   * wait for it.
   */
  emit(event: AuditEventInput, options?: EmitOptions): Promise<EmitOutcome>;
  /** Events of the service's org, newest first. @throws LedgerRefusal, UNAVAILABLE */
  query(filter?: AuditEventQuery): Promise<AuditEventPage>;
  /**
   * Whether the history of an entity holds. It reads the whole chain: for background jobs. @throws LedgerRefusal,
   * UNAVAILABLE; the reason of the signal while a long chain is verified
   */
  verify(entityId: string, options?: { readonly signal?: AbortSignal }): Promise<AuditVerdict>;
  /** For a boot check or a health probe. @throws VALIDATION_FAILED naming every variable that is missing */
  assertConfigured(): void;
  /** Waits until everything is sent, at most this long. @returns how many events still wait */
  flush(options?: { readonly timeoutMs?: number }): Promise<number>;
  /** Flushes, then ends. What waits in memory then is lost; what waits on disk is sent by the next client. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

const QUEUE_LIMIT = 1_000;
const CLOSE_MS = 5_000;
/**
 * A service's way to the audit ledger (spec 3, "Authentication", "Audit ledger"). It mints its own tokens and renews them
 * early. A client that is not configured can be made: its events are lost, and said to be.
 *
 * @throws CONFLICT when another process uses the outbox's folder
 */
export function createAuditClient(options: AuditClientOptions): AuditClient {
  const connect = lazyConnection(options);
  const { outbox } = options;
  const queue: EventQueue =
    outbox === undefined ? createMemoryQueue(options.queueLimit ?? QUEUE_LIMIT) : openOutbox(outbox);
  const waiting = new Map<string, ((outcome: EmitOutcome) => void)[]>();
  const report = createReport(options);
  const onResult = (event: PendingEvent, result: Receipt | Error): void => {
    if (result instanceof Error) report(result, event);
    else guarded(() => options.onReceipt?.(result));
    const outcome: EmitOutcome =
      result instanceof Error ? { status: 'lost', error: result } : { status: 'recorded', receipt: result };
    for (const resolve of waiting.get(event.key) ?? []) resolve(outcome);
    waiting.delete(event.key);
  };
  const sender = createForwarder({
    source: queue,
    ledger: { emit: async (event) => connect().emit(event) },
    onResult,
    patient: queue.durable,
    // A full queue in memory drops what waits, so nothing may be read before it is sent.
    ...(queue.durable ? {} : { batch: 1 }),
    ...(options.retryDelaysMs === undefined ? {} : { delaysMs: options.retryDelaysMs }),
  });
  sender.wake();
  let closed = false;

  const take = async (event: PendingEvent): Promise<EmitOutcome> => {
    if (closed) throw new FairleadError('UNAVAILABLE', 'This audit client was closed');
    const recorded = queue.durable
      ? null
      : new Promise<EmitOutcome>((resolve) => {
          waiting.set(event.key, [...(waiting.get(event.key) ?? []), resolve]);
        });
    const dropped = await queue.add(event);
    if (dropped !== null) onResult(dropped, new FairleadError('UNAVAILABLE', 'The queue of audit events is full'));
    sender.wake();
    return recorded ?? { status: 'kept' };
  };
  const flush = async ({ timeoutMs = CLOSE_MS } = {}): Promise<number> => {
    const limit = new AbortController();
    // Keeps the process alive, as whoever waits here wants to.
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    await sender.drained(limit.signal);
    clearTimeout(timer);
    return queue.size;
  };
  return {
    async emit(input, { idempotencyKey = randomUUID() } = {}) {
      let event: PendingEvent = { key: idempotencyKey, body: '{}' };
      try {
        event = { ...event, body: JSON.stringify(input) ?? 'null' };
        return await take(event);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        report(error, event);
        return { status: 'lost', error };
      }
    },
    query: async (filter = {}) => queryEvents(connect(), filter),
    verify: async (entityId, { signal } = {}) => verifyEntity(connect(), entityId, signal),
    assertConfigured: () => void connect(),
    flush,
    async close(limits = {}) {
      if (closed) return;
      closed = true;
      await flush(limits);
      await sender.stop();
      const left = queue.durable ? [] : await queue.readNext(queue.size);
      for (const event of left) {
        onResult(event, new FairleadError('UNAVAILABLE', 'The audit client was closed before the event was sent'));
      }
      await queue.close();
    },
  };
}

/** Counts and tells what is lost. Nothing of what an event said is told, and a listener that throws hurts nobody. */
function createReport({ onError = logLoss }: AuditClientOptions): (error: Error, event: PendingEvent) => void {
  let lostSoFar = 0;
  return (error, { body }) => {
    lostSoFar += 1;
    const { eventType = '', entityId = '' } = (JSON.parse(body) ?? {}) as Partial<AuditEventInput>;
    guarded(() => onError(error, { eventType, entityId, lostSoFar }));
  };
}

function logLoss(error: Error, { eventType, lostSoFar }: LostEvent): void {
  process.stderr.write(`audit event ${eventType} is lost (${lostSoFar} so far): ${error.message}\n`);
}

function guarded(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    process.stderr.write(`a listener of the audit client failed: ${error instanceof Error ? error.message : error}\n`);
  }
}
