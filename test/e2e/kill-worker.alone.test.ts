import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { waitUntil } from '../support/wait-until.ts';
import { type Build, completed, dataFolder, getBuild, logText, trigger, visit } from './harness.ts';
import { killPart, processesWith } from './kill-part.ts';
import {
  buildsOf,
  containersOf,
  NANO_CPUS,
  nanoCpusOf,
  type SampleService,
  sampleService,
  stateOf,
} from './sample-service.ts';

const run = promisify(execFile);

interface Case {
  readonly app: SampleService;
  /** The step in which the worker is killed. */
  readonly step: string;
  /** Tells that the step's slow work has begun. */
  readonly begun: (buildId: string) => Promise<boolean>;
  /** Lets the work end, where it would not by itself. */
  readonly release?: () => Promise<void>;
}

/** Kills the worker in the middle of a step of each build, and expects the same builds to end as if nothing had happened. */
async function killDuring(t: TestContext, cases: readonly Case[]): Promise<void> {
  const started: { one: Case; buildId: string }[] = [];
  for (const one of cases) {
    const { buildId } = await trigger(one.app.name);
    await waitUntil(`the work of ${one.step}`, () => hasBegun(one, buildId));
    started.push({ one, buildId });
  }
  const from = Date.now();
  await killPart('worker');
  for (const { release } of cases) await release?.();
  for (const { one, buildId } of started) {
    await t.test(`${one.step}: the same build completes`, async (t) => {
      const build = await completed(buildId);
      t.diagnostic(`completed ${((Date.now() - from) / 1000).toFixed(1)} s after the kill`);
      await assertOneBuild(one, build);
    });
  }
}

async function hasBegun({ step, begun }: Case, buildId: string): Promise<boolean> {
  const build = await getBuild(buildId);
  assert.notEqual(build.status, 'failed', JSON.stringify(build.failure));
  return stateOf(build, step) === 'running' && (await begun(buildId));
}

async function assertOneBuild({ app, step }: Case, build: Build): Promise<void> {
  assert.ok((build.steps.find(({ key }) => key === step)?.attempt ?? 0) > 1, `${step} was attempted again`);
  assert.deepEqual(
    (await buildsOf(app.name)).map(({ id }) => id),
    [build.id],
  );
  assert.equal(JSON.parse((await visit(app.name)).body).commit, build.commitSha);
  await nothingLeftOver(build.id, app);
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

/** A clone from a disk that hangs: git blocks when it opens this file, until someone writes to it. */
async function hangingClone(app: SampleService): Promise<Case> {
  const stalled = join(app.repository.path, '.git', 'packed-refs');
  await rm(stalled, { force: true });
  await run('mkfifo', [stalled]);
  const isCloning = async () => (await processesWith(app.repository.path)).some((line) => line.includes('upload-pack'));
  return {
    ...{ app, step: 'source', begun: isCloning },
    release: async () => {
      await waitUntil('the end of the git processes', async () => !(await isCloning()), { withinMs: 5_000 });
      await rm(stalled);
    },
  };
}

/** Process ids of a command, in containers as well. */
async function idsOf(command: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args'], { maxBuffer: 16 * 1024 * 1024 });
  const found = stdout.split('\n').map((line) => /^ *(\d+) (.*?) *$/.exec(line));
  return found.flatMap((one) => (one?.[2] === command ? [Number(one[1])] : []));
}

/** A build whose instruction hangs, until the test ends the process of the second attempt. */
function hangingBuild(app: SampleService, sleep: string): Case {
  let first: readonly number[] = [];
  return {
    ...{ app, step: 'image-build' },
    begun: async () => {
      first = await idsOf(sleep);
      return first.length > 0;
    },
    release: async () => {
      const second = await waitUntil('the second attempt', async () =>
        (await idsOf(sleep)).find((id) => !first.includes(id)),
      );
      process.kill(second, 'SIGTERM');
    },
  };
}

test('a worker killed while it clones one source, builds one image and pushes another', async (t) => {
  const sleep = `sleep 300.${Math.floor(Math.random() * 1e9)}`;
  await using cloned = await sampleService('kill-clone');
  await using built = await sampleService('kill-build', { instructions: `RUN ${sleep} || true` });
  await using pushed = await sampleService('kill-push', {
    instructions: 'RUN head -c 120000000 /dev/urandom > random',
  });
  await killDuring(t, [
    await hangingClone(cloned),
    hangingBuild(built, sleep),
    { app: pushed, step: 'image-push', begun: async (buildId) => /Push image/.test(await logText(buildId)) },
  ]);
  assert.deepEqual(await processesWith(sleep), []);
});

test('a worker killed while a new workload starts: the same container serves, with the CPU of its tier', async (t) => {
  await using app = await sampleService('kill-install', { startupMs: 4_000 });
  let container: string | undefined;
  const begun = async (buildId: string): Promise<boolean> => {
    if ((await nanoCpusOf(buildId)) !== NANO_CPUS.startup) return false;
    container = (await containersOf(buildId))[0]?.Id;
    return true;
  };
  await killDuring(t, [{ app, step: 'install', begun }]);
  const [build] = await buildsOf(app.name);
  assert.deepEqual(
    (await containersOf(build?.id ?? '')).map(({ Id }) => Id),
    [container],
    'the container that was started first is the one that serves',
  );
  assert.equal(await nanoCpusOf(build?.id ?? ''), NANO_CPUS.nano);
});
