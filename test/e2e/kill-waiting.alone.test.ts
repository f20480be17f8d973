import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LABELS } from '../../adapters/docker/labels.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Build, completed, getBuild, logText, trigger, visit } from './harness.ts';
import { killPart, part } from './kill-part.ts';
import { makeOrg } from './make-org.ts';
import { buildsOf, containersOf, type SampleService, sampleService } from './sample-service.ts';
import { signalWorkflow } from './signal-workflow.ts';

/** A build waits for a grant of another org, and its processes are killed meanwhile. */
describe('a build that waits for a grant', { timeout: 400_000 }, () => {
  let notes: SampleService;
  let shop: SampleService;
  let buildId: string;
  before(async () => {
    notes = await sampleService('kept-notes', {
      org: await makeOrg('writers'),
      spec: '  auth: { mode: service-only }',
    });
    const dependencies = `  dependencies: [{ service: ${notes.name}, scopes: [read] }]`;
    shop = await sampleService('kept-shop', { spec: `  auth: { mode: service-only }\n${dependencies}` });
    await completed((await trigger(notes.name)).buildId);
    ({ buildId } = await trigger(shop.name, { waitForGrants: true, waitForGrantsSeconds: 3_600 }));
    await waitUntil('the build to wait', async () => (await read())?.waiting != null, { withinMs: 120_000 });
  });
  after(async () => {
    await shop[Symbol.asyncDispose]();
    await notes[Symbol.asyncDispose]();
  });

  /** Null while the API is away. */
  const read = (): Promise<Build | null> => getBuild(buildId).catch(() => null);

  /** The same wait, with the same end, in which one deploy was asked for. */
  async function assertWaits(until: unknown): Promise<void> {
    const build = await waitUntil('the record of the build', read);
    assert.equal(build.waiting?.until, until);
    assert.equal((await buildsOf(shop.name)).length, 1);
    assert.equal((await visit(shop.name)).status, 404, 'nothing is installed');
  }

  it('waits on when the worker and when the API are killed, until the same time', async () => {
    const until = (await read())?.waiting?.until;
    assert.ok(until !== undefined);
    for (const name of ['worker', 'api']) {
      await killPart(name);
      await assertWaits(until);
    }
  });

  it('goes on by itself, once, when the grant is decided while no worker lives', async () => {
    const workers = keepDown('worker');
    await signalWorkflow(`grant/${shop.name}-prod/${notes.name}`, 'approve', 'ada');
    assert.notEqual((await read())?.waiting, null, 'without a worker nobody hears of it');
    assert.ok((await workers.release()) > 0, 'a worker was killed');
    const build = await completed(buildId, 180_000);
    assert.deepEqual([build.waiting, build.blockedGrants], [null, []]);
    assert.deepEqual(
      (await buildsOf(shop.name)).map(({ id, status }) => [id, status]),
      [[buildId, 'completed']],
    );
    // Beside it stands the one by which it reaches its dependency, which is of no release.
    const workloads = (await containersOf(buildId)).filter(({ Labels }) => Labels[LABELS.release] !== undefined);
    assert.deepEqual(
      workloads.map(({ State }) => State),
      ['running'],
    );
    assert.equal(JSON.parse((await visit(shop.name)).body).commit, build.commitSha);
    const text = await logText(buildId);
    assert.equal(text.split('Nothing is left to decide: the build goes on.').length, 2, text);
  });
});

/** Kills each process of a part as soon as it is there, until it is released. @returns on release how many it killed */
function keepDown(name: string): { release(): Promise<number> } {
  let isHeld = true;
  let killed = 0;
  const held = (async () => {
    while (isHeld) {
      const { pid } = await part(name).catch(() => ({ pid: null }));
      if (pid !== null && isAlive(pid)) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
      await delay(50);
    }
    return killed;
  })();
  return {
    release: () => {
      isHeld = false;
      return held;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
