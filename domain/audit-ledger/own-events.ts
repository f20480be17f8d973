import canonicalize from 'canonicalize';
import type { MissedAnchor } from './anchoring-messages.ts';
import { DAY_CLOSED, type Day, type DayClose, LEDGER_CLOSED, type LedgerClose } from './day-close.ts';
import { type EventDraft, type Hash, LEDGER_NAMESPACE } from './event.ts';

/** Events that the ledger writes about itself. Each has a key, so that it is written once whoever repeats the work. */

/** Who emits them: nothing that a client can be called. */
export const LEDGER_EMITTER = 'internal:ledger';

export const ANCHOR_MISSED = 'anchor.missed';
export const ANCHOR_UNMATCHED = 'anchor.unmatched';

export const dayCloseKey = (day: Day): string => `day-close/${day}`;
export const ledgerCloseKey = (day: Day): string => `ledger-close/${day}`;

/** @param orgSlug the org that runs the installation */
export function dayCloseDraft(close: DayClose, orgSlug: string): EventDraft {
  return ownDraft(close.namespace, orgSlug, DAY_CLOSED, close.day, close, dayCloseKey(close.day));
}

export function ledgerCloseDraft(close: LedgerClose, orgSlug: string): EventDraft {
  return ownDraft(LEDGER_NAMESPACE, orgSlug, LEDGER_CLOSED, close.day, close, ledgerCloseKey(close.day));
}

/** @param root null when the day has no batch at all */
export function anchorMissedDraft(missed: MissedAnchor, root: Hash | null, orgSlug: string): EventDraft {
  const { day, chainId, standing } = missed;
  const isMissed = standing === undefined;
  const key = isMissed ? `anchor-missed/${day}/${chainId}` : `anchor-unmatched/${day}/${chainId}/${standing}`;
  const data = isMissed ? { day, chainId, root } : { day, chainId, root, standing };
  const type = isMissed ? ANCHOR_MISSED : ANCHOR_UNMATCHED;
  return ownDraft(LEDGER_NAMESPACE, orgSlug, type, `chain-${chainId}`, data, key);
}

function ownDraft(namespace: string, orgSlug: string, eventType: string, entityId: string, data: object, key: string) {
  // Not bounded as what services send is: the close of a ledger of many namespaces is long.
  const payload = canonicalize({ data, metadata: {} });
  if (payload === undefined) throw new TypeError('an own event has no content');
  // The first one counts, even if a repetition would say something else.
  const idempotency = { key, fingerprint: key };
  return { namespace, orgSlug, emitter: LEDGER_EMITTER, eventType, entityId, payload, idempotency };
}
