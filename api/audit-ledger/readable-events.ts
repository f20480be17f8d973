import type { LedgerEvent } from '../../domain/audit-ledger/event.ts';
import type { EventStore } from '../../domain/audit-ledger/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Caller, isPlatform } from '../http/caller.ts';

/** The org a caller acts in. @throws ORG_CLAIM_MISSING */
export function requireOrg(caller: Caller): string {
  if (caller.org !== '') return caller.org;
  throw new FairleadError(
    'ORG_CLAIM_MISSING',
    'The token names no org: the ledger keeps no event without an owner. Give the client an orgSlug and mint a new token',
  );
}

/** The org whose events a caller reads; null for all. @throws ORG_CLAIM_MISSING */
export function readableOrg(caller: Caller): string | null {
  return isPlatform(caller) ? null : requireOrg(caller);
}

/** @throws EVENT_NOT_FOUND also for an event of another org; ORG_CLAIM_MISSING */
export async function requireEvent(
  store: Pick<EventStore, 'find'>,
  caller: Caller,
  eventId: string,
): Promise<LedgerEvent> {
  const orgSlug = readableOrg(caller);
  const event = await store.find(eventId);
  if (event !== null && (orgSlug === null || event.orgSlug === orgSlug)) return event;
  throw new FairleadError('EVENT_NOT_FOUND', `No event has the id ${eventId}`);
}
