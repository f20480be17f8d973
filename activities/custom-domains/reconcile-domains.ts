import {
  type HeldDomain,
  isLookedAfter,
  isRouted,
  wantsCertificate,
} from '../../domain/custom-domains/custom-domain.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { removeUnusedZone } from './remove-zone.ts';
import { settleRoute, wishCertificate } from './settle-domain.ts';

/** So many names at once: what is done for each takes some milliseconds. */
const PAGE = 100;

/** Begins the cursor of a page of zones. */
const OF_ZONES = 'zones:';

export interface Reconciled {
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null;
  /** Names that were looked at. */
  readonly names: number;
}

/**
 * Starts the workflow of each name that somebody holds, and says of each service which names its certificate is for: a workflow
 * that was terminated, or a Temporal that was lost, keeps nothing looked after. One that runs is left alone. The router is given what
 * the records say, and nothing else, as its files may have been lost, or come of a backup. Afterwards it removes the zones that adds
 * had made and no name uses. Idempotent. What fails for one name keeps no other from it, and is made up for
 * by the next round.
 */
export async function reconcileDomains(
  deps: CustomDomainsDeps,
  cursor: string | null,
  at: Date,
  signal?: AbortSignal,
): Promise<Reconciled> {
  if (cursor?.startsWith(OF_ZONES)) return await reconcileZones(deps, cursor.slice(OF_ZONES.length), at, signal);
  if (cursor === null) await reconcileFiles(deps, signal);
  const { items, nextCursor } = await deps.domains.list({}, { cursor, limit: PAGE });
  const services = new Map<string, HeldDomain['holder']>();
  for (const { domain, holder } of items) {
    signal?.throwIfAborted();
    if (isRouted(holder)) await attempt(deps, `the route of ${domain}`, () => settleRoute(deps, domain));
    if (wantsCertificate(holder)) services.set(`${holder.serviceId}/${holder.environment}`, holder);
    if (isLookedAfter(holder)) await attempt(deps, `the workflow of ${domain}`, () => deps.wakeKeeper(domain));
  }
  for (const holder of services.values()) {
    signal?.throwIfAborted();
    await attempt(deps, `the certificate of ${holder.service}`, () => wishCertificate(deps, holder));
  }
  return { cursor: nextCursor ?? (deps.zones === null ? null : OF_ZONES), names: items.length };
}

/** Routes that are there: names that nobody has, or has no more, are in no page of names. */
async function reconcileFiles(deps: CustomDomainsDeps, signal?: AbortSignal): Promise<void> {
  await attempt(deps, 'what the router has', async () => {
    for (const { host } of await deps.hosts.list()) {
      signal?.throwIfAborted();
      const holder = (await deps.domains.find(host))?.holder ?? null;
      if (holder === null || !isRouted(holder)) await settleRoute(deps, host);
    }
  });
}

async function reconcileZones(
  deps: CustomDomainsDeps,
  cursor: string,
  at: Date,
  signal?: AbortSignal,
): Promise<Reconciled> {
  const { items, nextCursor } = await deps.domains.listZonesMade({ cursor: cursor || null, limit: PAGE });
  for (const record of items) {
    signal?.throwIfAborted();
    const failure = await attempt(deps, `the zone of ${record.apex}`, () => removeUnusedZone(deps, record, at, signal));
    // Whatever is away is so for the others as well.
    if (failure instanceof FairleadError && failure.code === 'UNAVAILABLE')
      return { cursor: null, names: items.length };
  }
  return { cursor: nextCursor && `${OF_ZONES}${nextCursor}`, names: items.length };
}

/** @returns what it failed with; null where it did not */
async function attempt(deps: CustomDomainsDeps, what: string, work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    deps.noteFailure(`${what} is not reconciled`, error);
    return error;
  }
}
