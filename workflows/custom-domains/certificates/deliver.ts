import { ApplicationFailure, isCancellation, patched } from '@temporalio/workflow';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { deliverCertificate } from './activity-proxies.ts';
import { type KeptState, newName } from './certificate-state.ts';
import { reasonOf } from './reason-of.ts';

const AGAIN_AFTER_MS = 5 * 60_000;

/** Puts the current certificate where the router finds it, for each wished name that it is of. */
export async function deliver(owner: CertificateOwner, state: KeptState): Promise<void> {
  const { current } = state;
  const hosts = undelivered(state);
  if (current === null || hosts.length === 0) {
    state.undelivered = null;
    return;
  }
  if (Date.now() < (state.undelivered?.retryAt ?? 0)) return;
  // Noted before: whatever becomes of this, the files may be there.
  state.delivered = [...new Set([...state.delivered, ...hosts])];
  if (!(await deliverTo(owner, state, hosts))) return;
  state.deliveredFingerprint = current.fingerprint;
  for (const host of hosts) {
    const known = state.names[host] ?? newName();
    // Of one that was not served before either, operators know.
    const hasAlarmed = known.hasAlarmed && patched('alarm-once-until-served');
    state.names[host] = { ...known, unservedSince: Date.now(), lookAt: 0, hasAlarmed };
  }
}

/** The wished names that the current certificate is of, unless the router has it for each of them. */
function undelivered({ current, wished, delivered, deliveredFingerprint }: KeptState): readonly string[] {
  if (current === null) return [];
  const hosts = (wished ?? []).filter((host) => current.names.includes(host));
  const isThere = deliveredFingerprint === current.fingerprint && hosts.every((host) => delivered.includes(host));
  return isThere ? [] : hosts;
}

/** @returns false where it failed: then the state says why, and when it is tried again */
export async function deliverTo(owner: CertificateOwner, state: KeptState, hosts: readonly string[]): Promise<boolean> {
  try {
    await deliverCertificate({ ...owner, hosts });
    state.undelivered = null;
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    noteUndelivered(state, hosts, error);
    return false;
  }
}

function noteUndelivered(state: KeptState, hosts: readonly string[], error: unknown): void {
  const reason = `it could not be given to the router: ${reasonOf(error)}`;
  state.undelivered = { reason, retryAt: Date.now() + AGAIN_AFTER_MS };
  state.deliveredFingerprint = null;
  for (const host of hosts) {
    const known = state.names[host] ?? newName();
    state.names[host] = { ...known, unservedSince: known.unservedSince ?? Date.now() };
  }
  // Nothing is kept of it: it is ordered anew.
  if (isMissing(error)) state.current = null;
}

function isMissing(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure) return cause.type === 'CONFLICT';
  }
  return false;
}
