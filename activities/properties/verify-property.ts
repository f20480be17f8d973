import { FairleadError } from '../../domain/errors.ts';
import { changeProperty } from '../../domain/properties/change-property.ts';
import { describeLook, isVisible } from '../../domain/properties/dns-look.ts';
import type { VerifyRequest } from '../../domain/properties/messages.ts';
import type { DnsZone, SearchEngine } from '../../domain/properties/ports.ts';
import { changedProperty, type Property, type PropertyError } from '../../domain/properties/property.ts';
import { advance } from '../../domain/properties/verification.ts';
import type { PropertiesActivityDeps } from './deps.ts';
import { withZone } from './sync-domain-map.ts';

/** The steps of a verification, in their order. Each says a state, and is repeated freely. */

type Deps = PropertiesActivityDeps;

/** @throws GOOGLE_NOT_CONFIGURED */
export function requireEngine({ engine }: Pick<Deps, 'engine'>): SearchEngine {
  if (engine !== null) return engine;
  const message = 'No account at the search engine is known: set GOOGLE_APPLICATION_CREDENTIALS on the worker';
  throw new FairleadError('GOOGLE_NOT_CONFIGURED', message);
}

/** What a run finds of its Property. */
export type Begun = 'unknown' | 'ignored' | 'verified' | 'requested';

/**
 * Makes the Property that of this run, asks the search engine for the text of the record, and moves it to
 * `token-requested`. A Property that is verified, by now or before, stays so: its run checks it.
 */
export async function requestToken(deps: Deps, { domain, jobId }: VerifyRequest): Promise<Begun> {
  const claimed = stateAfter(await changeProperty(deps.properties, domain, (one) => claim(one, jobId, deps.now())));
  if (claimed !== 'requested') return claimed;
  const token = await requireEngine(deps).requestToken(domain);
  return stateAfter(
    await changeProperty(deps.properties, domain, (one) => {
      const { state, jobId: owner, tokenRequestedAt } = one.verification;
      // Another run took it, or this one asked already.
      if (owner !== jobId || (state === 'token-requested' && tokenRequestedAt !== null)) return null;
      return advance(one, 'token-requested', { at: deps.now(), changes: { token, path: null } });
    }),
  );
}

/** Only the run whose job the Property names may end it in error. */
function claim(property: Property, jobId: string, at: Date): Property | null {
  const { verification } = property;
  if (stateAfter(property) !== 'requested' || verification.jobId === jobId) return null;
  return changedProperty(property, { verification: { ...verification, jobId, tokenRequestedAt: null } }, { at });
}

function stateAfter(property: Property | null): Begun {
  if (property === null) return 'unknown';
  if (property.ignored !== null) return 'ignored';
  return property.verification.state === 'verified' ? 'verified' : 'requested';
}

/** The text of the record, for people: the search engine is asked once for each Property, and what it said is kept. */
export async function readToken(deps: Deps, domain: string): Promise<string> {
  const known = (await deps.properties.find(domain))?.verification.token ?? null;
  if (known !== null) return known;
  const token = await requireEngine(deps).requestToken(domain);
  await changeProperty(deps.properties, domain, (one) => {
    if (one.verification.token !== null) return null;
    return changedProperty(one, { verification: { ...one.verification, token } }, { at: deps.now() });
  });
  return token;
}

/** `manual`: the nameservers are elsewhere, and a person sets the record. `verified`: it is by now, without this run. */
export type Placed = 'written' | 'manual' | 'ignored' | 'verified';

/** Writes the record where the zone is in an account of ours and the domain is delegated there. */
export async function placeRecord(deps: Deps, { domain }: VerifyRequest, signal: AbortSignal): Promise<Placed> {
  const property = await deps.properties.find(domain);
  const { token = null } = property?.verification ?? {};
  if (property === null || property.ignored !== null || token === null) return 'ignored';
  if (property.verification.state === 'verified') return 'verified';
  const zone = await findServingZone(deps, domain, signal);
  const at = deps.now();
  if (zone === null) {
    await changeProperty(deps.properties, domain, (one) => {
      if (one.verification.path === 'manual' || one.verification.state === 'verified') return null;
      const known = withZone(one, false, at) ?? one;
      const verification = { ...one.verification, path: 'manual' } as const;
      const zoned = { verification, zone: known.zone };
      return changedProperty(one, zoned, { at, event: 'manual', detail: 'the nameservers are elsewhere' });
    });
    return 'manual';
  }
  await deps.zones?.writeText(zone, token);
  const next = await changeProperty(deps.properties, domain, (one) =>
    advance(one, 'txt-written', { at, changes: { path: 'automatic' } }),
  );
  return next?.ignored === null ? 'written' : 'ignored';
}

