import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { waitUntil } from '../support/wait-until.ts';
import { completed, dataFolder, getBuild, logText, trigger, visit } from './harness.ts';
import { killPart, processesWith } from './kill-part.ts';
import { buildsOf, containersOf, type SampleService, sampleService, stateOf } from './sample-service.ts';

const run = promisify(execFile);

interface Case {
  /** The step in which the worker is killed. */
  readonly step: string;
  /** Tells that the step's slow work has begun. */
  readonly begun: (buildId: string, app: SampleService) => Promise<boolean>;
  readonly afterKill?: (app: SampleService) => Promise<void>;
}

/** Kills the worker in the middle of a step and expects the same build to end as if nothing had happened. */
async function killDuring(t: TestContext, app: SampleService, { step, begun, afterKill }: Case): Promise<void> {
  const { buildId } = await trigger(app.name);
  await waitUntil(`the work of ${step}`, async () => {
    const build = await getBuild(buildId);
    assert.notEqual(build.status, 'failed', JSON.stringify(build.failure));
    return stateOf(build, step) === 'running' && (await begun(buildId, app));
  });
  const from = Date.now();
  await killPart('worker');
  await afterKill?.(app);
  const build = await completed(buildId);
  t.diagnostic(`completed ${((Date.now() - from) / 1000).toFixed(1)} s after the kill`);

  assert.ok((build.steps.find(({ key }) => key === step)?.attempt ?? 0) > 1, `${step} was attempted again`);
  assert.deepEqual(
    (await buildsOf(app.name)).map(({ id }) => id),
    [buildId],
  );
  assert.equal(JSON.parse((await visit(app.name)).body).commit, build.commitSha);
  await nothingLeftOver(buildId, app);
}

async function nothingLeftOver(buildId: string, app: SampleService): Promise<void> {
  const containers = await containersOf(buildId);
  assert.deepEqual(
    containers.map(({ State }) => State),
    ['running'],
  );
  await waitUntil('the end of the workspace', async () => {
    const names = await readdir(join(dataFolder(), 'workspaces'));
    return !names.some((name) => name.includes(buildId));
  });
  await waitUntil(
    'the end of all processes of the build',
    async () => (await processesWith(buildId, app.repository.path)).length === 0,
    { withinMs: 10_000 },
  );
}

test('a worker killed while it clones', async (t) => {
  await using app = await sampleService('kill-clone');
  // A repository on a disk that hangs: git blocks when it opens this file, until someone writes to it.
  const stalled = join(app.repository.path, '.git', 'packed-refs');
  await rm(stalled, { force: true });
  await run('mkfifo', [stalled]);
  await killDuring(t, app, {
    step: 'source',
    begun: async () => (await processesWith(app.repository.path)).some((line) => line.includes('upload-pack')),
    afterKill: async () => {
      await waitUntil(
        'the end of the git processes',
        async () => !(await processesWith(app.repository.path)).some((line) => line.includes('upload-pack')),
        { withinMs: 5_000 },
      );
      await rm(stalled);
    },
  });
});

test('a worker killed while it builds the image', async (t) => {
  const sleep = `sleep 4.${Math.floor(Math.random() * 1e9)}`;
  await using app = await sampleService('kill-build', { instructions: `RUN ${sleep}` });
  await killDuring(t, app, {
    step: 'image-build',
    begun: async () => (await processesWith(sleep)).some((line) => line.trim() === sleep),
  });
  assert.deepEqual(await processesWith(sleep), []);
});

test('a worker killed while it pushes the image', async (t) => {
  await using app = await sampleService('kill-push', { instructions: 'RUN head -c 120000000 /dev/urandom > random' });
  await killDuring(t, app, {
    step: 'image-push',
    begun: async (buildId) => /Push image/.test(await logText(buildId)),
  });
});

test('a worker killed while the new workload starts', async (t) => {
  await using app = await sampleService('kill-install', { startupMs: 4_000 });
  let container: string | undefined;
  await killDuring(t, app, {
    step: 'install',
    begun: async (buildId) => {
      const [found] = await containersOf(buildId);
      container = found?.State === 'running' ? found.Id : undefined;
      return container !== undefined;
    },
  });
  const [build] = await buildsOf(app.name);
  assert.deepEqual(
    (await containersOf(build?.id ?? '')).map(({ Id }) => Id),
    [container],
    'the container that was started first is the one that serves',
  );
});
