import { afterLook, lostUnseen } from '../../domain/custom-domains/after-look.ts';
import { ACTIVE_LOOK_MS } from '../../domain/custom-domains/back-off.ts';
import {
  changedHolder,
  type DomainHolder,
  type DomainState,
  type HeldDomain,
  lapsed,
} from '../../domain/custom-domains/custom-domain.ts';
import { standingOf } from '../../domain/custom-domains/state-table.ts';
import { untoldWith } from '../../domain/custom-domains/untold.ts';
import { changeHolder, findHolder, type HolderId } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { lookAtDomain } from './look-at-domain.ts';
import { settleDomain } from './settle-domain.ts';
import { supersede } from './supersede.ts';
import { tellOwed } from './tell-owed.ts';
import { removeRecord } from './undo-holder.ts';

export type Observed =
  /** The holder has the name no more. */
  | { readonly kind: 'gone' }
  /** Its service was deleted, or it is being removed: what leads there has to go. */
  | { readonly kind: 'leaving' }
  /** Nobody looked, as the org of the name has used up its share: in so many milliseconds it may have one again. */
  | { readonly kind: 'put off'; readonly reason: string; readonly waitMs: number }
  | {
      readonly kind: 'seen';
      readonly state: DomainState;
      readonly reason: string | null;
      /** Milliseconds until the next look; null for none. */
      readonly waitMs: number | null;
    };

export interface Observation extends HolderId {
  /** True for a look that somebody asked for: a name that failed is pending anew, and everything is led to it once more. */
  readonly isAsked: boolean;
}

/**
 * Looks at a name once, keeps what that makes of it, leads it to its service once it is known to be theirs, and tells at last
 * what became of it. Idempotent: what leads there is set before the record says so, and what is owed to be told is in it.
 * @throws UNAVAILABLE, CONFLICT (retryable); what the DNS provider refuses
 */
export async function observeDomain(
  deps: CustomDomainsDeps,
  { isAsked, ...of }: Observation,
  at: Date,
  signal?: AbortSignal,
): Promise<Observed> {
  const found = await findHolder(deps, of);
  if (found === null) return { kind: 'gone' };
  if (found.holder.removingSince !== null || !(await isWithService(deps, found.holder))) return { kind: 'leaving' };
  const { record, waitMs } = await lookOnce(deps, { found, isAsked, at }, signal);
  const told = await tellOwed(deps, record);
  const isTold = told.holder.untold.length === 0;
  return seen(told.holder, isTold ? waitMs : Math.min(waitMs ?? ACTIVE_LOOK_MS, ACTIVE_LOOK_MS));
}

interface OfLook {
  readonly found: HeldDomain;
  readonly isAsked: boolean;
  readonly at: Date;
}

interface Looked {
  readonly record: HeldDomain;
  readonly waitMs: number | null;
}

