import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { FairleadError } from '../../domain/errors.ts';
import {
  INCIDENT_SIGNALS,
  INCIDENT_WORKFLOWS,
  type IncidentCommands,
  incidentWorkflowId,
} from '../../domain/incidents/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
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
    resolve: (id, resolution) => signal(id, INCIDENT_SIGNALS.resolved, resolution),
    markFlapping: (id, isFlapping) => signal(id, INCIDENT_SIGNALS.flapped, isFlapping),
  };
}
