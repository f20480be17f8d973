import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import type { DayClose } from '../../domain/audit-ledger/day-close.ts';
import type { LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { LEDGER_EMITTER } from '../../domain/audit-ledger/own-events.ts';
import { dayCloseSchema } from '../../domain/audit-ledger/schema.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';

/** The close under a key, `dayCloseKey` or `ledgerCloseKey`; null while there is none. */
export function findClose(
  deps: Pick<AnchoringDeps, 'events'>,
  namespace: string,
  key: string,
): Promise<LedgerEvent | null> {
  return deps.events.findByIdempotencyKey(namespace, LEDGER_EMITTER, key);
}

/** What the close of a namespace says. */
export function readDayClose(event: LedgerEvent): DayClose {
  return dayCloseSchema.parse(readPayload(event.payload).data);
}
