import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { findCgroups } from '../../adapters/docker/build-bounds/cgroups.ts';
import { rootShell } from '../../adapters/docker/machine-shell.ts';
import { removeStack } from '../../adapters/docker/stack-teardown.ts';
import { volatileFolder } from '../../adapters/docker/volatile-folder.ts';
import { createWorkloadFirewall } from '../../adapters/docker/workload-firewall.ts';
import { workloadGroups } from '../../adapters/docker/workload-groups.ts';
import { baseEnv } from '../../adapters/process/base-env.ts';
import { isMarkedAlive, markOf } from './process-mark.ts';
import { cacheFolder, type Env } from './project.ts';

/**
 * Stacks that never start again, by id, each with the process that is to remove what it has on the engine. The engine
 * starts workloads again whenever it starts itself: those of a process that was killed would take memory and time for good.
 */
export interface DisposableStacks {
  /** Notes that this process has the stack, before anything of it is on the engine. */
  readonly add: (stackId: string) => Promise<void>;
  /** Removes whatever the stack has on the engine and on the machine, and the note. */
  readonly remove: (stackId: string) => Promise<void>;
  /** Does so for the stacks whose processes have ended. @returns their ids */
  readonly removeAbandoned: () => Promise<readonly string[]>;
}

export function createDisposableStacks(docker: Docker, env: Env): DisposableStacks {
  const folder = join(cacheFolder(env), 'disposable-stacks');
  /** A note is the name of an empty file, `<stack>.<mark of its process>`: it is there whole, or not at all. */
  const notes = async (): Promise<{ readonly name: string; readonly stackId: string; readonly mark: string }[]> => {
    const names = await readdir(folder).catch(() => []);
    return names.flatMap((name) => {
      const [, stackId, mark] = /^([^.]+)\.(\d+\..+)$/.exec(name) ?? [];
      return stackId === undefined || mark === undefined ? [] : [{ name, stackId, mark }];
    });
  };
  const remove = async (stackId: string): Promise<void> => {
    await removeStack(docker, stackId);
    await removeBounds(docker, stackId, env);
    for (const note of await notes()) if (note.stackId === stackId) await rm(join(folder, note.name), { force: true });
  };
  return {
    add: async (stackId) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${stackId}.${await markOf(process.pid)}`), '');
    },
    remove,
    removeAbandoned: async () => {
      const abandoned: string[] = [];
      for (const { stackId, mark } of await notes()) if (!(await isMarkedAlive(mark))) abandoned.push(stackId);
      for (const stackId of abandoned) await remove(stackId);
      return abandoned;
    },
  };
}

/** The control groups and packet filters of a stack's workloads, which root alone makes. */
async function removeBounds(docker: Docker, stackId: string, env: Env): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await (await findCgroups())?.remove(workloadGroups(stackId));
  const firewall = createWorkloadFirewall({
    docker,
    stackId,
    shell: rootShell(baseEnv(env)),
    open: [],
    routerPort: null,
    volatileFolder: await volatileFolder(),
  });
  await firewall.remove(AbortSignal.timeout(10_000));
}
