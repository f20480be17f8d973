// The workflow library looks for it when it is first imported.
import './async-local-storage.ts';
import { Context } from '@temporalio/activity';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { WorkflowDirectory } from '../../../domain/deploys/messages.ts';
import { cleanUpAfterBuild } from '../../../workflows/deploys/clean-up-after-build.ts';
import { coordinateDeploys } from '../../../workflows/deploys/coordinate-deploys.ts';
import { removeService } from '../../../workflows/deploys/remove-service.ts';
import { runBuild } from '../../../workflows/deploys/run-build.ts';
import { deployCommandsSuite } from '../../ports/deploy-commands.ts';
import { createFakeActivities } from '../../workflows/deploys/harness.ts';
import { createInMemoryWorkflows } from '../in-memory/workflow-directory.ts';
import { createDeployClient } from '../interleaving/deploy-client.ts';
import { performActivity } from '../interleaving/perform-activity.ts';
import { waitUntil } from '../wait-until.ts';
import { createWorkflowModel } from './workflow-model.ts';

let last: Promise<unknown> = Promise.resolve();
/** Of all models of this process, one thing happens after the other: the library knows one run at a time. */
function post(work: () => Promise<void>): void {
  last = last.then(work);
}

function createCommands() {
  const slots = createInMemoryWorkflows();
  const letGo = new Map<string, () => void>();
  const begun = new Set<string>();
  const fetchSource = async ({ build }: { readonly build: BuildRequest }) => {
    begun.add(build.buildId);
    const released = new Promise<void>((resolve) => void letGo.set(build.buildId, resolve));
    await Promise.race([released, Context.current().cancelled]);
    return { facts: {} };
  };
  const directory: WorkflowDirectory = { ...slots, requestSlot: async () => true, releaseSlot: async () => undefined };
  const { activities, finished } = createFakeActivities(directory, { fetchSource });
  const model = createWorkflowModel({
    workflows: { coordinateDeploys, runBuild, cleanUpAfterBuild, removeService } as never,
    activities: new Set(Object.keys(activities)),
    perform: (task) => performActivity(task, { begin: () => attempt, activities: () => activities }),
    post,
    tasksOfRun: () => Number.POSITIVE_INFINITY,
  });
  const isBegun = (buildId: string) => waitUntil(`${buildId} has begun`, () => begun.has(buildId));
  return {
    commands: createDeployClient(model, slots),
    whileHeld: (body: () => Promise<void>) => body(),
    async begun(buildId: string): Promise<void> {
      await isBegun(buildId);
    },
    async end(buildId: string): Promise<void> {
      await isBegun(buildId);
      letGo.get(buildId)?.();
      await waitUntil(`${buildId} has ended`, () => finished.some(({ build }) => build.buildId === buildId));
    },
  };
}

/** By a worker that nobody kills. */
const attempt = { lost: new Promise<void>(() => undefined), through: <T>(port: T): T => port };

/** The suite that the real workflows pass on a Temporal server: see test/workflows/deploys/coordinate-deploys.test.ts. */
deployCommandsSuite(createCommands);
