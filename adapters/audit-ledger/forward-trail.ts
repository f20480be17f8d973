import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import { forwardedEvent } from '../../domain/audit/forwarded-event.ts';
import type { AuditForwarding } from '../../domain/audit/ports.ts';
import { createAuditClient, LedgerRefusal } from '../../sdk/index.ts';

export interface ForwardTrailOptions {
  readonly trail: AuditForwarding;
  readonly auditUrl: string;
  readonly internalKey: string;
  /** Namespace of the events in the ledger. */
  readonly namespace: string;
  readonly log: Pick<Logger, 'warn'>;
  /** How long nothing is looked for when there was nothing, or the ledger did not take it. */
  readonly pauseMs?: number;
}

const PAUSE_MS = 5_000;
const AT_ONCE = 50;

/**
 * Tells the ledger what an audit trail kept, in its order, for as long as the process runs. It begins where any process
 * ended; several at once tell the same twice at most, which the ledger keeps once, by the event's id. What the ledger
 * refuses for good is logged and not told again, so that it holds nothing else up.
 *
 * @returns what ends it, after the event that is on its way
 */
export function forwardTrail(options: ForwardTrailOptions): () => Promise<void> {
  const { trail, auditUrl, internalKey, log, pauseMs = PAUSE_MS } = options;
  const stopping = new AbortController();
  const client = createAuditClient({ auditUrl, apiKey: internalKey, onError: () => {}, retryDelaysMs: [] });

  /** False when the ledger may take it later. */
  async function tell(event: AuditEvent): Promise<boolean> {
    const { key, orgSlug, ...content } = forwardedEvent(event);
    const owner = orgSlug === null ? {} : { orgSlug };
    const outcome = await client.emit({ ...content, namespace: options.namespace, ...owner }, { idempotencyKey: key });
    if (outcome.status === 'lost') {
      const { error } = outcome;
      if (!(error instanceof LedgerRefusal) || error.status === 429 || error.status === 401) return false;
      log.warn({ eventId: event.id, type: event.type, reason: error.code }, 'the audit ledger refuses an event');
    }
    await trail.forwarded(event.id);
    return true;
  }
  /** True when there may be more. */
  async function tellSome(): Promise<boolean> {
    const events = await trail.pending(AT_ONCE);
    for (const event of events) if (stopping.signal.aborted || !(await tell(event))) return false;
    return events.length === AT_ONCE;
  }
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const more = await tellSome().catch((error: unknown) => {
        log.warn({ err: error }, 'the audit trail cannot be read for the ledger');
        return false;
      });
      // An abort ends the pause.
      if (!more) await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }
  const running = run();
  return async () => {
    stopping.abort();
    await running;
    await client.close();
  };
}
