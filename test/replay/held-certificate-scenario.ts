import { WithStartWorkflowOperation } from '@temporalio/client';
import type { CertificatesActivities } from '../../activities/custom-domains/certificates/index.ts';
import {
  CERTIFICATE_REVOKED,
  CERTIFICATE_WORKFLOWS,
  certificateWorkflowId,
  SET_CERTIFICATE_NAMES,
} from '../../domain/custom-domains/certificates/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const SHOP = { service: 'held', environment: 'prod' } as const;
const APEX = 'held.example.com';
const HOUR_MS = 3_600_000;

/**
 * A certificate that is never served, is renewed, cannot be looked at for a while, and is revoked while its authority holds
 * orders back.
 */
export async function heldCertificate(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { env, client } = temporal;
  const state = { issued: 0, isHeldBack: false, isBusy: false };
  const inHours = async (hours: number) => new Date((await env.currentTimeMs()) + hours * HOUR_MS).toISOString();
  const activities: CertificatesActivities = {
    readCertificate: async () => null,
    placeCertificateOrder: async () =>
      state.isHeldBack
        ? { kind: 'held back', until: await inHours(3), reason: 'too many orders' }
        : { kind: 'placed', url: 'https://ca.example/order/1' },
    fulfilCertificateOrder: async () => {
      state.issued += 1;
      const fingerprint = `${state.issued}`.padStart(64, '0');
      return { kind: 'issued', certificate: { names: [APEX], fingerprint, notAfter: await inHours(144) } };
    },
    deliverCertificate: async () => undefined,
    checkServed: async () => {
      if (state.isBusy) throw new FairleadError('UNAVAILABLE', 'others are looked at', { retryable: true });
      return { kind: 'not served', reason: 'nobody answers' };
    },
    readRenewalTime: async () => ({ renewAt: await inHours(2), lookAgainAt: await inHours(9) }),
    tellNotServed: async () => undefined,
    removeCertificateFiles: async () => undefined,
    forgetCertificate: async () => null,
  };
  const options = { taskQueue: 'certificates-held', module: 'certificates', activities };
  const workflowId = certificateWorkflowId(SHOP);
  await withOwnWorker(temporal, options, async () => {
    const setNames = async (...names: string[]): Promise<void> => {
      const startWorkflowOperation = new WithStartWorkflowOperation(CERTIFICATE_WORKFLOWS.keepCertificate, {
        ...{ workflowId, taskQueue: options.taskQueue, args: [SHOP] },
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      const args: [{ names: string[] }] = [{ names }];
      await client.workflow.executeUpdateWithStart(SET_CERTIFICATE_NAMES, { args, startWorkflowOperation });
    };
    const handle = client.workflow.getHandle(workflowId);
    await setNames(APEX);
    await env.sleep('125 minutes');
    state.isBusy = true;
    await env.sleep('3 minutes');
    state.isBusy = false;
    state.isHeldBack = true;
    await handle.signal(CERTIFICATE_REVOKED);
    await env.sleep('20 minutes');
    state.isHeldBack = false;
    await env.sleep('3 hours');
    await setNames();
    await handle.result();
  });
  return { 'certificate-held-back': workflowId };
}
