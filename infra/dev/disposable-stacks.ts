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
import { readIdNamespace } from '../../adapters/process/proc-files.ts';
import { isMarkedAlive, markOf } from './process-mark.ts';
import { cacheFolder, type Env } from './project.ts';
import { errorLine } from './terminal.ts';

/**
 * Stacks that never start again, by id, each with the process that is to remove what it has on the engine. The engine
 * starts workloads again whenever it starts itself: those of a process that was killed would take memory and time for good.
 */
export interface DisposableStacks {
  /** Notes that this process has the stack, before anything of it is on the engine. */
  readonly add: (stackId: string) => Promise<void>;
  /** Removes whatever the stack has on the engine and on the machine, and the note. */
  readonly remove: (stackId: string) => Promise<void>;
  /** Does so for the stacks whose processes have ended, each for itself: what cannot be removed now is left to the next one who asks. */
  readonly removeAbandoned: () => Promise<AbandonedStacks>;
}

export interface AbandonedStacks {
  /** The ids of those that are gone. */
  readonly removed: readonly string[];
  /** One line for each that is not. */
  readonly problems: readonly string[];
}

export function createDisposableStacks(docker: Docker, env: Env): DisposableStacks {
  const folder = join(cacheFolder(env), 'disposable-stacks');
  const notes = async (): Promise<readonly Note[]> => (await readdir(folder).catch(() => [])).flatMap(readNote);
  const remove = async (stackId: string): Promise<void> => {
    await removeStack(docker, stackId);
    await removeBounds(docker, stackId, env);
    for (const note of await notes()) if (note.stackId === stackId) await rm(join(folder, note.name), { force: true });
  };
  return {
    add: async (stackId) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${stackId}.${await markOf(process.pid)}.${await placeOfIds()}`), '');
    },
    remove,
    removeAbandoned: async () => {
      const here = await placeOfIds();
      const removed: string[] = [];
      const problems: string[] = [];
      for (const { stackId, mark, place } of await notes()) {
        if (place !== here || (await isMarkedAlive(mark))) continue;
        await remove(stackId).then(
          () => removed.push(stackId),
          (error: unknown) => problems.push(`${stackId}: ${errorLine(error)}`),
        );
      }
      return { removed, problems };
    },
  };
}

/** The name of an empty file, `<stack>.<mark of its process>.<where its id counts>`: it is there whole, or not at all. */
interface Note {
  readonly name: string;
  readonly stackId: string;
  readonly mark: string;
  readonly place: string;
}

/** None for what is no note: ids of stacks go into commands of root. */
function readNote(name: string): readonly Note[] {
  const [, stackId, mark, place] = /^([a-z0-9]{1,16})\.(\d+\.\w+)\.(\w+)$/.exec(name) ?? [];
  return stackId === undefined || mark === undefined || place === undefined ? [] : [{ name, stackId, mark, place }];
}

/** Where ids of processes mean what they mean here: a container that shares this folder and the engine has others. */
async function placeOfIds(): Promise<string> {
  return await readIdNamespace().catch(() => 'machine');
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
