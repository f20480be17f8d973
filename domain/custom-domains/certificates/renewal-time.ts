/** When a certificate is replaced. */

/** What its authority suggests (RFC 9773, section 4.2). */
export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
}

/** The share of its lifetime after which one is renewed whose authority suggests nothing: 60 of 90 days, 4 of 6. */
const RENEW_AFTER = 2 / 3;
/** How long before its end one is renewed at the latest, whatever is suggested: a share of its lifetime. */
const LATEST = 0.95;

/**
 * The time in the window that the authority suggests, else after two thirds of the lifetime. A window that has passed, as
 * an authority sets it before it revokes, is now.
 * @param share from 0 to 1, the same for a certificate each time: by it the renewals of many are spread over the window
 */
export function renewalTime(
  certificate: { readonly notBefore: Date; readonly notAfter: Date },
  window: RenewalWindow | null,
  share: number,
): Date {
  const [from, to] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
  if (window === null) return new Date(from + (to - from) * RENEW_AFTER);
  const suggested = window.start.getTime() + (window.end.getTime() - window.start.getTime()) * share;
  return new Date(Math.min(suggested, from + (to - from) * LATEST));
}

/** A number from 0 to 1 made of the first 8 digits of a fingerprint. */
export function shareOf(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice(0, 8), 16) / 0xffff_ffff;
}
