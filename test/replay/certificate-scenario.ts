import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withCertificate } from './certificate-world.ts';
import type { Recordings } from './recordings.ts';

const APEX = 'certified.example.com';
const WWW = 'www.certified.example.com';
const HOUR_MS = 3_600_000;

/**
 * A certificate from the first name to the last: www fails at first, the authority is away for a while, the apex is not
 * served for minutes, the certificate is renewed, revoked, and taken away.
 */
export async function certificate(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { env } = temporal;
  const state = { issued: 0, wwwFails: true, isAway: true, isServed: false, names: [] as readonly string[] };
  const issued = async () => ({
    ...{ names: state.names, fingerprint: `${state.issued}`.padStart(64, '0') },
    notAfter: new Date((await env.currentTimeMs()) + 90 * 24 * HOUR_MS).toISOString(),
  });
  const workflowId = await withCertificate(
    temporal,
    'certified',
    {
      placeCertificateOrder: async ({ names }) => {
        if (state.isAway) throw new FairleadError('UNAVAILABLE', 'the authority is away', { retryable: true });
        state.names = names;
        return { kind: 'placed', url: 'https://ca.example/order/1' };
      },
      fulfilCertificateOrder: async () => {
        if (state.names.includes(WWW) && state.wwwFails) {
          return { kind: 'failed', failures: [{ host: WWW, reason: 'it does not lead here' }] };
        }
        state.issued += 1;
        return { kind: 'issued', certificate: await issued() };
      },
      checkServed: async () => (state.isServed ? { kind: 'served' } : { kind: 'not served', reason: 'nobody answers' }),
      readRenewalTime: async () => {
        const now = await env.currentTimeMs();
        const [renewAt, lookAgainAt] = [now + 40 * HOUR_MS, now + 30 * HOUR_MS].map((at) => new Date(at).toISOString());
        return { renewAt: renewAt ?? '', lookAgainAt: lookAgainAt ?? '' };
      },
    },
    async ({ setNames, revoke, ended }) => {
      await setNames(APEX, WWW);
      await env.sleep('90 minutes');
      state.isAway = false;
      await env.sleep('30 minutes');
      state.isServed = true;
      state.wwwFails = false;
      await env.sleep('8 hours');
      await revoke();
      await env.sleep('1 minute');
      await setNames(APEX);
      await env.sleep('1 minute');
      await setNames();
      await ended();
    },
  );
  return { certificate: workflowId };
}
