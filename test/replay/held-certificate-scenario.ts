import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withCertificate } from './certificate-world.ts';
import type { Recordings } from './recordings.ts';

const APEX = 'held.example.com';
const HOUR_MS = 3_600_000;

/**
 * A certificate that is never served, is renewed, cannot be looked at for a while, and is revoked while its authority holds
 * orders back.
 */
export async function heldCertificate(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { env } = temporal;
  const state = { issued: 0, isHeldBack: false, isBusy: false };
  const inHours = async (hours: number) => new Date((await env.currentTimeMs()) + hours * HOUR_MS).toISOString();
  const workflowId = await withCertificate(
    temporal,
    'held',
    {
      placeCertificateOrder: async () =>
        state.isHeldBack
          ? { kind: 'held back', until: await inHours(3), reason: 'too many orders' }
          : { kind: 'placed', url: 'https://ca.example/order/1' },
      fulfilCertificateOrder: async () => {
        state.issued += 1;
        const fingerprint = `${state.issued}`.padStart(64, '0');
        return { kind: 'issued', certificate: { names: [APEX], fingerprint, notAfter: await inHours(144) } };
      },
      checkServed: async () => {
        if (state.isBusy) throw new FairleadError('UNAVAILABLE', 'others are looked at', { retryable: true });
        return { kind: 'not served', reason: 'nobody answers' };
      },
      readRenewalTime: async () => ({ renewAt: await inHours(2), lookAgainAt: await inHours(9) }),
    },
    async ({ setNames, revoke, ended }) => {
      await setNames(APEX);
      await env.sleep('125 minutes');
      state.isBusy = true;
      await env.sleep('3 minutes');
      state.isBusy = false;
      state.isHeldBack = true;
      await revoke();
      await env.sleep('20 minutes');
      state.isHeldBack = false;
      await env.sleep('3 hours');
      await setNames();
      await ended();
    },
  );
  return { 'certificate-held-back': workflowId };
}
