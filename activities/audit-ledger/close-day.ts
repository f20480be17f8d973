import type { Day, LedgerClose } from '../../domain/audit-ledger/day-close.ts';
import { endOfDay } from '../../domain/audit-ledger/days.ts';
import { GENESIS_HASH, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { ledgerCloseDraft, ledgerCloseKey } from '../../domain/audit-ledger/own-events.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { closeNamespace } from './close-namespace.ts';
import { findClose, readDayClose } from './find-close.ts';
import { latestOwnBatch } from './own-batches.ts';

/**
 * Closes a day that is over: in each namespace an event that says what the day held, and one of the whole ledger that
 * says which namespaces there are. From then on no event can get a time of that day. Idempotent by the closes' keys.
 * Does nothing in a ledger without events.
 */
export async function closeDay(deps: AnchoringDeps, day: Day): Promise<void> {
  if (deps.now() < endOfDay(day)) throw new FairleadError('VALIDATION_FAILED', `${day} is not over yet`);
  if ((await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(day))) !== null) return;
  if ((await deps.events.namespaces()).length === 0) return;
  const closes = new Map<string, LedgerEvent>();
  const close = async (namespace: string): Promise<void> => {
    const event = await closeNamespace(deps, namespace, day);
    if (event !== null) closes.set(namespace, event);
  };
  // Its own chain first: no namespace that is announced from then on begins on the day. So none is missed below.
  await close(LEDGER_NAMESPACE);
  for (const namespace of await deps.events.namespaces()) if (namespace !== LEDGER_NAMESPACE) await close(namespace);
  const previous = await latestOwnBatch(deps, day);
  const namespaces = [...closes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, event]) => {
      return { namespace, closeHash: event.eventHash, count: readDayClose(event).count };
    });
  const whole: LedgerClose = { day, namespaces, previousRoot: previous?.root ?? GENESIS_HASH };
  await deps.writer.emit(ledgerCloseDraft(whole, deps.platformOrg));
}
