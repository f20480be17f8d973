import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
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
  /** Also of one whose workflow has not begun yet: it begins by that, with what is on record. */
  const signal = (
    { id, reuse }: { readonly id: string; readonly reuse: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE' },
    name: string,
    argument: unknown,
  ): Promise<void> =>
    reach(async () => {
      const known: KnownIncident = { id, isKnown: true };
      const begun = {
        ...{ workflowId: incidentWorkflowId(id), workflowIdReusePolicy: reuse, taskQueue: TASK_QUEUE, args: [known] },
        ...{ signal: name, signalArgs: [argument], staticSummary: `incident ${id}` },
      };
      try {
        await startedOnceMore(() => client.workflow.signalWithStart(INCIDENT_WORKFLOWS.runIncident, begun));
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        throw new FairleadError('INCIDENT_NOT_FOUND', `No incident ${id} is open`, { cause: error });
      }
    });
  const unlessEnded = (id: string) => ({ id, reuse: 'REJECT_DUPLICATE' }) as const;
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
    acknowledge: (id, acknowledgement) => signal(unlessEnded(id), INCIDENT_SIGNALS.acknowledged, acknowledgement),
    update: (id, update) => signal(unlessEnded(id), INCIDENT_SIGNALS.updated, update),
    // Also where its workflow is gone.
    resolve: (id, resolution) => signal({ id, reuse: 'ALLOW_DUPLICATE' }, INCIDENT_SIGNALS.resolved, resolution),
    goOn: (id) =>
      reach(async () => {
        const known: KnownIncident = { id, isKnown: true };
        try {
          await client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
            ...{ workflowId: incidentWorkflowId(id), taskQueue: TASK_QUEUE, args: [known] },
            workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
            staticSummary: `incident ${id}`,
          });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    markFlapping: (id, isFlapping) => signal(unlessEnded(id), INCIDENT_SIGNALS.flapped, isFlapping),
  };
}
