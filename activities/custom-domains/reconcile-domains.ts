import { type HeldDomain, isLookedAfter, wantsCertificate } from '../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { wishCertificate } from './settle-domain.ts';

/** So many names at once: what is done for each takes some milliseconds. */
const PAGE = 100;

export interface Reconciled {
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null;
  readonly names: number;
}

/**
 * Starts the workflow of each name that somebody holds, and says of each service which names its certificate is for: a workflow
 * that was terminated, or a Temporal that was lost, keeps nothing looked after. One that runs is left alone. Idempotent. What
 * fails for one name keeps no other from it, and is made up for by the next round.
 */
export async function reconcileDomains(
  deps: CustomDomainsDeps,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Reconciled> {
  const { items, nextCursor } = await deps.domains.list({}, { cursor, limit: PAGE });
  const services = new Map<string, HeldDomain['holder']>();
  for (const { domain, holder } of items) {
    signal?.throwIfAborted();
    if (wantsCertificate(holder)) services.set(`${holder.serviceId}/${holder.environment}`, holder);
    if (isLookedAfter(holder)) await attempt(deps, `the workflow of ${domain}`, () => deps.wakeKeeper(domain));
  }
  for (const holder of services.values()) {
    signal?.throwIfAborted();
    await attempt(deps, `the certificate of ${holder.service}`, () => wishCertificate(deps, holder));
  }
  return { cursor: nextCursor, names: items.length };
}

async function attempt(deps: CustomDomainsDeps, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    deps.noteFailure(`${what} is not reconciled`, error);
  }
}
