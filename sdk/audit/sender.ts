import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { EventQueue, PendingEvent } from './audit-event.ts';
import type { LedgerConnection } from './ledger-connection.ts';
import { LedgerRefusal } from './ledger-connection.ts';

export interface SenderOptions {
  readonly queue: EventQueue;
  readonly ledger: Pick<LedgerConnection, 'emit'>;
  /** Told of every event that leaves the queue: recorded, or lost. */
  readonly onResult: (event: PendingEvent, result: Receipt | Error) => void;
  /** Waits before the attempts after the first; the last one is the wait of all that follow. */
  readonly retryDelaysMs?: readonly number[];
}

export interface Sender {
  /** There is something to send. */
  wake(): void;
  /** Resolves when nothing waits, or the signal aborts. */
  drained(signal: AbortSignal): Promise<void>;
  /** Sends nothing after the event that is on its way. */
  stop(): Promise<void>;
}

/** From memory: an event holds up those after it for these two waits at most. */
const BRIEF_DELAYS_MS = [200, 1_000];
/** From disk: forever. */
const PATIENT_DELAYS_MS = [500, 1_000, 2_000, 5_000, 15_000, 30_000];

/**
 * Sends what waits in a queue, one after the other, so that the chain has the order of the service. What the ledger
 * refuses is lost. While it does not answer, events in memory get two more attempts each; a durable queue waits until it
 * does. A 429 is not tried again (spec 3, "Authentication", 5), but by a durable queue, in its own time.
 */
export function createSender({ queue, ledger, onResult, retryDelaysMs }: SenderOptions): Sender {
  const delays = retryDelaysMs ?? (queue.durable ? PATIENT_DELAYS_MS : BRIEF_DELAYS_MS);
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let attempts = 0;

  const finish = async (event: PendingEvent, result: Receipt | Error): Promise<void> => {
    attempts = 0;
    onResult(event, result);
    // Where it cannot be struck off it is sent once more, under the same key.
    await queue.done(event).catch(() => {});
  };
  async function attempt(event: PendingEvent): Promise<void> {
    let error: Error;
    try {
      return await finish(event, await ledger.emit(event));
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    attempts += 1;
    const given = queue.durable ? Number.POSITIVE_INFINITY : delays.length;
    if (!mayPass(error, queue.durable) || attempts > given) return finish(event, error);
    await pause(delays[Math.min(attempts, delays.length) - 1] ?? 0, stopping.signal);
  }
  async function run(): Promise<void> {
    for (let event = queue.first(); event !== null && !stopping.signal.aborted; event = queue.first()) {
      await attempt(event);
    }
  }
  const wake = (): void => {
    if (running !== null || stopping.signal.aborted) return;
    running = run().finally(() => {
      running = null;
      // One may have come between the last look and now.
      if (queue.first() !== null) wake();
    });
  };
  return {
    wake,
    async drained(signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      while (running !== null && !signal.aborted) await Promise.race([running, aborted]);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** True when the same event may be taken later. */
function mayPass(error: Error, patient: boolean): boolean {
  if (error instanceof LedgerRefusal) return patient && (error.status === 429 || error.status === 401);
  // The provider may give no token because of a secret that is being rotated.
  return error instanceof FairleadError && (error.retryable || (patient && error.code === 'UNAUTHORIZED'));
}

/** Does not keep the process alive. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    timer.unref();
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
