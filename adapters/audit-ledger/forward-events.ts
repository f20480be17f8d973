import type { Logger } from 'pino';
import type { LedgerSource } from '../../domain/audit/ports.ts';
import { createForwarder, type Forwarder } from '../../sdk/audit/forwarder.ts';
import { lazyConnection } from '../../sdk/audit/lazy-connection.ts';

export interface ForwardEventsOptions {
  readonly source: LedgerSource;
  readonly auditUrl: string;
  readonly internalKey: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Looks for what others wrote, this long after nothing waited; by default it is only woken. */
  readonly pollMs?: number;
  readonly delaysMs?: readonly number[];
}

/**
 * The platform's way to the ledger: brings what waits in a durable source of this process or its database there, by the
 * internal key, for as long as the process runs. It begins where any process ended; see {@link createForwarder} for
 * order, repetition and refusals.
 *
 * It is no workflow. The source is the queue, and durable: an event is in it with the change it tells of, and a process
 * that dies leaves it to the next one. What runs here is only its delivery, as a driver sends what is in its buffer:
 * woken by each write, with a slow look besides for what a process that died left. A workflow would need the event once
 * more, or would ask the source by the clock, and the provider, which knows no Temporal, would need it to be audited.
 */
export function forwardEvents(options: ForwardEventsOptions): Forwarder {
  const { source, auditUrl, internalKey, log, pollMs, delaysMs } = options;
  const connect = lazyConnection({ auditUrl, apiKey: internalKey });
  const forwarder = createForwarder({
    source,
    ledger: { emit: async (event) => await connect().emit(event) },
    patient: true,
    onResult: ({ key }, result) => {
      if (result instanceof Error) {
        log.warn({ key, err: result }, 'the audit ledger refuses an event: it is kept aside');
      }
    },
    onTrouble: (error) => log.warn({ err: error }, 'audit events wait: they cannot be told to the ledger now'),
    ...(pollMs === undefined ? {} : { pollMs }),
    ...(delaysMs === undefined ? {} : { delaysMs }),
  });
  forwarder.wake();
  return forwarder;
}
