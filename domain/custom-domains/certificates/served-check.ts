/** What a client of a host is shown, compared with what it should be. */

export interface Expected {
  readonly host: string;
  /** Of the current certificate. */
  readonly fingerprint: string;
}

/** What came of a look at one host. */
export type ServedLook =
  | { readonly kind: 'served' }
  /** @property reason such as `203.0.113.7 shows another certificate, which ends on 2026-01-01` */
  | { readonly kind: 'not served'; readonly reason: string };

/** Opens connections to a host as any client would: by its public addresses. */
export interface ServedCheck {
  look(expected: Expected, signal: AbortSignal): Promise<ServedLook>;
}

/** What one address showed. */
export interface ShownCertificate {
  readonly address: string;
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Why a client would not trust it (names and chain); null where it would. */
  readonly distrust: string | null;
  /** Status of the answer to one request; null where none came. */
  readonly status: number | null;
}

const MISDIRECTED = 421;

/** Why this is not what should be shown; null where it is. */
export function faultOfShown(shown: ShownCertificate, { fingerprint }: Expected, now: Date): string | null {
  const { address } = shown;
  if (now < shown.notBefore)
    return `${address} shows a certificate that is valid from ${shown.notBefore.toISOString()}`;
  if (now > shown.notAfter) return `${address} shows a certificate that ended on ${shown.notAfter.toISOString()}`;
  if (shown.fingerprint !== fingerprint) {
    return `${address} shows another certificate, which ends on ${shown.notAfter.toISOString()}`;
  }
  if (shown.distrust !== null) return `${address} shows a certificate that clients do not trust: ${shown.distrust}`;
  if (shown.status === null) return `${address} shows the certificate and does not answer a request`;
  return shown.status === MISDIRECTED ? `${address} shows the certificate and refuses the host name` : null;
}
