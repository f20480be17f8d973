import type { CertificateOwner } from './certificate.ts';

/** Names, ids and message types of the workflow of certificates. */

export const CERTIFICATE_WORKFLOWS = { keepCertificate: 'keepCertificate' } as const;

/** Update: the whole list of names that are wished for; an empty one ends the workflow and removes its files. */
export const SET_CERTIFICATE_NAMES = 'setCertificateNames';
/** Query. */
export const CERTIFICATE_STATE = 'certificateState';
/** Signal to the workflow of a domain: how its certificate is by now. */
export const CERTIFICATE_CHANGED = 'certificateChanged';
/** Signal: the certificate was revoked, or its key is known; it is replaced at once. */
export const CERTIFICATE_REVOKED = 'certificateRevoked';

export interface CertificateNames {
  readonly names: readonly string[];
}

/**
 * How one name is: `waiting` for its certificate; `issued`, which nobody was seen to be served yet; `served`, as was seen
 * over its public address; `failed`, which is tried again and says why. `reason` may stand with each of them.
 */
export interface CertificateOfName {
  readonly host: string;
  readonly state: 'waiting' | 'issued' | 'served' | 'failed';
  readonly reason: string | null;
  /** ISO time at which what was issued ends; null without one. */
  readonly notAfter: string | null;
  /** ISO time at which it was last seen served; null for never. */
  readonly servedAt: string | null;
}

export interface CertificateState {
  readonly names: readonly CertificateOfName[];
}

/** One for the names of a service in an environment. */
export function certificateWorkflowId({ service, environment }: CertificateOwner): string {
  return `certificate/${service}/${environment}`;
}
