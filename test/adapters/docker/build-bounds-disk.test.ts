import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createBuildBounds } from '../../../adapters/docker/build-bounds/build-bounds.ts';
import { type Cgroups, findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { endFillers } from '../../../adapters/docker/build-bounds/end-fillers.ts';
import { freeBytes } from '../../../adapters/free-bytes.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';

const GIB = 1024 ** 3;
const limitsOf = (diskBytes: number) => buildLimits({ processes: 64, memoryBytes: GIB, diskBytes }, totalmem());

/** Real control groups, and folders as the engine has them; the program that measures is made up. */
describe('a build whose files take long to measure', () => {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  const engineGroup = `fairlead-${stackId}-engine`;
  const children: ChildProcess[] = [];
  let cgroups: Cgroups;
  let root: string;
  let env: Record<string, string>;

  before(async () => {
    const found = await findCgroups();
    assert.ok(found, 'this test needs root');
    cgroups = found;
  });
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-bounds-'));
    env = { PATH: `${root}:${process.env.PATH}` };
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const group of [engineGroup, `fairlead-${stackId}`]) {
      await waitUntil('the end of its groups', async () => (await cgroups.remove(group)) || null);
    }
    await rm(root, { recursive: true, force: true });
  });

  async function measureBy(script: string): Promise<void> {
    await writeFile(join(root, 'du'), `#!/bin/sh\n${script}\n`);
    await chmod(join(root, 'du'), 0o755);
  }

  /** A program in a control group of its own. @returns its process id */
  async function programIn(group: string): Promise<number> {
    await cgroups.make(engineGroup, limitsOf(GIB).ofBuild);
    await cgroups.make(group, limitsOf(GIB).ofBuild);
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    children.push(child);
    const { pid } = child;
    assert.ok(pid);
    const trees = existsSync('/sys/fs/cgroup/cgroup.controllers') ? [''] : ['pids', 'memory', 'cpu'];
    for (const tree of trees) await writeFile(join('/sys/fs/cgroup', tree, group, 'cgroup.procs'), String(pid));
    return pid;
  }

  /** As BuildKit begins a RUN instruction of the build. */
  async function begin(noProxyHost: string): Promise<{ readonly id: string; readonly pid: number }> {
    const id = randomBytes(20).toString('hex').slice(0, 25);
    const pid = await programIn(`${engineGroup}/${id}`);
    const folder = join(root, 'buildkit', 'executor', id);
    await mkdir(folder, { recursive: true });
    const config = {
      process: { env: [`NO_PROXY=${noProxyHost}`] },
      linux: { cgroupsPath: `/${engineGroup}/${id}` },
      mounts: [{ type: 'bind', source: join(root, 'written') }],
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    return { id, pid };
  }

  it('does not keep the next RUN instruction of anybody out of its limits', async () => {
    await measureBy(`touch ${root}/measuring; while [ ! -e ${root}/enough ]; do sleep 0.1; done`);
    // Below nothing, so that each look at the disk measures.
    const limits = limitsOf(-4 * GIB);
    const warn = (message: string): void => assert.fail(message);
    // The watch begins once there is a step.
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    const engineRoot = async (): Promise<string> => {
      asked += 1;
      if (asked > 1) await begun.promise;
      return root;
    };
    const options = { cgroups, stackId, limits, engineRoot, env, onWarning: warn };
    const bound = await createBuildBounds(options)('bld_slow');
    const group = (bound.group ?? '').slice(1);
    const first = await begin(bound.noProxyHost);
    begun.resolve();
    const isBound = async ({ id, pid }: { id: string; pid: number }) =>
      (await cgroups.processes(`${group}/${id}`)).includes(pid) || null;
    await waitUntil('the first instruction is bound', () => isBound(first));
    await waitUntil('it is measured', () => existsSync(join(root, 'measuring')) || null, { withinMs: 15_000 });
    const second = await begin(bound.noProxyHost);
    await waitUntil('the second one is bound', () => isBound(second), { withinMs: 15_000 });
    await writeFile(join(root, 'enough'), '');
    await cgroups.kill(group);
    await bound.close();
  });

  it('counts as having written all that the disk has lost since it began', async () => {
    await measureBy('exit 1');
    const group = `${engineGroup}/bld_many`;
    await cgroups.make(engineGroup, limitsOf(GIB).ofBuild);
    await cgroups.make(group, limitsOf(GIB).ofBuild);
    await programIn(`${group}/step`);
    const build = {
      ...{
        group,
        freeAtStart: (await freeBytes(root)) + 4 * GIB,
        startedAt: performance.now(),
        measuredAt: 0,
        weight: 1,
      },
      ...{ written: new Map(), exceeded: null },
    };
    const step = { group, attempt: 'bld_many', mounted: [join(root, 'written')] };
    const watching = { root, builds: new Map([['bld_many', build]]), steps: new Map([['step', step]]) };
    await endFillers(cgroups, { ...watching, limits: limitsOf(GIB), env });
    assert.equal(build.exceeded, 'disk');
    assert.deepEqual(await cgroups.processes(group), []);
  });
});
