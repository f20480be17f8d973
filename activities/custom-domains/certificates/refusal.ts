import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { CertificatesDeps } from './deps.ts';
import type { NameFailure } from './placement.ts';

/** What an authority refused of an order. */
export interface Refusal {
  readonly reason: string;
  /** Of the order, as far as the authority says which of them it is about. */
  readonly names: readonly string[];
}

/** Types of problems with our account, which say nothing of any name (RFC 8555, section 6.7). */
const OF_ACCOUNT: ReadonlySet<string> = new Set([
  'accountDoesNotExist',
  'externalAccountRequired',
  'userActionRequired',
]);

/**
 * What it says of a new order that names nobody: the account is not valid, such as one that was deactivated (RFC 8555, section 7.3.6).
 * Of an order that is placed it says as well that the authorizations of names have ended.
 */
const OF_ACCOUNT_AT_PLACING = 'unauthorized';

/** Null for an error that is about no names. @param isPlaced whether the order was there before */
export function refusalOf(error: unknown, { isPlaced }: { readonly isPlaced: boolean }): Refusal | null {
  if (!(error instanceof FairleadError) || error.code !== 'CERTIFICATE_REFUSED') return null;
  const details = error.details as { readonly type?: string; readonly names?: readonly string[] } | undefined;
  if (OF_ACCOUNT.has(details?.type ?? '')) return null;
  const names = details?.names ?? [];
  if (!isPlaced && names.length === 0 && details?.type === OF_ACCOUNT_AT_PLACING) return null;
  return { reason: error.message, names };
}

/**
 * Which names of an order fail by a refusal: those that it is about. Where it does not say, those that other orgs added fail
 * first, so that the names of the service's own org are ordered without them.
 */
export async function failuresOf(
  { orgOf, claimantsOf }: Pick<CertificatesDeps, 'orgOf' | 'claimantsOf'>,
  { owner, names }: { readonly owner: CertificateOwner; readonly names: readonly string[] },
  { reason, names: told }: Refusal,
): Promise<readonly NameFailure[]> {
  const about = names.filter((name) => told.includes(name) || reason.includes(`"${name}"`));
  const failed = (hosts: readonly string[]) => hosts.map((host) => ({ host, reason }));
  if (about.length > 0) return failed(about);
  const [org, claimants] = await Promise.all([orgOf(owner), claimantsOf(owner, names)]);
  const guests = names.filter((_, at) => claimants[at] !== org);
  return failed(guests.length > 0 ? guests : names);
}
