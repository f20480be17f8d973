import { ACTIVE_LOOK_MS, LOST_LOOK_MS, PENDING_LIMIT_MS, waitAfterLook } from './back-off.ts';
import type { DomainHolder } from './custom-domain.ts';
import { type DomainFacts, type Standing, standingOf } from './state-table.ts';
import type { Untold } from './untold.ts';

/** A record has to be gone in so many looks, over so long, before an active name is pending again. */
export const LOST_LOOKS = 3;
export const LOST_FOR_MS = 30 * 60_000;

export interface AfterLook {
  readonly changes: Partial<DomainHolder>;
  /** What happened, for the ledger and alarms; null where nothing did. */
  readonly event: Untold['event'] | null;
  /** Until the next look; null where nobody looks any more. */
  readonly waitMs: number | null;
}

export interface SeenFacts {
  readonly facts: DomainFacts;
  /** What each server said, for a name that is not active. */
  readonly reason: string;
}

/** What a look makes of a name. */
export function afterLook(holder: DomainHolder, { facts, reason }: SeenFacts, at: Date): AfterLook {
  const wasActive = holder.state === 'active';
  const standing = standingOf(holder.mode, facts, wasActive);
  const ownedSince = holder.ownedSince ?? (standing.owns ? at : null);
  const strayedAt = standing.owns ? null : holder.strayedAt;
  const seen = { ownedSince, strayedAt, ...(standing.isKnown && { observedAt: at }) };
  if (standing.state === 'active') {
    // Nobody answered: what was known stays, a loss that is being looked at as well.
    if (!standing.isKnown)
      return { changes: seen, event: null, waitMs: holder.lost === null ? ACTIVE_LOOK_MS : LOST_LOOK_MS };
    const changes = { ...seen, ...ACTIVE, verifiedAt: holder.verifiedAt ?? at };
    return { changes, event: wasActive ? null : 'verified', waitMs: ACTIVE_LOOK_MS };
  }
  const dnsVerified = countsAsVerified(holder, facts);
  if (wasActive) return afterLoss(holder, { standing, reason, dnsVerified }, at);
  const pendingSince = holder.pendingSince ?? at;
  const pendingForMs = at.getTime() - pendingSince.getTime();
  const looks = holder.looks + 1;
  const stray = standing.isKnown ? strayOf(holder, standing, at) : {};
  const pending = { ...seen, pendingSince, looks, reason, dnsVerified, ...stray };
  if (pendingForMs >= PENDING_LIMIT_MS) {
    const why = `30 days have passed: ${reason}`;
    return { changes: { ...pending, state: 'failed', reason: why }, event: 'failed', waitMs: null };
  }
  return { changes: { ...pending, state: standing.state }, event: null, waitMs: waitAfterLook(looks, pendingForMs) };
}

const ACTIVE = { state: 'active', reason: null, dnsVerified: true, pendingSince: null, looks: 0, lost: null } as const;

/** A zone that the add made says so while it waits for its delegation (spec 2, "Custom domains", 2). */
function countsAsVerified({ mode, zone }: DomainHolder, facts: DomainFacts): boolean {
  if (mode === 'cloudflare') return zone?.created === true;
  // In external mode it becomes true with the state active (spec 2, "External-domain state").
  return mode === 'direct' && facts.dns === 'holds';
}

interface Loss extends Pick<DomainHolder, 'reason' | 'dnsVerified'> {
  readonly standing: Standing;
}

/** One more look by which it is gone, and whether these are enough by now. */
function lostBy({ lost: before, observedAt }: DomainHolder, at: Date) {
  const seenAt = before === null ? observedAt : before.seenAt;
  const lost = { since: before?.since ?? at, looks: (before?.looks ?? 0) + 1, seenAt };
  return { lost, isGone: lost.looks >= LOST_LOOKS && at.getTime() - lost.since.getTime() >= LOST_FOR_MS };
}

/** Of a name at which nobody has looked for long: the first look by which it is gone is enough. */
export function lostUnseen({ observedAt }: DomainHolder, at: Date): DomainHolder['lost'] {
  return { since: new Date(at.getTime() - LOST_FOR_MS), looks: LOST_LOOKS - 1, seenAt: observedAt };
}

/** What was shown of whose it is counts no more. Where nobody knows when it was seen here, it may have strayed at any time. */
const strayed = ({ seenAt }: NonNullable<DomainHolder['lost']>) => ({
  ...{ strayedAt: seenAt ?? new Date(0), provenAt: null, proof: null, ledElsewhere: true },
});

/** Of an owned name that is not served, as one that waits for its certificate: that it leads elsewhere is noted as well. */
function strayOf(holder: DomainHolder, standing: Standing, at: Date): Partial<DomainHolder> {
  if (holder.ownedSince === null || standing.owns) return { lost: null };
  if (holder.strayedAt !== null || !isStray(holder, standing)) return {};
  const { lost, isGone } = lostBy(holder, at);
  return isGone ? { ...strayed(lost), lost: null } : { lost };
}

function afterLoss(holder: DomainHolder, { standing, reason, dnsVerified }: Loss, at: Date): AfterLook {
  const { lost, isGone } = lostBy(holder, at);
  if (!isGone) {
    const event = holder.lost === null ? 'lost' : null;
    return { changes: { lost, reason, observedAt: at }, event, waitMs: LOST_LOOK_MS };
  }
  const changes = { reason, dnsVerified, lost: null, pendingSince: at, looks: 0, observedAt: at };
  const left = isStray(holder, standing) ? strayed(lost) : {};
  return { changes: { ...changes, state: standing.state, ...left }, event: 'repended', waitMs: waitAfterLook(1, 0) };
}

/** Of a record that is gone from the platform's own zone, its owner is who it was: the domain is delegated here still. */
function isStray({ mode, zone }: DomainHolder, { condition }: Standing): boolean {
  return condition === 'zone' || (condition === 'dns' && (mode !== 'cloudflare' || zone === null));
}
