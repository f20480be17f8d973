import { isCancellation } from '@temporalio/workflow';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import { readRenewalTime } from './activity-proxies.ts';
import type { KeptState } from './certificate-state.ts';

/** When the current certificate is renewed, as its authority says from time to time. */
export interface Renewal {
  /** Asks, where it is time to. */
  read(state: KeptState): Promise<void>;
  /** When it is renewed, in milliseconds. */
  nextAt(): number;
  /** When the authority is asked again, in milliseconds. */
  lookAgainAt(): number;
  describe(): string;
}

/** Where it could not be asked. */
const LOOK_AGAIN_MS = 6 * 60 * 60_000;

export function createRenewal(owner: CertificateOwner): Renewal {
  let known = { fingerprint: '', renewAt: Number.POSITIVE_INFINITY, lookAgainAt: Number.POSITIVE_INFINITY };
  return {
    async read({ current }) {
      if (current === null) return;
      if (current.fingerprint === known.fingerprint && Date.now() < known.lookAgainAt) return;
      const isNew = current.fingerprint !== known.fingerprint;
      try {
        const { renewAt, lookAgainAt } = await readRenewalTime(owner);
        const [at, again] = [Date.parse(renewAt), Date.parse(lookAgainAt)];
        known = { fingerprint: current.fingerprint, renewAt: at, lookAgainAt: again };
      } catch (error) {
        if (isCancellation(error)) throw error;
        const renewAt = isNew ? fallback(current.notAfter) : known.renewAt;
        known = { fingerprint: current.fingerprint, renewAt, lookAgainAt: Date.now() + LOOK_AGAIN_MS };
      }
    },
    nextAt: () => known.renewAt,
    lookAgainAt: () => known.lookAgainAt,
    describe: () => (Number.isFinite(known.renewAt) ? new Date(known.renewAt).toISOString() : 'no certificate'),
  };
}

/** What it would be without a word of the authority is not known here: half of what is left. */
function fallback(notAfter: string): number {
  return Date.now() + (Date.parse(notAfter) - Date.now()) / 2;
}