async function lookOnce(
  deps: CustomDomainsDeps,
  { found, isAsked, at }: OfLook,
  signal?: AbortSignal,
): Promise<Looked> {
  const begun = await leave(deps, await supersede(deps, await begin(deps, found, isAsked, at), at), signal);
  // An attempt before this one may have ended between its writes.
  if (begun.holder.state === 'failed') return { record: await withdraw(deps, begun, signal), waitMs: null };
  const look = await lookAtDomain(deps, { record: begun, at }, signal);
  const { changes, event, waitMs } = afterLook(look.record.holder, look, at);
  const current = look.record;
  const next: DomainHolder = { ...current.holder, ...changes };
  // The same for each attempt of this look. Of one that was not served, a loss is no part of what is told.
  const lostSince = current.holder.state === 'active' ? current.holder.lost?.since : undefined;
  const untold = event && untoldWith(next.untold, { event, reason: next.reason, at: lostSince ?? at });
  // Noted first: an attempt that ends in between is made up for by the next one.
  const isNews = next.ownedSince !== null && (event === 'verified' || event === 'repended' || isAsked);
  const isProven = look.facts.proof === 'holds' && current.holder.proof !== null && current.holder.provenAt === null;
  const seenThere = {
    ...(untold !== null && { untold }),
    ...(isProven && { provenAt: at }),
    ...(look.zone !== undefined && { zone: look.zone }),
    ...(look.certificate !== undefined && { certificate: look.certificate }),
    ...(look.resolvedTarget !== undefined && { resolvedTarget: look.resolvedTarget }),
  };
  const changed = changedHolder(current, { ...changes, ...seenThere, ...(isNews && { attachedAt: null }) });
  // Where its certificate alone is missing, the name leads here, and goes on doing so.
  const hasLapsed = event === 'failed' && !standingOf(current.holder.mode, look.facts, false).owns;
  const kept = hasLapsed ? lapsed(changed, at) : changed;
  await deps.domains.replace(kept);
  if (event === 'failed') return { record: await withdraw(deps, kept, signal), waitMs };
  if (kept.holder.ownedSince !== null && kept.holder.attachedAt === null) {
    await settleDomain(deps, kept);
    return { record: await changeHolder(deps, kept, { attachedAt: at }), waitMs };
  }
  return { record: kept, waitMs };
}

/** Whether the service is there, and the org for which the name was added has to do with it still. */
async function isWithService(
  { services }: CustomDomainsDeps,
  { serviceId, org, claimant }: DomainHolder,
): Promise<boolean> {
  const service = await services.findConfirmed(serviceId);
  if (service === null || service.id !== serviceId) return false;
  return claimant === org || service.authorizedOrgs.includes(claimant);
}

/**
 * Of a name that has failed, nobody is sent there after signing in, and no certificate is ordered of one that was never
 * served. Where it leads here no more, nothing leads to its service: it may be another's by then.
 */
async function withdraw(deps: CustomDomainsDeps, record: HeldDomain, signal?: AbortSignal): Promise<HeldDomain> {
  const { attachedAt, writtenRecord, ownedSince } = record.holder;
  // An asked look clears `attachedAt` to lead the name here anew: of an owned one, what leads here is there all the same.
  if (attachedAt === null && writtenRecord === null && ownedSince === null) return record;
  await settleDomain(deps, record);
  if (ownedSince === null) await removeRecord(deps, record, signal);
  if (attachedAt === null && writtenRecord === null) return record;
  return await changeHolder(deps, record, { attachedAt: null, writtenRecord: null });
}

/** What another org has shown to be its own leads to this service no more. Of an attempt that ended in between, it is made up for. */
async function leave(deps: CustomDomainsDeps, record: HeldDomain, signal?: AbortSignal): Promise<HeldDomain> {
  const { state, ownedSince, attachedAt } = record.holder;
  const isLed = state !== 'failed' && ownedSince === null && attachedAt !== null;
  return isLed ? await withdraw(deps, record, signal) : record;
}

const seen = ({ state, reason }: DomainHolder, waitMs: number | null): Observed => ({
  kind: 'seen',
  state,
  reason,
  waitMs,
});

/** One that failed begins anew when somebody asks; one whose record was taken away gets it again. */
async function begin(deps: CustomDomainsDeps, record: HeldDomain, isAsked: boolean, at: Date): Promise<HeldDomain> {
  const { state, writtenRecord, ownedSince } = record.holder;
  if (!isAsked) return record;
  if (state === 'failed') {
    const anew = { state: 'pending-dns', pendingSince: at, looks: 0, reason: null } as const;
    if (ownedSince === null) return await changeHolder(deps, record, anew);
    // Kept once this look has seen where it leads: until then it says nothing of whose the domain is.
    return { ...record, holder: { ...record.holder, ...anew, lost: lostUnseen(record.holder, at) } };
  }
  return writtenRecord === null ? record : await changeHolder(deps, record, { writtenRecord: null });
}
