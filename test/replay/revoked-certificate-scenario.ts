import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withCertificate } from './certificate-world.ts';
import type { Recordings } from './recordings.ts';

const APEX = 'revoked.example.com';
const WWW = 'www.revoked.example.com';
const HOUR_MS = 3_600_000;

/**
 * A certificate that is revoked while the order for a further name is held back. What replaces it cannot be given to the router
 * for a while, and operators cannot be told of that; looks are put off; then its names are taken away one by one.
 */
export async function revokedCertificate(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { env } = temporal;
  const state = { issued: 0, isHeldBack: false, isBusy: false, isBroken: false, names: [] as readonly string[] };
  const inHours = async (hours: number) => new Date((await env.currentTimeMs()) + hours * HOUR_MS).toISOString();
  const unlessBroken = async (): Promise<void> => {
    if (state.isBroken) throw new FairleadError('INTERNAL', 'the disk is full');
  };
  const workflowId = await withCertificate(
    temporal,
    'revoked',
    {
      placeCertificateOrder: async ({ names }) => {
        if (state.isHeldBack) return { kind: 'held back', until: await inHours(3), reason: 'too many orders' };
        state.names = names;
        return { kind: 'placed', url: 'https://ca.example/order/1' };
      },
      fulfilCertificateOrder: async () => {
        state.issued += 1;
        const fingerprint = `${state.issued}`.padStart(64, '0');
        return { kind: 'issued', certificate: { names: state.names, fingerprint, notAfter: await inHours(144) } };
      },
      deliverCertificate: unlessBroken,
      checkServed: async () => {
        if (state.isBusy) throw new FairleadError('UNAVAILABLE', 'others are looked at', { retryable: true });
        return state.isBroken ? { kind: 'not served', reason: 'another certificate is shown' } : { kind: 'served' };
      },
      readRenewalTime: async () => ({ renewAt: await inHours(96), lookAgainAt: await inHours(6) }),
      tellNotServed: unlessBroken,
    },
    async ({ setNames, revoke, ended }) => {
      await setNames(APEX);
      await env.sleep('1 minute');
      state.isHeldBack = true;
      await setNames(APEX, WWW);
      await env.sleep('10 minutes');
      Object.assign(state, { isHeldBack: false, isBroken: true });
      await revoke();
      await env.sleep('12 minutes');
      Object.assign(state, { isBroken: false, isBusy: true });
      await env.sleep('12 minutes');
      state.isBusy = false;
      await env.sleep('20 minutes');
      await setNames(APEX);
      await env.sleep('1 minute');
      await setNames();
      await ended();
    },
  );
  return { 'certificate-revoked-in-hold': workflowId };
}
