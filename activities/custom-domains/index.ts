import type { AddDomain, OfHolder } from '../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { findHolder, type HolderId } from './change-domain.ts';
import { type Claimed, claimDomain } from './claim-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { type Observation, type Observed, observeDomain } from './observe-domain.ts';
import { createOrgShare } from './org-share.ts';
import { prepareDomain } from './prepare-domain.ts';
import { type Reconciled, reconcileDomains } from './reconcile-domains.ts';
import { beginRemoval, type Holding, readHolding, removeDomain, requireHolding } from './remove-domain.ts';

/** As workflows of an earlier version ask for it: the owner was the only one who could. */
export type GivenAdd = Omit<AddDomain, 'claimant' | 'sharingRevision' | 'byAdministrator'> &
  Partial<Pick<AddDomain, 'claimant' | 'sharingRevision' | 'byAdministrator'>>;

/** `at` is missing where a workflow of an earlier version asks. */
export interface GivenWish {
  readonly overwrite: boolean;
  readonly at?: string;
}

/**
 * The activities of the workflow of a name; each can be repeated. Times are those of the workflow, as ISO texts. While one
 * goes on, the name is locked: where an org has used up its share, a look of its name is put off, and an add is refused.
 */
export function createCustomDomainsActivities(deps: CustomDomainsDeps) {
  const share = createOrgShare(deps);
  /** With the calls of the DNS provider counted for whom the name was added; what is begun is never refused. */
  const partsOf = async (of: HolderId): Promise<CustomDomainsDeps> => {
    const claimant = (await findHolder(deps, of))?.holder.claimant;
    return claimant === undefined ? deps : share.countedFor(claimant);
  };
  const claim = async (request: AddDomain, at: Date, signal: AbortSignal): Promise<Claimed> => {
    const { domain, id: holderId, claimant } = request;
    const parts = share.countedFor(claimant);
    // An attempt before this one has claimed it.
    if ((await findHolder(deps, { domain, holderId })) !== null) return await claimDomain(parts, request, at, signal);
    const entered = share.enter(request);
    if (entered.kind === 'used up') throw refused(domain, entered);
    return await claimDomain(parts, request, at, signal).finally(entered.leave);
  };
  const observe = async (observation: Observation, at: Date, signal: AbortSignal): Promise<Observed> => {
    const holder = (await findHolder(deps, observation))?.holder ?? null;
    if (holder === null) return { kind: 'gone' };
    const entered = share.enter(holder);
    if (entered.kind === 'used up') {
      return { kind: 'put off', reason: entered.reason, waitMs: entered.retryAfterSeconds * 1_000 };
    }
    return await observeDomain(share.countedFor(holder.claimant), observation, at, signal).finally(entered.leave);
  };
  return {
    claimDomain: (given: GivenAdd, at: string): Promise<Claimed> =>
      whileHeartbeating((signal) => {
        const defaults = { claimant: given.org, sharingRevision: null, byAdministrator: false };
        return claim({ ...defaults, ...given }, new Date(at), signal);
      }),
    prepareDomain: (of: HolderId, { overwrite, at }: GivenWish): Promise<void> =>
      whileHeartbeating(async (signal) => {
        const wish = { overwrite, at: at === undefined ? new Date() : new Date(at) };
        await prepareDomain(await partsOf(of), of, wish, signal);
      }),
    readHolding: (domain: string): Promise<Holding | null> => readHolding(deps, domain),
    requireHolding: (of: OfHolder): Promise<HolderId> => requireHolding(deps, of),
    observeDomain: (observation: Observation, at: string): Promise<Observed> =>
      whileHeartbeating((signal) => observe(observation, new Date(at), signal)),
    reconcileDomains: (cursor: string | null): Promise<Reconciled> =>
      whileHeartbeating((signal) => reconcileDomains(deps, cursor, new Date(), signal)),
    beginRemoval: (of: OfHolder, at: string): Promise<HolderId> => beginRemoval(deps, of, new Date(at)),
    removeDomain: (of: HolderId, at: string): Promise<void> =>
      whileHeartbeating(async (signal) => await removeDomain(await partsOf(of), of, new Date(at), signal)),
  };
}

/** At once: whoever else waits for the name is not to wait for this org. */
function refused(domain: string, why: { readonly reason: string; readonly retryAfterSeconds: number }): FairleadError {
  const { reason, retryAfterSeconds } = why;
  const message = `${domain} is not added now: ${reason}. Add it again in ${retryAfterSeconds} s.`;
  return new FairleadError('RATE_LIMITED', message, { retryable: false, details: { retryAfterSeconds } });
}

export type CustomDomainsActivities = ReturnType<typeof createCustomDomainsActivities>;
