import { isCancellation, log, patched } from '@temporalio/workflow';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { checkServed, tellNotServed } from './activity-proxies.ts';
import {
  ALARM_AFTER_MS,
  type KeptState,
  LOOK_EVERY_MS,
  lookWaitMs,
  type NameState,
  newName,
  putOffWaitMs,
} from './certificate-state.ts';
import { deliverTo } from './deliver.ts';
import { reasonOf } from './reason-of.ts';

/**
 * Looks at each name that it is time to look at: whether the world is shown what was issued. One that is not, five minutes
 * after it was delivered, is delivered once more, and operators are told. What fails of that is done again with the next look:
 * no mail and no file ends the workflow.
 */
export async function lookAtNames(owner: CertificateOwner, state: KeptState): Promise<void> {
  const due = issuedNames(state).filter((host) => (state.names[host]?.lookAt ?? 0) <= Date.now());
  await Promise.all(due.map((host) => look(owner, state, host)));
}

/** When a name is looked at next, in milliseconds. */
export function nextLookAt(state: KeptState): number {
  return Math.min(...issuedNames(state).map((host) => state.names[host]?.lookAt ?? 0));
}

function issuedNames({ wished, current }: KeptState): readonly string[] {
  return (wished ?? []).filter((host) => current?.names.includes(host));
}

async function look(owner: CertificateOwner, state: KeptState, host: string): Promise<void> {
  const fault = await faultOf(owner, host);
  const name = state.names[host] ?? newName();
  const now = Date.now();
  if (fault === UNKNOWN) {
    const putOff = patched('looks-are-put-off-longer') ? (name.putOff ?? 0) + 1 : 0;
    state.names[host] = { ...name, putOff, lookAt: now + putOffWaitMs(putOff) };
    return;
  }
  if (fault === null) {
    const servedAt = new Date(now).toISOString();
    state.names[host] = {
      ...name,
      unservedSince: null,
      notServedReason: null,
      servedAt,
      lookAt: now + LOOK_EVERY_MS,
      hasAlarmed: false,
      putOff: 0,
    };
    return;
  }
  const unservedSince = name.unservedSince ?? now;
  const unservedForMs = now - unservedSince;
  const lookAt = now + lookWaitMs(unservedForMs);
  const next: NameState = { ...name, unservedSince, notServedReason: fault, lookAt, putOff: 0 };
  state.names[host] = next;
  if (unservedForMs < ALARM_AFTER_MS || next.hasAlarmed) return;
  await deliverTo(owner, state, [host]);
  const { undelivered } = state;
  const hasAlarmed = await tell(owner, host, undelivered == null ? fault : `${fault}; ${undelivered.reason}`);
  state.names[host] = { ...(state.names[host] ?? next), hasAlarmed };
}

/** @returns false where nobody could be told */
async function tell(owner: CertificateOwner, host: string, reason: string): Promise<boolean> {
  try {
    await tellNotServed({ ...owner, host, reason });
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn(`operators could not be told that ${host} is not served: ${reasonOf(error)}`);
    return false;
  }
}

/** Nobody looked: it says nothing of the host, as while others of its org are looked at. */
const UNKNOWN = Symbol('nobody looked');

/** Null where it is served. */
async function faultOf(owner: CertificateOwner, host: string): Promise<string | null | typeof UNKNOWN> {
  try {
    const looked = await checkServed({ ...owner, host });
    return looked.kind === 'served' ? null : looked.reason;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return patched('a-look-that-fails-says-nothing') ? UNKNOWN : reasonOf(error);
  }
}
