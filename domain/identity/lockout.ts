import ipaddr from 'ipaddr.js';

export interface AttemptLimit {
  readonly failures: number;
  readonly windowSeconds: number;
}

/**
 * Failed logins before an account has to wait for its window to end, and before an address on the network is slowed down:
 * many people may share one, and one of them must not lock the others out.
 */
export const LOGIN_LIMITS = {
  account: { failures: 10, windowSeconds: 15 * 60 },
  address: { failures: 50, windowSeconds: 15 * 60 },
} as const satisfies Readonly<Record<string, AttemptLimit>>;

/** Above its limit an address has one attempt in this time; who does not wait for it answers a challenge. */
export const PACE_SECONDS = 2;

/** @param attempts how many there are in the window, the one being judged included. */
export function exceeds(limit: AttemptLimit, attempts: number): boolean {
  return attempts > limit.failures;
}

/** Whole seconds from `now` until a window ends, for `Retry-After`; at least one. */
export function secondsUntil(until: Date, now: Date): number {
  return Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
}

/** Bits of an IPv6 address that tell networks apart: whoever has one address has all 2^64 of its network. */
const IPV6_NETWORK_BITS = 64;

/**
 * What attempts from a network address are counted under: an IPv4 address, in whatever form, or the network of an IPv6
 * address. Anything else is left as it is.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`);
  return `${network.toString()}/${IPV6_NETWORK_BITS}`;
}
