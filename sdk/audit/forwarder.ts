import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { LedgerSource } from '../../domain/audit/ports.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';
import { isAboutEvent, type LedgerConnection, LedgerFault, LedgerRefusal } from './ledger-connection.ts';
import { pause } from './pause.ts';

export interface ForwarderOptions {
  readonly source: LedgerSource;
  readonly ledger: Pick<LedgerConnection, 'emit'>;
  /** Told of every event that waits no more: recorded, or never to be. */
  readonly onResult: (event: PendingEvent, result: Receipt | Error) => void;
  /**
   * `patient`: an event waits as long as it takes, as a source that outlives the process can. Otherwise it is given up
   * after the delays, so that it does not hold the others up.
   */
  readonly patient: boolean;
  /** Waits before the attempts after the first; the last one is the wait of all that follow. */
  readonly delaysMs?: readonly number[];
  /** Events that are read at once, and so the most that are in memory. */
  readonly batch?: number;
  /** Looks for what nobody woke it for, this long after nothing waited. */
  readonly pollMs?: number;
  /** Told once when events begin to wait: the ledger does not take them, or the source cannot be read or marked. */
  readonly onTrouble?: (error: Error) => void;
}

export interface Forwarder {
  /** There is something to send. */
  wake(): void;
  /** Resolves when nothing waits, or the signal aborts. */
  drained(signal: AbortSignal): Promise<void>;
  /** Sends what waits until something fails, at most this long, and nothing after that. */
  finish(limits: { readonly timeoutMs: number }): Promise<void>;
  /** Sends nothing after the event that is on its way. */
  stop(): Promise<void>;
}

/** From memory: an event holds up those after it for these two waits at most. */
const BRIEF_DELAYS_MS = [200, 1_000];
const PATIENT_DELAYS_MS = [500, 1_000, 2_000, 5_000, 15_000, 30_000];
const BATCH = 50;
/** Attempts at an event that the ledger fails at, each time by an unknown error; with the patient delays 48 minutes. */
export const MOST_FAULTS = 100;

/**
 * Brings what waits in a source into the ledger: one event after the other, so that the chain has the order of the
 * source, each under its key, so that the ledger has it once. An event is marked after the ledger answered: whoever is
 * killed in between sends it again under the same key, and so do several forwarders of one source.
 *
 * An event that the ledger refuses is marked and holds nothing up; so is one that it failed at {@link MOST_FAULTS} times.
 * For a patient forwarder nothing else ends the wait: no answer, one that is not the ledger's, a limit (429), a credential
 * that is being changed. An impatient one tries again what may pass; a 429 it does not (spec 3, "Authentication", 5).
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { source, ledger, onResult, patient, batch = BATCH, pollMs } = options;
  const delays = options.delaysMs ?? (patient ? PATIENT_DELAYS_MS : BRIEF_DELAYS_MS);
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let poll: NodeJS.Timeout | undefined;
  let isWanted = false;
  let isFinishing = false;
  let isPausing = false;
  /** Failures in a row. */
  let failures = 0;

  async function fail(error: Error): Promise<void> {
    failures += 1;
    if (failures === 1) options.onTrouble?.(error);
    if (isFinishing) stopping.abort();
    isPausing = true;
    await pause(delays[Math.min(failures, delays.length) - 1] ?? 0, stopping.signal);
    isPausing = false;
  }

  async function conclude(event: PendingEvent, result: Receipt | Error): Promise<void> {
    onResult(event, result);
    if (result instanceof Error) await source.markRefused(event, refusalOf(result));
    else await source.markDelivered(event);
    failures = 0;
  }
  /** Ends when the event waits no more, or nothing is to be sent any more. */
  async function deliver(event: PendingEvent): Promise<void> {
    let faults = 0;
    for (let attempts = 1; !stopping.signal.aborted; attempts += 1) {
      const result = await ledger.emit(event).catch(asError);
      if (result instanceof LedgerFault) faults += 1;
      const hasAttempts = patient ? faults < MOST_FAULTS : attempts <= delays.length;
      if (!(result instanceof Error) || !hasAttempts || !mayPass(result, patient)) return await conclude(event, result);
      await fail(result);
    }
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWanted = false;
      try {
        const events = await source.readNext(batch);
        for (const event of events) await deliver(event);
        if (events.length === 0 && !isWanted) return;
      } catch (error) {
        await fail(asError(error));
      }
    }
  }
  const wake = (): void => {
    isWanted = true;
    if (running !== null || stopping.signal.aborted) return;
    clearTimeout(poll);
    running = run().finally(() => {
      running = null;
      if (stopping.signal.aborted) return;
      // One may have come between the last look and now.
      if (isWanted) wake();
      else if (pollMs !== undefined) poll = setTimeout(wake, pollMs).unref();
    });
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    clearTimeout(poll);
    await running;
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
    async finish({ timeoutMs }) {
      isFinishing = true;
      if (isPausing) stopping.abort();
      const timer = setTimeout(() => stopping.abort(), timeoutMs);
      wake();
      while (running !== null) await running;
      clearTimeout(timer);
      await stop();
    },
    stop,
  };
}

/** True when the same event may be taken later. */
function mayPass(error: Error, patient: boolean): boolean {
  if (patient) return !(error instanceof LedgerRefusal && isAboutEvent(error));
  return error instanceof FairleadError && error.retryable;
}

function refusalOf(error: Error): { code: string; message: string } {
  return { code: error instanceof LedgerRefusal ? error.code : 'INTERNAL', message: error.message };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
