import { getDomain } from 'tldts';
import type { CertificateOwner, StoredCertificate } from '../../../domain/custom-domains/certificates/certificate.ts';
import { BUDGET_SPAN_MS, heldBack } from '../../../domain/custom-domains/certificates/order-budget.ts';
import type { CertificatesDeps } from './deps.ts';
import type { Placement } from './placement.ts';

/** Whose the names of an order are. */
export interface OfOrgs {
  /** Of each name, in their order. */
  readonly claimants: readonly string[];
  /** As `PlacedOrder` has them. */
  readonly orgs: readonly string[];
}

export async function orgsOfOrder(
  { claimantsOf }: Pick<CertificatesDeps, 'claimantsOf'>,
  order: { readonly owner: CertificateOwner; readonly names: readonly string[] },
  current: StoredCertificate | null,
): Promise<OfOrgs> {
  const claimants = await claimantsOf(order.owner, order.names);
  const ofNew = claimants.filter((_, at) => !(current?.names ?? []).includes(order.names[at] ?? ''));
  return { claimants, orgs: [...new Set(ofNew.length > 0 ? ofNew : claimants)] };
}

/**
 * What the limits of authorities hold back: names, without which the others are ordered at once, or the order until the
 * first of its names may be ordered. Null for nothing.
 */
export async function holdBack(
  { orders, now }: CertificatesDeps,
  order: OfOrgs & {
    readonly names: readonly string[];
    /** The certificate that it renews; null for none. */
    readonly current: StoredCertificate | null;
    /** Whether the authority is told that it takes the place of that one. */
    readonly isReplacement: boolean;
  },
): Promise<Placement | null> {
  const { names, claimants, current, isReplacement } = order;
  const time = now();
  const since = new Date(time.getTime() - BUDGET_SPAN_MS);
  const placed = await orders.since(since, { orgs: [...new Set(claimants)], domains: domainsOf(names) });
  const wished = names.map((host, at) => {
    return { host, claimant: claimants[at] ?? '', isReplaced: current?.names.includes(host) ?? false };
  });
  const held = heldBack({ names: wished, isReplacement }, placed, { now: time, domainOf });
  if (held.names.length > 0 && held.names.length < names.length) {
    return { kind: 'refused', failures: held.names.map(({ host, reason }) => ({ host, reason })) };
  }
  const [first] = [...held.names].sort((a, b) => a.until.getTime() - b.until.getTime());
  const waits = [first, held.order].filter((one) => one != null);
  const [longest] = waits.sort((a, b) => b.until.getTime() - a.until.getTime());
  if (longest === undefined) return null;
  return { kind: 'held back', until: longest.until.toISOString(), reason: longest.reason };
}

const domainOf = (name: string): string => getDomain(name.replace(/^\*\./, ''), { allowPrivateDomains: true }) ?? name;

export function domainsOf(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(domainOf))];
}
