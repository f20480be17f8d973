import { startCoordinator } from '../../../adapters/temporal/start-coordinator.ts';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import {
  BUILDS_IN_HAND,
  buildWorkflowId,
  CANCEL_BUILD,
  type CancelOutcome,
  cleanUpWorkflowId,
  coordinatorWorkflowId,
  DEVIATION_FOUND,
  type DeployCommands,
  REMOVE_TARGET,
  REQUEST_DEPLOY,
  REQUEST_RESTART,
  SLOT_GRANTED,
  serviceRemovalWorkflowId,
  type TriggerOutcome,
  WORKFLOW_TYPES,
  type WorkflowDirectory,
} from '../../../domain/deploys/messages.ts';
import type { RestartRequest } from '../../../domain/deploys/restart.ts';
import type { InMemoryWorkflows } from '../in-memory/workflow-directory.ts';
import type { Start } from '../workflow-model/execution.ts';
import { NOT_HAPPENED, type Update, type WorkflowModel } from '../workflow-model/workflow-model.ts';

/** As the client of the platform has it. */
const ATTEMPTS = 4;

/** The deploy workflows as the API and activities reach them. */
export function createDeployClient(model: WorkflowModel, slots: InMemoryWorkflows) {
  let cancels = 0;
  const starting = (target: DeployTarget): Start => {
    const [type, { workflowId, args }] = startCoordinator(target);
    return { type, workflowId, args };
  };
  const update = async (target: DeployTarget, sent: Update, start?: Start): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await model.update(starting(target).workflowId, sent, start);
      } catch (error) {
        if (error !== NOT_HAPPENED || attempt === ATTEMPTS) throw error;
      }
    }
  };
  const commands: DeployCommands = {
    request: async (build) =>
      (await update(
        build,
        { name: REQUEST_DEPLOY, id: build.buildId, args: [build] },
        starting(build),
      )) as TriggerOutcome,
    async cancel({ buildId, ...target }) {
      cancels += 1;
      const outcome = await update(target, { name: CANCEL_BUILD, id: `cancel-${cancels}`, args: [buildId] });
      return (outcome ?? 'finished') as CancelOutcome;
    },
    async removeService(service) {
      const workflowId = serviceRemovalWorkflowId(service.name);
      await model.start({ workflowId, type: WORKFLOW_TYPES.removeService, args: [service] });
      await model.ended(workflowId);
      return 'removed';
    },
  };
  return {
    ...commands,
    restart: (restart: RestartRequest) =>
      update(restart, { name: REQUEST_RESTART, id: restart.buildId, args: [restart] }, starting(restart)),
    compare: () => model.start({ workflowId: 'reconcile-deploys', type: WORKFLOW_TYPES.reconcileDeploys, args: [] }),
    directory: createDirectory(model, slots, { update, starting }),
  };
}

function createDirectory(
  model: WorkflowModel,
  slots: InMemoryWorkflows,
  {
    update,
    starting,
  }: {
    readonly update: (target: DeployTarget, sent: Update, start?: Start) => Promise<unknown>;
    readonly starting: (target: DeployTarget) => Start;
  },
): WorkflowDirectory {
  const waiting = new Set<string>();
  return {
    ...slots,
    async requestSlot(request) {
      const isAtOnce = await slots.requestSlot(request);
      if (!isAtOnce) waiting.add(request.workflowId);
      return isAtOnce;
    },
    async releaseSlot(buildId, round) {
      await slots.releaseSlot(buildId, round);
      for (const workflowId of waiting) {
        if (slots.wasGranted(workflowId) && waiting.delete(workflowId)) await model.signal(workflowId, SLOT_GRANTED);
      }
    },
    isRunning: async (workflowId) => model.latest(workflowId)?.isOpen === true,
    async isInHand({ service, environment }, buildId) {
      const coordinator = coordinatorWorkflowId(service, environment);
      const [run, build] = [model.latest(coordinator), model.latest(buildWorkflowId(buildId))];
      if (run?.isOpen !== true) return false;
      if (build?.isOpen === false && build.parentRunId === run.runId) return true;
      const known = await model.query(coordinator, BUILDS_IN_HAND);
      return Array.isArray(known) && known.includes(buildId);
    },
    async requestRepair(target) {
      const start = starting(target);
      await model.signal(start.workflowId, DEVIATION_FOUND, start);
    },
    async removeTarget(removal) {
      const id = `remove/${removal.serviceId}`;
      await update(removal, { name: REMOVE_TARGET, id, args: [removal] }, starting(removal));
    },
    async startCleanUp(build) {
      const workflowId = cleanUpWorkflowId(build.buildId);
      if (model.latest(workflowId) !== null) return;
      await model.start({ workflowId, type: WORKFLOW_TYPES.cleanUpAfterBuild, args: [build] });
    },
  };
}
