import type { Environment } from '../../environment.ts';

/** What the router does with requests for a customer's host name. */
export interface EdgeHostTarget {
  readonly service: string;
  readonly environment: Environment;
  /** An unverified name carries the ACME challenge and nothing else. */
  readonly serves: 'everything' | 'challenge-only';
  /** The canonical one of apex and www, where this is the other: requests are led there once both were served over TLS. */
  readonly redirectTo?: string;
  /** Whether TLS was seen served for this host: before, a redirect to it would lead to an error. */
  readonly redirectToTls: boolean;
  /** Whether clients are told, over TLS, to come over TLS alone (RFC 6797). */
  readonly hsts?: true;
}

export interface EdgeHost extends EdgeHostTarget {
  /** In lower case, IDN as A-labels. */
  readonly host: string;
}

/** The customers' host names that the router knows. A change is in force when it returns, without a restart. */
export interface EdgeHosts {
  /** Idempotent. @throws VALIDATION_FAILED for what is no host name */
  put(host: string, target: EdgeHostTarget): Promise<void>;
  /** Idempotent. @throws VALIDATION_FAILED for what is no host name */
  remove(host: string): Promise<void>;
  /** By their names. */
  list(): Promise<readonly EdgeHost[]>;
}

/** A key and what proves whose it is, both PEM. The chain begins with the certificate of the host and ends before the root. */
export interface KeyAndChain {
  readonly key: string;
  readonly chain: string;
}

/** The certificates that the router serves, by host name. A change is in force for the next handshake. */
export interface CertificateFiles {
  /** Idempotent. @throws VALIDATION_FAILED for what is no host name */
  put(host: string, pair: KeyAndChain): Promise<void>;
  /** The chain that is there, null for none. */
  readChain(host: string): Promise<string | null>;
  /** Idempotent. */
  remove(host: string): Promise<void>;
}

/** Answers to HTTP-01 challenges (RFC 8555, section 8.3), which the router gives for the host that is asked about alone. */
export interface ChallengeAnswers {
  /** Idempotent. @throws VALIDATION_FAILED for what is no host name or no token */
  put(host: string, token: string, keyAuthorization: string): Promise<void>;
  /** Idempotent. */
  remove(host: string, token: string): Promise<void>;
}

/** TXT records of DNS-01 challenges (RFC 8555, section 8.4), such as `_acme-challenge.example.com`. */
export interface ChallengeRecords {
  /** Adds one of possibly several values of a name. Idempotent. */
  put(name: string, value: string): Promise<void>;
  /** Idempotent. */
  remove(name: string, value: string): Promise<void>;
}
