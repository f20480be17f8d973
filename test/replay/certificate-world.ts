import { WithStartWorkflowOperation } from '@temporalio/client';
import type { CertificatesActivities } from '../../activities/custom-domains/certificates/index.ts';
import {
  CERTIFICATE_REVOKED,
  CERTIFICATE_WORKFLOWS,
  certificateWorkflowId,
  SET_CERTIFICATE_NAMES,
} from '../../domain/custom-domains/certificates/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';

/** The certificate of one service, as its workflow is told of it. */
export interface RecordedCertificate {
  /** None: it is taken away. */
  setNames(...names: string[]): Promise<void>;
  revoke(): Promise<void>;
  ended(): Promise<unknown>;
}

type Played = Omit<CertificatesActivities, keyof typeof QUIET> & Partial<CertificatesActivities>;

/** What does nothing unless a situation says otherwise. */
const QUIET = {
  readCertificate: async () => null,
  deliverCertificate: async () => undefined,
  tellNotServed: async () => undefined,
  removeCertificateFiles: async () => undefined,
  forgetCertificate: async () => null,
} satisfies Partial<CertificatesActivities>;

/** Plays the certificate of a service in prod with activities of its own. @returns the id of its workflow */
export async function withCertificate(
  temporal: Awaited<ReturnType<typeof createTemporal>>,
  service: string,
  activities: Played,
  play: (certificate: RecordedCertificate) => Promise<void>,
): Promise<string> {
  const { workflow } = temporal.client;
  const of = { service, environment: 'prod' } as const;
  const [workflowId, taskQueue] = [certificateWorkflowId(of), `certificates-${service}`];
  const handle = workflow.getHandle(workflowId);
  const options = { taskQueue, module: 'certificates', activities: { ...QUIET, ...activities } };
  await withOwnWorker(temporal, options, () =>
    play({
      async setNames(...names) {
        const startWorkflowOperation = new WithStartWorkflowOperation(CERTIFICATE_WORKFLOWS.keepCertificate, {
          ...{ workflowId, taskQueue, args: [of] },
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
        const args: [{ names: string[] }] = [{ names }];
        await workflow.executeUpdateWithStart(SET_CERTIFICATE_NAMES, { args, startWorkflowOperation });
      },
      revoke: () => handle.signal(CERTIFICATE_REVOKED),
      ended: () => handle.result(),
    }),
  );
  return workflowId;
}
