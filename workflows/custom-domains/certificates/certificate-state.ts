import type { CertificateOfName, CertificateState } from '../../../domain/custom-domains/certificates/messages.ts';

/** What the workflow of a certificate knows. It is carried over as it is when the workflow continues as new. */
export interface KeptState {
  /** The whole wished list; null until the first update. */
  wished: readonly string[] | null;
  current: CurrentCertificate | null;
  /** Hosts whose file the router has, or may have. */
  delivered: readonly string[];
  /** Of `current`: the fingerprint that every host of `delivered` was given; null before that. */
  deliveredFingerprint: string | null;
  /** Why the router could not be given it, and when that is tried again (milliseconds); absent in what an earlier version left. */
  undelivered?: { readonly reason: string; readonly retryAt: number } | null;
  names: Record<string, NameState>;
  /** Nothing is ordered before this time (milliseconds), and why. */
  heldUntil: { readonly at: number; readonly reason: string } | null;
  /** Orders that came to nothing since the last one that did. */
  attempts: number;
  replaceNow: boolean;
  /** When this workflow had one issued last (milliseconds); null for never. */
  issuedAt: number | null;
}

export interface CurrentCertificate {
  readonly names: readonly string[];
  readonly fingerprint: string;
  /** ISO time. */
  readonly notAfter: string;
}

export interface NameState {
  /** Why its last order failed, how often in turn, and when it is next ordered (milliseconds). */
  failure: { readonly reason: string; readonly attempts: number; readonly retryAt: number } | null;
  /** Since when what is issued has not been seen served (milliseconds); null once it was. */
  unservedSince: number | null;
  notServedReason: string | null;
  /** ISO time. */
  servedAt: string | null;
  /** When it is looked at next (milliseconds). */
  lookAt: number;
  hasAlarmed: boolean;
  /** How many looks in turn nobody came to; absent in what an earlier version left. */
  putOff?: number;
}

export function initialState(): KeptState {
  return {
    ...{ wished: null, current: null, delivered: [], deliveredFingerprint: null, undelivered: null, names: {} },
    ...{ heldUntil: null, attempts: 0, replaceNow: false, issuedAt: null },
  };
}

export function newName(): NameState {
  return { failure: null, unservedSince: null, notServedReason: null, servedAt: null, lookAt: 0, hasAlarmed: false };
}

export function viewOf(state: KeptState): CertificateState {
  return { names: (state.wished ?? []).map((host) => viewOfName(state, host)) };
}

export function viewOfName(state: KeptState, host: string): CertificateOfName {
  const known = state.names[host] ?? newName();
  const isIssued = state.current?.names.includes(host) ?? false;
  const notAfter = isIssued ? (state.current?.notAfter ?? null) : null;
  const { failure, servedAt } = known;
  if (isIssued) {
    const isServed = known.unservedSince === null && servedAt !== null;
    const undelivered = isServed ? null : state.undelivered?.reason;
    const reason = undelivered ?? known.notServedReason ?? failure?.reason ?? null;
    return { host, state: isServed ? 'served' : 'issued', reason, notAfter, servedAt };
  }
  const reason = failure?.reason ?? state.heldUntil?.reason ?? null;
  return { host, state: failure === null ? 'waiting' : 'failed', reason, notAfter, servedAt };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a name waits whose order has failed so often in turn: within what authorities let fail in an hour. */
export function failureWaitMs(attempts: number): number {
  return [5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS][attempts - 1] ?? 12 * HOUR_MS;
}

/** How long what is not served yet waits for the next look, so many milliseconds after it was issued. */
export function lookWaitMs(unservedForMs: number): number {
  if (unservedForMs < 5 * MINUTE_MS) return 15_000;
  return unservedForMs < HOUR_MS ? 5 * MINUTE_MS : HOUR_MS;
}

/** How long a name waits for its next look after so many in turn that nobody came to, as while others of its org are looked at. */
export function putOffWaitMs(putOff: number): number {
  return MINUTE_MS * Math.min(16, 2 ** Math.max(0, putOff - 1));
}

export const ALARM_AFTER_MS = 5 * MINUTE_MS;
/** However soon an authority would have the next one, so long there is none: its clock or ours may be wrong. */
export const RENEWS_AFTER_MS = HOUR_MS;
export const LOOK_EVERY_MS = 6 * HOUR_MS;

/** Names to be ordered now: those that failed come again when it is their time. */
export function orderable(state: KeptState, now: number): readonly string[] {
  return (state.wished ?? []).filter((host) => (state.names[host]?.failure?.retryAt ?? 0) <= now);
}

/** Wished names that have no certificate and may be ordered. */
export function missing(state: KeptState, now: number): readonly string[] {
  return orderable(state, now).filter((host) => !state.current?.names.includes(host));
}