/**
 * The zone of a domain, where the world asks it: it is active at the provider, and what nameservers the domain has are the
 * provider's. Where nobody answers what these are, the provider's word counts.
 */
async function findServingZone(deps: Deps, domain: string, signal: AbortSignal): Promise<DnsZone | null> {
  const zone = (await deps.zones?.findZone(domain)) ?? null;
  if (zone === null || !zone.isActive) return null;
  const delegated = await deps.dns.nameServers(domain, signal);
  if (delegated === null || delegated.length === 0) return zone;
  const own = new Set(zone.nameServers.map((name) => name.toLowerCase()));
  return delegated.some((name) => own.has(name)) ? zone : null;
}

export interface Look {
  /** `verified`: the search engine confirmed it meanwhile, as by a person who asked. */
  readonly state: 'visible' | 'not-yet' | 'ignored' | 'verified';
  /** What the DNS shows, for people. */
  readonly seen: string;
}

/** Asks the public DNS once. */
export async function lookForRecord(deps: Deps, { domain }: VerifyRequest, signal: AbortSignal): Promise<Look> {
  const property = await deps.properties.find(domain);
  const { token = null } = property?.verification ?? {};
  if (property === null || property.ignored !== null || token === null) return { state: 'ignored', seen: '' };
  if (property.verification.state === 'verified') return { state: 'verified', seen: '' };
  const look = await deps.dns.lookUpText(domain, token, signal);
  return { state: isVisible(look, token) ? 'visible' : 'not-yet', seen: describeLook(look) };
}

export interface Confirmed {
  readonly state: 'verified' | 'not-yet' | 'ignored';
  /** Why the search engine does not confirm. */
  readonly reason: string | null;
}

/** Has the search engine look, once: the Property is `verifying`, and `verified` when it confirms. */
export async function confirmRecord(deps: Deps, { domain }: VerifyRequest): Promise<Confirmed> {
  const verifying = await changeProperty(deps.properties, domain, (one) =>
    advance(one, 'verifying', { at: deps.now() }),
  );
  if (verifying === null || verifying.ignored !== null) return { state: 'ignored', reason: null };
  return confirmOnce(deps, domain);
}

/** Has the search engine look, once; nothing changes unless it confirms. */
export async function confirmOnce(deps: Deps, domain: string): Promise<Confirmed> {
  const answer = await requireEngine(deps).confirm(domain);
  if (!answer.confirmed) return { state: 'not-yet', reason: answer.reason };
  const verified = await changeProperty(deps.properties, domain, (one) => advance(one, 'verified', { at: deps.now() }));
  return verified === null || verified.ignored !== null
    ? { state: 'ignored', reason: null }
    : { state: 'verified', reason: null };
}

/** Adds the console property and the owners of a verified domain. Idempotent. */
export async function completeVerified(deps: Deps, domain: string): Promise<void> {
  const engine = requireEngine(deps);
  await engine.addProperty(domain);
  if (deps.ownerEmails.length > 0) await addOwners(deps, domain, deps.ownerEmails);
}

/** Makes people owners, and keeps who is. Idempotent. @returns all owners as the search engine has them */
export async function addOwners(deps: Deps, domain: string, emails: readonly string[]): Promise<readonly string[]> {
  const owners = await requireEngine(deps).addOwners(domain, emails);
  await changeProperty(deps.properties, domain, (one) => {
    const added = emails.filter((email) => !one.verification.owners.includes(email));
    if (added.length === 0) return null;
    const verification = { ...one.verification, owners: [...one.verification.owners, ...added] };
    return changedProperty(one, { verification }, { at: deps.now(), event: 'owner-added', detail: added.join(', ') });
  });
  return owners;
}

/** Ends a run that did not come to `verified`. What is verified or ignored meanwhile, or of a later run, stays as it is. */
export async function failVerification(
  { properties, now }: Pick<Deps, 'properties' | 'now'>,
  { domain, jobId }: VerifyRequest,
  error: PropertyError,
): Promise<void> {
  await changeProperty(properties, domain, (one) =>
    one.verification.jobId === jobId ? advance(one, 'error', { at: now(), error }) : null,
  );
}
