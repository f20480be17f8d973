import { type ChainHead, type EventDraft, GENESIS_HASH, type LedgerEvent } from './event.ts';
import { createHeaderText, headerOf, sha256 } from './hash.ts';

/** A draft with the id it will have. */
export interface NamedDraft {
  readonly id: string;
  readonly draft: EventDraft;
}

/**
 * Chains drafts of one namespace to its head, in their order; null is the head of a namespace without events.
 * Time does not go back within a chain: where the clock is behind the head, the head's time is kept.
 */
export function chainAfter(head: ChainHead | null, drafts: readonly NamedDraft[], now: Date): readonly LedgerEvent[] {
  const createdAt = head === null || head.createdAt < now ? now : head.createdAt;
  const text = createHeaderText();
  let prevHash = head?.eventHash ?? GENESIS_HASH;
  let chainIndex = (head?.chainIndex ?? -1) + 1;
  return drafts.map(({ id, draft }) => {
    const event = { ...draft, id, chainIndex, createdAt, prevHash, eventHash: GENESIS_HASH };
    event.eventHash = sha256(headerOf(event, sha256(draft.payload), text));
    prevHash = event.eventHash;
    chainIndex += 1;
    return event;
  });
}

/** The head that an event is. */
export function headOf({ chainIndex, eventHash, createdAt }: LedgerEvent): ChainHead {
  return { chainIndex, eventHash, createdAt };
}
