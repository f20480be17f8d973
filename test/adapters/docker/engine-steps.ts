import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cgroups, findCgroups, type GroupLimits } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { waitUntil } from '../../support/wait-until.ts';

const TREES = existsSync('/sys/fs/cgroup/cgroup.controllers') ? [''] : ['pids', 'memory', 'cpu', 'cpuacct'];
const ROOMY: GroupLimits = { processes: 10_000 };

/** Real programs in real control groups, and the folders in which BuildKit writes of its steps: an engine without an engine. */
export interface EngineSteps extends AsyncDisposable {
  readonly cgroups: Cgroups;
  readonly stackId: string;
  /** The engine's data folder. */
  readonly root: string;
  /** The group of the engine, below which it starts steps. */
  readonly engineGroup: string;
  /** A program in a control group of its own, which is made. @returns its process id */
  programIn(group: string, script?: string): Promise<number>;
  /** As BuildKit begins a RUN instruction of the build. */
  begin(noProxyHost: string, script?: string): Promise<{ readonly id: string; readonly pid: number }>;
}

export async function createEngineSteps(): Promise<EngineSteps> {
  const cgroups = await findCgroups();
  assert.ok(cgroups, 'this test needs root');
  const stackId = `t${randomBytes(5).toString('hex')}`;
  const engineGroup = `fairlead-${stackId}-engine`;
  const root = await mkdtemp(join(tmpdir(), 'fairlead-bounds-'));
  const children: ChildProcess[] = [];
  const programIn = async (group: string, script = 'sleep 600'): Promise<number> => {
    await cgroups.make(engineGroup, ROOMY);
    await cgroups.make(group, ROOMY);
    // It begins when it is in its group.
    const child = spawn('sh', ['-c', `read _; ${script}`], { stdio: ['pipe', 'ignore', 'ignore'] });
    children.push(child);
    const { pid } = child;
    assert.ok(pid);
    for (const tree of TREES) await writeFile(join('/sys/fs/cgroup', tree, group, 'cgroup.procs'), String(pid));
    child.stdin?.end('\n');
    return pid;
  };
  return {
    ...{ cgroups, stackId, root, engineGroup, programIn },
    begin: async (noProxyHost, script) => {
      const id = randomBytes(20).toString('hex').slice(0, 25);
      const group = `${engineGroup}/${id}`;
      const pid = await programIn(group, script);
      const folder = join(root, 'buildkit', 'executor', id);
      await mkdir(folder, { recursive: true });
      const config = {
        process: { env: [`NO_PROXY=${noProxyHost}`] },
        linux: { cgroupsPath: `/${group}` },
        mounts: [{ type: 'bind', source: join(root, 'written') }],
      };
      await writeFile(join(folder, 'config.json'), JSON.stringify(config));
      return { id, pid };
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const group of [engineGroup, `fairlead-${stackId}`]) {
        await cgroups.kill(group);
        await waitUntil('the end of its groups', async () => (await cgroups.remove(group)) || null);
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}
