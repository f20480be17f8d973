import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { renewalTime, shareOf } from '../../../domain/custom-domains/certificates/renewal-time.ts';
import type { ServedLook } from '../../../domain/custom-domains/certificates/served-check.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { CertificatesDeps } from './deps.ts';
import { type IssuedCertificate, issued } from './fulfil-order.ts';
import { settleFile } from './settle-file.ts';

export interface OneHost extends CertificateOwner {
  readonly host: string;
}

/** ISO times. */
export interface RenewalTime {
  readonly renewAt: string;
  readonly lookAgainAt: string;
}

/** How often an authority is asked that does not say when; the suggested window may move at any time. */
const LOOK_EVERY_SECONDS = 6 * 3_600;
const LEAST_SECONDS = 60;
const MOST_SECONDS = 24 * 3_600;

/** Null where none was issued, or it has ended. */
export async function readCertificate(
  deps: CertificatesDeps,
  owner: CertificateOwner,
): Promise<IssuedCertificate | null> {
  const current = (await deps.records.find(owner))?.current ?? null;
  return current === null || current.notAfter <= deps.now() ? null : issued(current);
}

/**
 * Puts the current certificate where the router finds it, for each host that the owner holds by now. Idempotent.
 * @throws CONFLICT where there is none
 */
export async function deliverCertificate(
  deps: CertificatesDeps,
  { hosts, ...owner }: CertificateOwner & { readonly hosts: readonly string[] },
): Promise<void> {
  await currentOf(deps, owner);
  for (const host of hosts) await settleFile(deps, host);
}

/** Looks at a host as any client does. @throws CONFLICT where there is no certificate */
export async function checkServed(
  deps: CertificatesDeps,
  { host, ...owner }: OneHost,
  signal: AbortSignal,
): Promise<ServedLook> {
  const { fingerprint } = await currentOf(deps, owner);
  return await deps.servedCheck.look({ host, fingerprint }, signal);
}

/** Asks the authority when the current certificate is to be renewed. @throws UNAVAILABLE (retryable), CONFLICT */
export async function readRenewalTime(
  deps: CertificatesDeps,
  owner: CertificateOwner,
  signal: AbortSignal,
): Promise<RenewalTime> {
  const { authority } = deps;
  const current = await currentOf(deps, owner);
  const isAsked = current.renewalId !== null && current.directoryUrl === authority.directoryUrl;
  const info = isAsked ? await authority.renewalInfo(current.renewalId, signal) : null;
  const seconds = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, info?.lookAgainSeconds ?? LOOK_EVERY_SECONDS));
  const renewAt = renewalTime(current, info?.window ?? null, shareOf(current.fingerprint));
  const lookAgainAt = new Date(deps.now().getTime() + seconds * 1_000);
  return { renewAt: renewAt.toISOString(), lookAgainAt: lookAgainAt.toISOString() };
}

/** Tells operators, once for a certificate and host. */
export async function tellNotServed(
  deps: CertificatesDeps,
  { host, reason, ...owner }: OneHost & { readonly reason: string },
): Promise<void> {
  const current = await currentOf(deps, owner);
  await deps.raiseAlarm({
    id: `certificate-not-served/${host}/${current.fingerprint}`,
    subject: `${host} is not served with its certificate`,
    text: [
      `The certificate of ${host} (service ${owner.service}, ${owner.environment}) was issued and is not served: ${reason}.`,
      'It was delivered to the router again. See fairlead domain doctor.',
    ].join('\n'),
  });
}

export interface Forgetting extends CertificateOwner {
  /** Of the certificate that is forgotten; null where none was issued. */
  readonly fingerprint: string | null;
}

/**
 * Forgets the record of an owner while its certificate is that one: a late attempt takes nothing from who orders anew. Idempotent.
 * @returns the fingerprint of what stays, null for none of it; null where the record is gone
 */
export async function forgetCertificate(
  { records }: CertificatesDeps,
  { fingerprint, ...owner }: Forgetting,
): Promise<{ readonly fingerprint: string | null } | null> {
  // What an earlier version asks for names none.
  await records.remove(owner, fingerprint ?? null);
  const record = await records.find(owner);
  return record === null ? null : { fingerprint: record.current?.fingerprint ?? null };
}

async function currentOf({ records }: CertificatesDeps, owner: CertificateOwner) {
  const current = (await records.find(owner))?.current;
  if (current != null) return current;
  throw new FairleadError('CONFLICT', `There is no certificate for ${owner.service} in ${owner.environment}`);
}
