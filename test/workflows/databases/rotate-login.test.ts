import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDatabasesActivities, type DatabasesActivities } from '../../../activities/databases/index.ts';
import { createDatabaseCommands } from '../../../adapters/temporal/database-commands.ts';
import {
  DATABASE_WORKFLOWS,
  type RotationOutcome,
  type RotationRequest,
  rotationWorkflowId,
} from '../../../domain/databases/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { createRotationWorld, type RotationWorld } from '../../support/rotation-world.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const DATABASE = { id: 'postgres/shop_prod', engine: 'postgres', service: 'shop', environment: 'prod' } as const;
const WORKFLOW_ID = rotationWorkflowId(DATABASE);

describe('rotateLogin', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let world: RotationWorld;
  let activities: DatabasesActivities;
  /** Done before an activity of that name. */
  let faults: Partial<Record<keyof DatabasesActivities, () => Promise<void> | void>> = {};
  before(async () => {
    env = await startTimeSkipping();
    const names = Object.keys(
      createDatabasesActivities((await createRotationWorld()).deps),
    ) as (keyof DatabasesActivities)[];
    const wrapped = names.map((name) => {
      const call = async (...args: never[]) => {
        await faults[name]?.();
        return await (activities[name] as (...args: never[]) => unknown)(...args);
      };
      return [name, call] as const;
    });
    worker = await startModuleWorker(env.nativeConnection, {
      module: 'databases',
      activities: Object.fromEntries(wrapped),
    });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });
  beforeEach(async () => {
    faults = {};
    world = await createRotationWorld();
    await world.provision();
    await world.install('bld_first', 'rel_first');
    world.clock.now = new Date('2026-02-01T00:30:00Z');
    activities = createDatabasesActivities(world.deps);
  });

  const request: RotationRequest = { id: DATABASE.id, isAsked: false, requestedBy: 'schedule', requestId: 'req_night' };
  const start = () =>
    env.client.workflow.start(DATABASE_WORKFLOWS.rotateLogin, {
      workflowId: WORKFLOW_ID,
      taskQueue: TASK_QUEUE,
      args: [request],
    });
  const run = async (): Promise<RotationOutcome> => (await start()).result();
  /** Each restart that is asked for ends so, as soon as it is asked for again. */
  const whenRestarted = (end: () => Promise<void>): void => {
    let ended = world.restarts.length;
    faults.replaceWorkload = async () => {
      if (world.restarts.length === ended) return;
      ended = world.restarts.length;
      await end();
    };
  };

  it('comes to its end once the workload was replaced', async () => {
    whenRestarted(() => world.finishRestart());
    assert.deepEqual(await run(), { kind: 'rotated' });
    assert.deepEqual([world.users(), world.isServed(), world.alarms], [['shop_prod_b'], true, []]);
  });

  it('tells people where the restart fails, keeps both logins, and is gone on with the next night', async () => {
    whenRestarted(() => world.failRestart());
    const outcome = await run();
    assert.equal(outcome.kind, 'waiting');
    assert.match(world.alarms[0]?.text ?? '', /stays valid/);
    assert.deepEqual([world.users().length, world.isServed()], [2, true]);
    whenRestarted(() => world.finishRestart());
    assert.deepEqual(await run(), { kind: 'rotated' });
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
  });

  it('waits an hour for a deploy of people, and then for the next night', async () => {
    world.state.answer = 'busy';
    const outcome = await run();
    assert.match(outcome.kind === 'waiting' ? outcome.reason : '', /people deployed it/);
    assert.deepEqual([world.users().length, world.isServed(), world.alarms.length], [2, true, 1]);
    await world.install('bld_people', 'rel_people');
    assert.deepEqual(await run(), { kind: 'rotated' }, 'their deploy has taken the new login');
  });

  it('tries again while the server is away, and tells people after an hour', async () => {
    let failures = 3;
    const away = () => {
      failures -= 1;
      if (failures >= 0) throw new FairleadError('UNAVAILABLE', 'the server is away', { retryable: true });
    };
    faults.acceptLogin = away;
    whenRestarted(() => world.finishRestart());
    assert.deepEqual(await run(), { kind: 'rotated' });
    world.clock.now = new Date('2026-04-01T00:30:00Z');
    failures = Number.POSITIVE_INFINITY;
    assert.deepEqual(await run(), { kind: 'waiting', reason: 'the server is away' });
    assert.ok(world.isServed());
  });

  it('cancelled while the workload is replaced, it leaves both logins, and another one comes to the end', async () => {
    const { workflow } = env.client;
    faults.replaceWorkload = async () => {
      if (world.restarts.length > 0) await workflow.getHandle(WORKFLOW_ID).cancel();
    };
    await assert.rejects(run());
    const asked = new Set(world.restarts.map(({ buildId }) => buildId));
    assert.deepEqual([asked.size, world.users().length, world.isServed()], [1, 2, true]);
    assert.deepEqual(world.alarms, []);
    whenRestarted(() => world.finishRestart());
    assert.deepEqual(await run(), { kind: 'rotated' });
    assert.deepEqual([world.users(), world.isServed()], [['shop_prod_b'], true]);
  });

  it('asked for by people, it is made before its time; asked for while it runs, it is joined', async () => {
    world.clock.now = new Date('2026-01-02T00:00:00Z');
    const { rotate, isRotating } = createDatabaseCommands(env.client);
    const record = await world.records.find(DATABASE.id);
    assert.ok(record !== null);
    const seen: boolean[] = [];
    whenRestarted(async () => {
      seen.push(await isRotating(record));
      await world.finishRestart();
    });
    const by = { requestedBy: 'usr_ann', requestId: 'req_1' };
    assert.equal(await isRotating(record), false);
    await Promise.all([rotate(record, by), rotate(record, by)]);
    await env.client.workflow.getHandle(WORKFLOW_ID).result();
    assert.deepEqual([await isRotating(record), seen, world.users()], [false, [true], ['shop_prod_b']]);
    assert.deepEqual(
      world.restarts.map(({ requestedBy }) => requestedBy),
      ['usr_ann'],
    );
  });

  it('the night rotates what is due, and no other', async () => {
    whenRestarted(() => world.finishRestart());
    const night = () =>
      env.client.workflow.execute(DATABASE_WORKFLOWS.rotateLogins, { workflowId: 'night', taskQueue: TASK_QUEUE });
    assert.deepEqual(await night(), { rotated: 1, waiting: 0 });
    assert.deepEqual(await night(), { rotated: 0, waiting: 0 });
  });

  it('the night first has servers have the users of the records; where they do not, it rotates all the same', async () => {
    const done: string[] = [];
    faults = {
      reconcileServers: () => {
        done.push('reconcile');
        throw new FairleadError('VALIDATION_FAILED', 'no');
      },
      listDueLogins: () => void done.push('list'),
    };
    activities = { ...activities, listDueLogins: async () => ({ items: [], nextCursor: null }) };
    const night = { workflowId: 'reconciling', taskQueue: TASK_QUEUE };
    await env.client.workflow.execute(DATABASE_WORKFLOWS.rotateLogins, night);
    assert.deepEqual(done, ['reconcile', 'list']);
  });

  it('of more that are due than one page, the night takes the oldest first, two at a time', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `postgres/many-${9 - index}_prod`);
    const pagesOf = [ids.slice(0, 4), [], ids.slice(4)];
    const asked: (string | undefined)[] = [];
    const taken: string[] = [];
    let [running, most] = [0, 0];
    const due = (id: string) => ({ id, engine: 'postgres', service: id, environment: 'prod', consumes: null }) as const;
    activities = {
      ...activities,
      listDueLogins: async (cursor, begunAt) => {
        asked.push(begunAt);
        const page = Number(cursor ?? '0');
        return { items: (pagesOf[page] ?? []).map(due), nextCursor: page === 2 ? null : String(page + 1) };
      },
      prepareLogin: async ({ id }) => {
        taken.push(id);
        running += 1;
        most = Math.max(most, running);
        return { kind: 'begun', buildId: 'bld_1' };
      },
      acceptLogin: async () => undefined,
      promoteLogin: async () => 1,
      replaceWorkload: async () => {
        running -= 1;
        return 'rotated';
      },
    };
    const night = { workflowId: 'long-night', taskQueue: TASK_QUEUE };
    const tally = await env.client.workflow.execute(DATABASE_WORKFLOWS.rotateLogins, night);
    assert.deepEqual(tally, { rotated: ids.length, waiting: 0 });
    assert.deepEqual(taken.slice(0, 2).toSorted(), ids.slice(0, 2).toSorted());
    assert.deepEqual(taken.slice(4).toSorted(), ids.slice(4).toSorted(), 'a page after the one before');
    assert.ok(most <= 2, `${most} at once`);
    assert.equal(new Set(asked).size, 1, 'by the same begin of the night');
    assert.ok(asked[0] !== undefined);
  });

  it('no password is in any history', async () => {
    whenRestarted(() => world.finishRestart());
    await run();
    const history = await env.client.workflow.getHandle(WORKFLOW_ID).fetchHistory();
    assert.ok((history.events?.length ?? 0) > 10);
    const text = JSON.stringify(history, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    assert.equal(text.includes('password-'), false);
  });
});
