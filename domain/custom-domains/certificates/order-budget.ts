/**
 * The limits that public authorities have, kept to by ourselves, so that no name of a customer uses up what the others
 * need, and no failure is repeated until the authority refuses everything. What one org may order is counted by the org
 * that a name was added for: one that shares a service uses up nothing of its owner's.
 */

/** An order that was placed, as the budget counts it. */
export interface PlacedOrder {
  readonly names: readonly string[];
  /** The org that each of `names` was added for, in their order. */
  readonly claimants: readonly string[];
  /** The orgs it was placed for: those of the names that were in no certificate yet, or of all where each was. */
  readonly orgs: readonly string[];
  readonly at: Date;
  /** The names that it failed for; none while it is under way, or ended well. */
  readonly failed: readonly string[];
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** How far back orders count. */
export const BUDGET_SPAN_MS = WEEK_MS;

const LIMITS = {
  /** Certificates of names of one registrable domain. */
  domain: { most: 45, inMs: WEEK_MS, what: 'certificates for names of this domain within a week' },
  /** Certificates of exactly these names. */
  sameNames: { most: 5, inMs: WEEK_MS, what: 'certificates for exactly these names within a week' },
  /** Orders of a name that failed. */
  failures: { most: 4, inMs: HOUR_MS, what: 'failed orders for this name within an hour' },
  /** Of one org, of what an authority takes of the one account of this installation: 300 orders within three hours. */
  ordersOfOrg: { most: 60, inMs: 3 * HOUR_MS, what: 'orders of this org within three hours' },
  failuresOfOrg: { most: 20, inMs: 3 * HOUR_MS, what: 'failed orders of this org within three hours' },
} as const;

export interface WishedName {
  readonly host: string;
  /** The org that it was added for. */
  readonly claimant: string;
  /** Whether the certificate that the order renews is of it. */
  readonly isReplaced: boolean;
}

export interface OrderWish {
  readonly names: readonly WishedName[];
  /** Whether it names a certificate that it takes the place of, to an authority that knows of such (RFC 9773). */
  readonly isReplacement: boolean;
}

export interface BudgetWait {
  readonly until: Date;
  /** Such as `5 certificates for exactly these names within a week`. */
  readonly reason: string;
}

export interface HeldBack {
  /** Of the whole order; null where nothing holds that. */
  readonly order: BudgetWait | null;
  /** Names that are not ordered now; the others may be, without them. */
  readonly names: readonly (BudgetWait & { readonly host: string })[];
}

interface Budget {
  readonly now: Date;
  /** The registrable domain of a name. */
  readonly domainOf: (name: string) => string;
}

/**
 * What of an order may not be placed now. A renewal that names the certificate it replaces counts for no limit but those of
 * failures (RFC 9773, section 5, and the practice of authorities), and what it replaces waits for no failure of other names.
 * @param placed within {@link BUDGET_SPAN_MS}, of the claimants, and of names that share a registrable domain with a wished one
 */
export function heldBack(wish: OrderWish, placed: readonly PlacedOrder[], budget: Budget): HeldBack {
  const same = keyOf(wish.names.map(({ host }) => host));
  const repeated = placed.filter((order) => order.failed.length === 0 && keyOf(order.names) === same);
  const names = wish.names.flatMap((name) => {
    const held = last(waitsOf(name, wish, placed, budget));
    return held === null ? [] : [{ host: name.host, ...held }];
  });
  return { order: wish.isReplacement ? null : wait(repeated, LIMITS.sameNames, budget.now), names };
}

function waitsOf(
  { host, claimant, isReplaced }: WishedName,
  { isReplacement }: OrderWish,
  placed: readonly PlacedOrder[],
  { now, domainOf }: Budget,
): readonly (BudgetWait | null)[] {
  const failed = placed.filter((order) => order.failed.includes(host));
  const failedOfOrg = placed.filter((order) => failedFor(order).includes(claimant));
  const domain = domainOf(host);
  const ofDomain = placed.filter(
    (order) => order.failed.length === 0 && order.names.some((one) => domainOf(one) === domain),
  );
  const ofOrg = placed.filter(({ orgs }) => orgs.includes(claimant));
  return [
    wait(failed, LIMITS.failures, now),
    isReplaced ? null : wait(failedOfOrg, LIMITS.failuresOfOrg, now),
    isReplacement ? null : wait(ofDomain, LIMITS.domain, now),
    isReplacement ? null : wait(ofOrg, LIMITS.ordersOfOrg, now),
  ];
}

/** Whose names an order failed for. */
function failedFor({ names, claimants, failed }: PlacedOrder): readonly (string | undefined)[] {
  return failed.map((host) => claimants[names.indexOf(host)]);
}

function last(waits: readonly (BudgetWait | null)[]): BudgetWait | null {
  const all = waits.filter((one) => one !== null);
  return all.sort((a, b) => b.until.getTime() - a.until.getTime())[0] ?? null;
}

function wait(
  orders: readonly PlacedOrder[],
  { most, inMs, what }: { readonly most: number; readonly inMs: number; readonly what: string },
  now: Date,
): BudgetWait | null {
  const counted = orders.map(({ at }) => at.getTime()).filter((at) => at > now.getTime() - inMs);
  if (counted.length < most) return null;
  const oldest = counted.sort((a, b) => b - a)[most - 1] ?? now.getTime();
  return { until: new Date(oldest + inMs), reason: `there were ${most} ${what}` };
}

function keyOf(names: readonly string[]): string {
  return [...names].sort().join();
}
