import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import {
  INCIDENT_SIGNALS,
  INCIDENT_WORKFLOWS,
  type IncidentCommands,
  incidentWorkflowId,
  type KnownIncident,
} from '../../domain/incidents/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { startedOnceMore } from './started-once-more.ts';
import { withinReach } from './within-reach.ts';

/** The way to the workflows of incidents. */
export function createIncidentCommands(client: Client): IncidentCommands {
  const reach = <T>(call: () => Promise<T>) => withinReach(client, 'What keeps incidents', call);
  const signal = (id: string, name: string, argument: unknown): Promise<void> =>
    reach(async () => {
      try {
        await client.workflow.getHandle(incidentWorkflowId(id)).signal(name, argument);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        throw new FairleadError('INCIDENT_NOT_FOUND', `No incident ${id} is open`, { cause: error });
      }
    });
  return {
    begin: (start) =>
      reach(async () => {
        try {
          await client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
            workflowId: incidentWorkflowId(start.id),
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            taskQueue: TASK_QUEUE,
            args: [start],
            staticSummary: `incident: ${start.title}`.slice(0, 200),
          });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    acknowledge: (id, acknowledgement) => signal(id, INCIDENT_SIGNALS.acknowledged, acknowledgement),
    update: (id, update) => signal(id, INCIDENT_SIGNALS.updated, update),
    resolve: (id, resolution) =>
      reach(async () => {
        const known: KnownIncident = { id, isKnown: true };
        const ending = {
          workflowId: incidentWorkflowId(id),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
          taskQueue: TASK_QUEUE,
          args: [known],
          signal: INCIDENT_SIGNALS.resolved,
          signalArgs: [resolution],
          staticSummary: `the end of ${id}`,
        };
        await startedOnceMore(() => client.workflow.signalWithStart(INCIDENT_WORKFLOWS.runIncident, ending));
      }),
    markFlapping: (id, isFlapping) => signal(id, INCIDENT_SIGNALS.flapped, isFlapping),
  };
}
