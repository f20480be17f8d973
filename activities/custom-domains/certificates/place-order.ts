import type { AuthorityDescription, AuthorityOrder } from '../../../domain/custom-domains/certificates/authority.ts';
import { caaNames, caaRefusal } from '../../../domain/custom-domains/certificates/caa.ts';
import {
  type CertificateOwner,
  certificateKeyContext,
  type StoredCertificate,
  type StoredOrder,
} from '../../../domain/custom-domains/certificates/certificate.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { CertificatesDeps } from './deps.ts';
import { domainsOf, holdBack, type OfOrgs, orgsOfOrder } from './hold-back.ts';
import type { NameFailure, Placement } from './placement.ts';
import { failuresOf, refusalOf } from './refusal.ts';

export interface OrderRequest extends CertificateOwner {
  readonly names: readonly string[];
}

/**
 * Sees that there is an order for exactly these names. Idempotent: one that was placed and not ended is gone on with; its URL
 * is stored before anything is done with it. Of an order that a killed worker did not come to store, the authority keeps an
 * end by itself, and most give the same one again.
 * @throws UNAVAILABLE, RATE_LIMITED (retryable), CERTIFICATE_REFUSED
 */
export async function placeCertificateOrder(
  deps: CertificatesDeps,
  { names, ...owner }: OrderRequest,
  signal: AbortSignal,
): Promise<Placement> {
  const record = await deps.records.find(owner);
  const open = record?.order ?? null;
  const current = record?.current ?? null;
  if (open !== null) {
    if (open.directoryUrl === deps.authority.directoryUrl && isSame(open.names, names)) {
      const known = await deps.authority.readOrder(open.url, signal);
      if (known !== null && known.status !== 'invalid') {
        // The attempt that placed it may have been killed before it did so.
        await noteOrder(deps, open, await orgsOfOrder(deps, { owner, names: open.names }, current));
        return { kind: 'placed', url: open.url };
      }
    }
    await deps.records.dropOrder(owner, open.url);
  }
  const authority = await deps.authority.describe(signal);
  const failures = await refusedByCaa(deps, names, authority);
  if (failures.length > 0) return { kind: 'refused', failures };
  const ofOrgs = await orgsOfOrder(deps, { owner, names }, current);
  const wish = { ...ofOrgs, owner, names, current: renewedBy(deps, current, names) };
  // Where the authority takes no word of what is replaced, each order counts for its limits.
  const replaces = authority.hasRenewalInfo ? (wish.current?.renewalId ?? null) : null;
  const placed = await placeOrSay(deps, wish, replaces, signal);
  if ('kind' in placed) return placed;
  const key = await deps.keys.createKey();
  const kept = await deps.records.keepOrder(owner, {
    ...{ url: placed.url, directoryUrl: deps.authority.directoryUrl, names, placedAt: deps.now() },
    key: deps.cipher.seal(key, certificateKeyContext(owner)),
  });
  await noteOrder(deps, kept, ofOrgs);
  return { kind: 'placed', url: kept.url };
}

/**
 * Names that their CAA records keep this authority from (RFC 8659), and those whose records cannot be read.
 * @throws UNAVAILABLE (retryable) where not one can be
 */
export async function refusedByCaa(
  { lookUpCaa }: Pick<CertificatesDeps, 'lookUpCaa'>,
  names: readonly string[],
  { caaIdentities, accountUrl }: AuthorityDescription,
): Promise<readonly NameFailure[]> {
  const looks = names.map(async (name): Promise<NameFailure[]> => {
    const isWildcard = name.startsWith('*.');
    const host = isWildcard ? name.slice(2) : name;
    const until = performance.now() + CAA_WITHIN_MS;
    for (const at of caaNames(host)) {
      if (performance.now() > until) throw slowCaa(host);
      const records = await lookUpCaa(at);
      if (records.length === 0) continue;
      const method = isWildcard ? 'dns-01' : 'http-01';
      const reason = caaRefusal(records, at, { host, isWildcard, method, accountUrl, identities: caaIdentities });
      return reason === null ? [] : [{ host: name, reason }];
    }
    return [];
  });
  const looked = await Promise.allSettled(looks);
  const failed = looked.filter((look) => look.status === 'rejected');
  // Where none can be looked at it is the resolvers that are away, and no name's own servers.
  if (failed[0] !== undefined && failed.length === names.length) throw failed[0].reason;
  return looked.flatMap((look, at) => (look.status === 'fulfilled' ? look.value : [unreadable(names[at] ?? '', look)]));
}

/** A name of many parts, with servers that take their time for each, holds its place no longer than this. */
const CAA_WITHIN_MS = 30_000;

function slowCaa(host: string): FairleadError {
  const message = `The CAA records of ${host} cannot be read: its servers take more than ${CAA_WITHIN_MS / 1_000} s for them`;
  return new FairleadError('UNAVAILABLE', message, { retryable: true });
}

/** A name whose servers do not answer keeps no other from its certificate. @throws whatever is no such failure */
function unreadable(host: string, { reason }: PromiseRejectedResult): NameFailure {
  if (!(reason instanceof FairleadError) || reason.code !== 'UNAVAILABLE') throw reason;
  return { host, reason: reason.message };
}

/** The certificate of this authority that an order renews: one of which it has a name. */
function renewedBy(
  { authority }: CertificatesDeps,
  current: StoredCertificate | null,
  names: readonly string[],
): StoredCertificate | null {
  if (current === null || current.directoryUrl !== authority.directoryUrl) return null;
  return current.names.some((name) => names.includes(name)) ? current : null;
}

interface Wish extends OfOrgs {
  readonly owner: CertificateOwner;
  readonly names: readonly string[];
  /** Of this authority, which has one of the names; null for none. */
  readonly current: StoredCertificate | null;
}

/**
 * Of names that the authority does not certify, such as those on a list of its own, the others are ordered without them. One
 * that has the certificate as replaced already takes the order as a new one, which counts for its limits and so for ours.
 * @param replaces as `placeOrder` of the authority has it
 */
async function placeOrSay(
  deps: CertificatesDeps,
  wish: Wish,
  replaces: string | null,
  signal: AbortSignal,
): Promise<AuthorityOrder | Placement> {
  const held = await holdBack(deps, { ...wish, isReplacement: replaces !== null });
  if (held !== null) return held;
  try {
    return await deps.authority.placeOrder({ names: wish.names, replaces }, signal);
  } catch (error) {
    const refusal = refusalOf(error, { isPlaced: false });
    if (refusal === null) throw error;
    if (replaces === null) return { kind: 'refused', failures: await failuresOf(deps, wish, refusal) };
  }
  return await placeOrSay(deps, wish, null, signal);
}

/** Counts for the limits, once, whoever of several attempts comes to it. */
async function noteOrder(
  { orders }: CertificatesDeps,
  { url, names, placedAt }: StoredOrder,
  ofOrgs: OfOrgs,
): Promise<void> {
  await orders.note({ id: url, ...ofOrgs, names, at: placedAt, failed: [], domains: domainsOf(names) });
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}
