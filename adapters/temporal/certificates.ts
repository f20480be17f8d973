import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  CERTIFICATE_STATE,
  CERTIFICATE_WORKFLOWS,
  type CertificateNames,
  type CertificateState,
  certificateWorkflowId,
  SET_CERTIFICATE_NAMES,
} from '../../domain/custom-domains/certificates/messages.ts';
import type { Certificates, DomainPlace } from '../../domain/custom-domains/ports.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';
import { updateWithStart } from './update-with-start.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of certificates. */
export function createCertificates(client: Client, newUpdateId: () => string): Certificates {
  return {
    async set(place, names) {
      const arg: CertificateNames = { names };
      const update = { update: SET_CERTIFICATE_NAMES, updateId: newUpdateId(), arg };
      await answered(client, () => updateWithStart(client, { start: startKeeper(place), ...update }));
    },
    read: (place) =>
      withinReach(client, 'The certificate', async () => {
        try {
          const handle = client.workflow.getHandle(certificateWorkflowId(place));
          // A run that has ended still answers: nobody keeps what it says.
          if ((await handle.describe()).status.name !== 'RUNNING') return [];
          return (await handle.query<CertificateState>(CERTIFICATE_STATE)).names;
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return [];
          throw error;
        }
      }),
  };
}

function startKeeper({ service, environment }: DomainPlace): Parameters<typeof updateWithStart>[1]['start'] {
  return [
    CERTIFICATE_WORKFLOWS.keepCertificate,
    {
      workflowId: certificateWorkflowId({ service, environment }),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: TASK_QUEUE,
      args: [{ service, environment }],
      staticSummary: `the certificate of ${service} in ${environment}`,
    },
  ];
}
