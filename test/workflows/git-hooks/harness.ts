import { createGitHooksActivities, type GitHooksActivities } from '../../../activities/git-hooks/index.ts';
import { createGitHookCommands } from '../../../adapters/temporal/git-hook-commands.ts';
import { type GitHookCommands, pushWorkflowId } from '../../../domain/git-hooks/messages.ts';
import { createGitHooksParts, type GitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

export type Connected = Awaited<ReturnType<GitHooksParts['connected']>>;

/** What is called with the input before, or after, the real activity of a name. */
export type Faults = Partial<
  Record<keyof GitHooksActivities, (input: { readonly ref?: string }) => void | Promise<void>>
>;

/** The workflows of pushes on a time-skipping server, with their real activities on parts in memory. */
export async function startPushes() {
  const env = await startTimeSkipping();
  const commands = heard(createGitHookCommands(env.client));
  const parts = createGitHooksParts();
  const faults: { before: Faults; after: Faults } = { before: {}, after: {} };
  const real = createGitHooksActivities({ ...parts, gitHookCommands: commands });
  const activities = Object.fromEntries(
    Object.entries(real).map(([name, activity]) => [
      name,
      async (input: never) => {
        await faults.before[name as keyof GitHooksActivities]?.(input);
        const result = await (activity as (input: never) => Promise<unknown>)(input);
        await faults.after[name as keyof GitHooksActivities]?.(input);
        return result;
      },
    ]),
  );
  const worker = await startModuleWorker(env.nativeConnection, { module: 'git-hooks', activities });
  const ended = (workflowId: string) => env.client.workflow.getHandle(workflowId).result();
  return {
    ...{ env, commands, parts, faults, ended },
    async push(on: Connected, ref = MAIN): Promise<string> {
      const id = await parts.delivered(on.connection.id, { ref });
      await commands.look({ connectionId: on.connection.id, ref }, id);
      return id;
    },
    looked: (on: Connected, ref = MAIN) => ended(pushWorkflowId({ connectionId: on.connection.id, ref })),
    requestsOf: ({ serviceId }: Connected) => parts.deploys.requests.filter((one) => one.serviceId === serviceId),
    reasonsOf: async (id: string) => (await parts.gitDeliveries.find(id))?.outcomes.map(({ reason }) => reason),
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}

/** Asks again while the server does not answer in time, as who is told to try again does: a loaded machine is slow. */
function heard(commands: GitHookCommands): GitHookCommands {
  const patiently = async (ask: () => Promise<void>): Promise<void> => {
    await waitUntil('the server to take a look', () =>
      ask().then(
        () => true,
        (error: { readonly retryable?: boolean }) => {
          if (error.retryable === true) return false;
          throw error;
        },
      ),
    );
  };
  return {
    look: (pushed, deliveryId) => patiently(() => commands.look(pushed, deliveryId)),
    lookAtAll: (connectionId, deliveryId) => patiently(() => commands.lookAtAll(connectionId, deliveryId)),
    changed: (connectionId) => patiently(() => commands.changed(connectionId)),
  };
}

export type TestPushes = Awaited<ReturnType<typeof startPushes>>;
