import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LABELS, labelFilter } from '../../../adapters/docker/labels.ts';
import { ensureNetwork } from '../../../adapters/docker/workload-network.ts';
import { createDisposableStacks } from '../../../infra/dev/disposable-stacks.ts';
import { docker, stopChild, testStandIns } from './engine-fixture.ts';

const IMAGE = 'alpine:latest';
const NONE = { removed: [], problems: [] };
const MODULE = join(import.meta.dirname, '../../../infra/dev/disposable-stacks.ts');

describe('disposable stacks', () => {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  let cache = '';
  const env = () => ({ ...process.env, XDG_CACHE_HOME: cache });
  const stacks = () => createDisposableStacks(docker, env());
  const containers = () => docker.listContainers({ all: true, filters: labelFilter(stackId) });

  before(async () => {
    cache = await mkdtemp(join(tmpdir(), 'fairlead-disposable-'));
    await testStandIns().provide(IMAGE);
  });
  after(async () => {
    await stacks().remove(stackId);
    await rm(cache, { recursive: true, force: true });
  });

  /** As a run of tests has it: a container that the engine starts again whenever it starts. */
  async function startWorkload(): Promise<void> {
    await ensureNetwork(docker, stackId);
    const container = await docker.createContainer({
      ...{ Image: IMAGE, Cmd: ['sleep', '600'], Labels: { [LABELS.stack]: stackId } },
      HostConfig: { RestartPolicy: { Name: 'unless-stopped' } },
    });
    await container.start();
  }

  /** A process that has the stack. */
  async function startOwner() {
    const script = `
      const { createDisposableStacks } = await import(${JSON.stringify(MODULE)});
      await createDisposableStacks(null, process.env).add(${JSON.stringify(stackId)});
      console.log('added');
      setInterval(() => undefined, 1_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      ...{ env: env(), stdio: ['ignore', 'pipe', 'inherit'] },
    });
    await once(child.stdout, 'data');
    return child;
  }

  it('are removed with all they have when the process that had them was killed, and not before', async (t) => {
    const owner = await startOwner();
    t.after(() => stopChild(owner));
    await startWorkload();
    assert.deepEqual(await stacks().removeAbandoned(), NONE);
    assert.equal((await containers()).length, 1);

    owner.kill('SIGKILL');
    await once(owner, 'exit');
    assert.deepEqual(await stacks().removeAbandoned(), { removed: [stackId], problems: [] });
    assert.deepEqual(await containers(), []);
    assert.deepEqual(await docker.listNetworks({ filters: labelFilter(stackId) }), []);
    assert.deepEqual(await stacks().removeAbandoned(), NONE);
  });

  it('are removed also where another process has the id of the one that was killed by now', async () => {
    const owner = await startOwner();
    await startWorkload();
    const folder = join(cache, 'fairlead', 'disposable-stacks');
    const [note = ''] = await readdir(folder);
    await stopChild(owner);
    const reused = note.replace(`.${owner.pid}.`, `.${process.pid}.`);
    assert.notEqual(reused, note);
    await rename(join(folder, note), join(folder, reused));
    assert.deepEqual(await stacks().removeAbandoned(), { removed: [stackId], problems: [] });
    assert.deepEqual(await containers(), []);
  });

  it('are removed by two runs that begin at once, with images and volumes', async () => {
    const Labels = { [LABELS.stack]: stackId };
    const owner = await startOwner();
    await startWorkload();
    await docker.createVolume({ Name: `${stackId}-data`, Labels });
    const [container] = await containers();
    await docker
      .getContainer(container?.Id ?? '')
      .commit({ repo: stackId, changes: `LABEL ${LABELS.stack}=${stackId}` });
    await stopChild(owner);
    const both = await Promise.all([stacks().removeAbandoned(), stacks().removeAbandoned()]);
    assert.ok(both.some(({ removed }) => removed.includes(stackId)));
    assert.deepEqual(
      both.flatMap(({ problems }) => problems),
      [],
    );
    const filters = labelFilter(stackId);
    const { Volumes } = await docker.listVolumes({ filters });
    assert.deepEqual(
      [await containers(), Volumes ?? [], await docker.listImages({ filters }), await docker.listNetworks({ filters })],
      [[], [], [], []],
    );
  });

  /** As the note of a process that ended. @param place where its id counts */
  async function abandon(id: string, place?: string): Promise<void> {
    const folder = join(cache, 'fairlead', 'disposable-stacks');
    for (const name of await readdir(folder)) {
      const [stack, , start, here] = name.split('.');
      // An id that no process has.
      if (stack === id) await rename(join(folder, name), join(folder, [id, 2 ** 30, start, place ?? here].join('.')));
    }
  }

  it('of processes elsewhere, such as in a container that shares the folder, are not judged by ids of here', async () => {
    await stacks().add(stackId);
    await startWorkload();
    await writeFile(join(cache, 'fairlead', 'disposable-stacks', '$(no id).1.1.pid1'), '');
    await abandon(stackId, 'pid1');
    assert.deepEqual(await stacks().removeAbandoned(), NONE);
    assert.equal((await containers()).length, 1);
    await stacks().remove(stackId);
    await stacks().add(stackId);
    await abandon(stackId);
    assert.deepEqual(await stacks().removeAbandoned(), { removed: [stackId], problems: [] });
  });

  it('that cannot be removed hold up neither others nor who asks', async () => {
    const blocked = `t${randomBytes(5).toString('hex')}`;
    await docker.createVolume({ Name: blocked, Labels: { [LABELS.stack]: blocked } });
    const user = await docker.createContainer({
      ...{ Image: IMAGE, Cmd: ['true'], HostConfig: { Binds: [`${blocked}:/kept`] } },
    });
    try {
      for (const id of [blocked, stackId]) {
        await stacks().add(id);
        await abandon(id);
      }
      await startWorkload();
      const { removed, problems } = await stacks().removeAbandoned();
      assert.deepEqual([removed, problems.length], [[stackId], 1]);
      assert.match(problems[0] ?? '', new RegExp(`^${blocked}: .*in use`));
      await user.remove({ force: true });
      assert.deepEqual(await stacks().removeAbandoned(), { removed: [blocked], problems: [] });
    } finally {
      await user.remove({ force: true }).catch(() => undefined);
      await stacks().remove(blocked);
    }
  });

  it('are known no more when their own process has removed them', async () => {
    await stacks().add(stackId);
    await startWorkload();
    await stacks().remove(stackId);
    assert.deepEqual([await containers(), await stacks().removeAbandoned()], [[], NONE]);
  });
});
