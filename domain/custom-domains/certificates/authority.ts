import type { RenewalWindow } from './renewal-time.ts';

/** A public or own certificate authority that speaks ACME (RFC 8555). */

export const CHALLENGE_METHODS = ['http-01', 'dns-01'] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

export interface AuthorityDescription {
  /** By which CAA records name it. */
  readonly caaIdentities: readonly string[];
  readonly accountUrl: string;
  /** Whether it says when to renew, and is told what an order replaces (RFC 9773). */
  readonly hasRenewalInfo: boolean;
}

export interface Challenge {
  readonly method: ChallengeMethod;
  readonly url: string;
  readonly token: string;
  readonly status: 'pending' | 'processing' | 'valid' | 'invalid';
  /** What the file holds for HTTP-01, and the TXT record for DNS-01. */
  readonly answer: string;
  /** What the authority saw instead: once it is invalid, or while it is pending where it looks again. */
  readonly problem: string | null;
}

export interface Authorization {
  /** Without `*.`. */
  readonly host: string;
  readonly isWildcard: boolean;
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  /** Of the methods that we know. */
  readonly challenges: readonly Challenge[];
}

export interface AuthorityOrder {
  readonly url: string;
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly problem: string | null;
  /** Those that the problem is about, where it says so (RFC 8555, section 6.7.1). */
  readonly problemNames: readonly string[];
}

/**
 * Every call but the first two is about an order that exists, and may be repeated.
 *
 * All of them throw: RATE_LIMITED with `details.retryAfterSeconds` where the authority says when to come again; UNAVAILABLE
 * (retryable) while it cannot be reached or is overloaded; CERTIFICATE_REFUSED for everything that it refuses, with
 * `details.names` where it says which of several it is about.
 */
export interface CertificateAuthority {
  readonly directoryUrl: string;
  /** Opens the account, or finds the one that is open. */
  describe(signal: AbortSignal): Promise<AuthorityDescription>;
  /** @param replaces the `renewalId` of the certificate that this one takes the place of; null for none */
  placeOrder(
    order: { readonly names: readonly string[]; readonly replaces: string | null },
    signal: AbortSignal,
  ): Promise<AuthorityOrder>;
  /** Null for an order that the authority does not know any more. */
  readOrder(url: string, signal: AbortSignal): Promise<AuthorityOrder | null>;
  readAuthorizations(url: string, signal: AbortSignal): Promise<readonly Authorization[]>;
  /** Says that the answer to a challenge is in its place. */
  completeChallenge(url: string, signal: AbortSignal): Promise<void>;
  /** @param key of the certificate (PEM) */
  finalize(
    url: string,
    certificate: { readonly names: readonly string[]; readonly key: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** The chain (PEM) of an order that is valid. */
  download(url: string, signal: AbortSignal): Promise<string>;
  /**
   * When the authority would have a certificate renewed (RFC 9773); null where it says nothing about that.
   * @returns `lookAgainSeconds` as its Retry-After says
   */
  renewalInfo(
    renewalId: string,
    signal: AbortSignal,
  ): Promise<{ readonly window: RenewalWindow; readonly lookAgainSeconds: number } | null>;
}

/** What is done with keys and certificates, without anybody else. */
export interface CertificateKeys {
  /** A new key of a certificate (PEM). */
  createKey(): Promise<string>;
  /** What a chain says. @throws CERTIFICATE_REFUSED where it is not of this key, or not of all these names */
  readChain(
    chain: string,
    expected: { readonly key: string; readonly names: readonly string[] },
  ): Promise<{
    readonly fingerprint: string;
    readonly renewalId: string | null;
    readonly notBefore: Date;
    readonly notAfter: Date;
  }>;
}
