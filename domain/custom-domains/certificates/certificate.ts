import type { SecretContext } from '../../config/ports.ts';
import type { SealedSecret } from '../../config/sealed-secret.ts';
import type { Environment } from '../../environment.ts';

/** Whose certificate it is: the names of a service in one environment share one. */
export interface CertificateOwner {
  readonly service: string;
  readonly environment: Environment;
}

/** An order that was placed and not come to its end. A worker that finds one goes on with it. */
export interface StoredOrder {
  /** At the authority, which knows how far it is. */
  readonly url: string;
  /** Of the authority that it was placed at. */
  readonly directoryUrl: string;
  readonly names: readonly string[];
  /** The key that the certificate is for (PEM). */
  readonly key: SealedSecret;
  readonly placedAt: Date;
}

export interface StoredCertificate {
  readonly directoryUrl: string;
  readonly names: readonly string[];
  readonly key: SealedSecret;
  /** PEM; the certificate itself first. */
  readonly chain: string;
  /** SHA-256 of the certificate, in hexadecimal digits without colons. */
  readonly fingerprint: string;
  /** By which the authority is asked when to renew it (RFC 9773, section 4.1); null where it cannot be made. */
  readonly renewalId: string | null;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly issuedAt: Date;
  /** Of the order that it came of; null where an earlier version stored it. */
  readonly orderUrl: string | null;
}

export interface CertificateRecord extends CertificateOwner {
  readonly order: StoredOrder | null;
  readonly current: StoredCertificate | null;
}

/** Most names of one certificate, as public authorities have it. */
export const MOST_NAMES = 100;

/** Where the key of a certificate belongs; a sealed one opens nowhere else. */
export function certificateKeyContext({ service, environment }: CertificateOwner): SecretContext {
  return { service, environment, key: 'TLS_CERTIFICATE_KEY' };
}
