import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { fulfilCertificateOrder, placeCertificateOrder } from './activity-proxies.ts';
import { failureWaitMs, type KeptState, newName } from './certificate-state.ts';
import { reasonOf } from './reason-of.ts';

/** How long nothing is ordered after an authority that could not be reached for half an hour, or failed by itself; then longer. */
const AWAY_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** Places one order and brings it to its end. What failed, and when it is tried again, stands in the state. */
export async function orderCertificate(
  owner: CertificateOwner,
  state: KeptState,
  names: readonly string[],
): Promise<void> {
  try {
    const placed = await placeCertificateOrder({ ...owner, names });
    if (placed.kind === 'held back') {
      state.heldUntil = { at: Date.parse(placed.until), reason: placed.reason };
      return;
    }
    if (placed.kind === 'refused') return noteFailures(state, placed.failures);
    const fulfilled = await fulfilCertificateOrder({ ...owner, url: placed.url });
    if (fulfilled.kind === 'failed') return noteFailures(state, fulfilled.failures);
    Object.assign(state, {
      current: fulfilled.certificate,
      heldUntil: null,
      undelivered: null,
      attempts: 0,
      replaceNow: false,
      issuedAt: Date.now(),
    });
    for (const host of names) state.names[host] = { ...(state.names[host] ?? newName()), failure: null };
  } catch (error) {
    if (isCancellation(error)) throw error;
    state.attempts += 1;
    const waitMs = Math.max(askedWaitMs(error), Math.min(LONGEST_WAIT_MS, AWAY_WAIT_MS * state.attempts));
    state.heldUntil = { at: Date.now() + waitMs, reason: reasonOf(error) };
  }
}

/** How long the authority asks to be left alone (Retry-After), which may be longer than an activity waits; 0 where it does not. */
function askedWaitMs(error: unknown): number {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
    if (typeof details !== 'object' || details === null || !('retryAfterSeconds' in details)) continue;
    return Number(details.retryAfterSeconds) * 1_000;
  }
  return 0;
}

function noteFailures(state: KeptState, failures: readonly { readonly host: string; readonly reason: string }[]): void {
  state.attempts += 1;
  for (const { host, reason } of failures) {
    const name = state.names[host] ?? newName();
    const attempts = (name.failure?.attempts ?? 0) + 1;
    state.names[host] = { ...name, failure: { reason, attempts, retryAt: Date.now() + failureWaitMs(attempts) } };
  }
}
