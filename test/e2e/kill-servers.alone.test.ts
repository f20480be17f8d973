import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, connection, getBuild, logText, trigger, visit } from './harness.ts';
import { killPart } from './kill-part.ts';
import { buildsOf, containersOf, type SampleService, sampleService, stateOf } from './sample-service.ts';

const CLI = fileURLToPath(new URL('../../cli/fairlead.mjs', import.meta.url));
const COUNTED = 50;
/** Prints a numbered line every tenth of a second. */
const COUNT = `RUN i=0; while [ $i -lt ${COUNTED} ]; do i=$((i+1)); echo "counted $i"; sleep 0.1; done`;

const NUMBERS = Array.from({ length: COUNTED }, (_, index) => index + 1);

/** The numbers an app's build printed, in their order. */
const countedIn = (text: string) => [...text.matchAll(/(?<!echo ")\bcounted (\d+)$/gm)].map(([, n]) => Number(n));

async function startCounting(app: SampleService): Promise<string> {
  const { buildId } = await trigger(app.name);
  await waitUntil('the counting build', async () => countedIn(await logText(buildId)).length > 10);
  assert.equal(stateOf(await getBuild(buildId), 'image-build'), 'running');
  return buildId;
}

async function expectOneCompleted(t: TestContext, app: SampleService, buildId: string, from: number): Promise<void> {
  const build = await completed(buildId);
  t.diagnostic(`completed ${((Date.now() - from) / 1000).toFixed(1)} s after the kill`);
  const attempt = build.steps.find(({ key }) => key === 'image-build')?.attempt ?? 0;
  t.diagnostic(`the image was built in attempt ${attempt}`);
  const counted = countedIn(await logText(buildId));
  assert.deepEqual(attempt === 1 ? counted : counted.slice(-COUNTED), NUMBERS);
  assert.equal((await containersOf(buildId)).length, 1);
  assert.deepEqual(
    (await buildsOf(app.name)).map(({ id }) => id),
    [buildId],
  );
  assert.equal(JSON.parse((await visit(app.name)).body).commit, build.commitSha);
}

test('Temporal killed during a build: the same build completes', async (t) => {
  await using app = await sampleService('no-temporal', { instructions: COUNT });
  const buildId = await startCounting(app);
  const from = Date.now();
  await killPart('temporal');
  await expectOneCompleted(t, app, buildId, from);
});

test('MongoDB killed during a build: the same build completes', async (t) => {
  await using app = await sampleService('no-mongo', { instructions: COUNT });
  const buildId = await startCounting(app);
  const from = Date.now();
  await killPart('mongo');
  await expectOneCompleted(t, app, buildId, from);
});

test('the API killed while logs are followed: every line is shown once, and the build continues', async (t) => {
  await using app = await sampleService('no-api', { instructions: COUNT });
  const { buildId } = await trigger(app.name);
  const { api: address, key } = await connection();
  const follower = spawn(process.execPath, [CLI, 'logs', buildId, '--follow'], {
    env: { ...process.env, FAIRLEAD_URL: address, FAIRLEAD_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [shown, notes] = ['', ''];
  follower.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  follower.stderr.setEncoding('utf8').on('data', (text) => {
    notes += text;
  });
  const exited = once(follower, 'exit');
  await waitUntil('the first numbers', async () => countedIn(shown).length > 10);
  const before = countedIn(shown).length;
  await killPart('api');
  assert.ok(before < COUNTED, 'the build still counted when the API was killed');
  const [code] = await exited;
  assert.equal(code, 0, `${notes}\n${shown}`);
  t.diagnostic(`${before} numbers before the kill, ${countedIn(shown).length} in all`);
  assert.match(notes, /Connection lost/);
  assert.deepEqual(countedIn(shown), NUMBERS);
  const build = await completed(buildId);
  // Later ones ask services that the killed process serves, and are tried again until it is back.
  const isOfBuild = ({ stage }: (typeof build.steps)[number]) => ['cloning', 'building', 'pushing'].includes(stage);
  assert.deepEqual(
    build.steps.filter((step) => step.attempt > 1 && isOfBuild(step)),
    [],
  );
  assert.equal((await api('GET', '/health')).status, 200);
});
