import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDatabaseCommands } from '../../../adapters/temporal/database-commands.ts';
import { type DropOutcome, type DropRequest, dropWorkflowId } from '../../../domain/databases/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DAY_MS = 86_400_000;

describe('dropDatabase', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let answer: (request: DropRequest) => Promise<DropOutcome>;
  let backUp: (request: DropRequest) => Promise<void> = () => Promise.reject(new Error('no backup is asked for'));
  const measured: string[] = [];
  /** Times at which the activity was asked, by the server's clock, and for which moment. */
  const asked: { readonly at: number; readonly dropAfter: string }[] = [];
  before(async () => {
    env = await startTimeSkipping();
    const dropKeptDatabase = async (request: DropRequest): Promise<DropOutcome> => {
      asked.push({ at: await env.currentTimeMs(), dropAfter: request.dropAfter });
      return answer(request);
    };
    const measureKeptDatabase = async (id: string): Promise<void> => {
      measured.push(id);
      if (id.includes('unmeasured')) throw new FairleadError('INTERNAL', 'the server says nonsense');
    };
    const backUpFinally = async (request: DropRequest): Promise<void> => {
      await backUp(request);
    };
    worker = await startModuleWorker(env.nativeConnection, {
      ...{ module: 'databases', activities: { dropKeptDatabase, measureKeptDatabase } },
      others: { 'final-backups': { activities: { backUpFinally }, slots: 2 } },
    });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  const inDays = async (days: number) => new Date((await env.currentTimeMs()) + days * DAY_MS);
  const result = (id: string): Promise<DropOutcome> =>
    env.client.workflow.getHandle(dropWorkflowId(id)).result() as Promise<DropOutcome>;

  it('waits for the days of grace; asked again meanwhile, it goes on waiting', async () => {
    answer = async () => ({ kind: 'dropped' });
    const id = 'postgres/shop_prod';
    const dropAfter = await inDays(7);
    const { dropLater } = createDatabaseCommands(env.client);
    await Promise.all([dropLater({ id, dropAfter }), dropLater({ id, dropAfter })]);
    assert.deepEqual(await result(id), { kind: 'dropped' });
    assert.deepEqual(
      asked.splice(0).map(({ at, dropAfter: moment }) => [at >= dropAfter.getTime(), moment]),
      [[true, dropAfter.toISOString()]],
    );
  });

  it('waits on where the database was kept again until later, and while its server is away', async () => {
    const id = 'postgres/kept_prod';
    const [first, later] = [await inDays(1), await inDays(30)];
    let failures = 3;
    answer = async ({ dropAfter }) => {
      if (dropAfter === first.toISOString()) return { kind: 'kept', dropAfter: later.toISOString() };
      failures -= 1;
      if (failures >= 0) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      return { kind: 'in use' };
    };
    await createDatabaseCommands(env.client).dropLater({ id, dropAfter: first });
    assert.deepEqual(await result(id), { kind: 'in use' });
    const moments = asked.splice(0).map(({ dropAfter }) => dropAfter);
    assert.deepEqual(moments, [first.toISOString(), ...Array(4).fill(later.toISOString())]);
  });

  it('has it backed up where that is to be first, and is asked again whatever became of that', async () => {
    const first = await inDays(1);
    const later = await inDays(2);
    const backedUp: string[] = [];
    backUp = async ({ dropAfter }) => {
      backedUp.push(dropAfter);
      if (dropAfter === first.toISOString()) throw new FairleadError('BACKUPS_NOT_CONFIGURED', 'there is no store');
    };
    const problems: (string | undefined)[] = [];
    answer = async ({ dropAfter, problem }) => {
      problems.push(problem);
      if (problem === undefined) return { kind: 'backup first' };
      return dropAfter === first.toISOString() ? { kind: 'kept', dropAfter: later.toISOString() } : { kind: 'dropped' };
    };
    const id = 'postgres/saved_prod';
    await createDatabaseCommands(env.client).dropLater({ id, dropAfter: first });
    assert.deepEqual(await result(id), { kind: 'dropped' });
    assert.deepEqual(backedUp, [first.toISOString(), later.toISOString()]);
    assert.deepEqual(problems, [undefined, 'there is no store', undefined, 'it came to no end']);
    asked.splice(0);
  });

  it('of many whose time has come at once, a few are backed up at a time, and a login ends beside them', async () => {
    const dropAfter = await inDays(1);
    const gate = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    const saved = new Set<string>();
    backUp = async ({ id }) => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      saved.add(id);
    };
    answer = async ({ id }) => ({ kind: id.includes('login') || saved.has(id) ? 'dropped' : 'backup first' });
    const commands = createDatabaseCommands(env.client);
    const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => `postgres/many-${name}_prod`);
    for (const id of ids) await commands.dropLater({ id, dropAfter });
    await env.sleep(DAY_MS);
    await waitUntil('two backups', () => running === 2);
    await waitUntil('all to be asked', () => asked.length === ids.length);
    await commands.dropLater({ id: 'postgres/many_prod/login', dropAfter });
    assert.deepEqual(await result('postgres/many_prod/login'), { kind: 'dropped' });
    gate.resolve();
    for (const id of ids) assert.deepEqual(await result(id), { kind: 'dropped' });
    assert.deepEqual([most, saved.size], [2, ids.length]);
  });

  it('is asked how large it is while it waits, which keeps no drop; a login that ends is not', async () => {
    answer = async () => ({ kind: 'dropped' });
    measured.splice(0);
    const { dropLater } = createDatabaseCommands(env.client);
    const dropAfter = await inDays(1);
    const ids = ['postgres/measured_prod', 'postgres/unmeasured_prod'];
    for (const id of ids) await dropLater({ id, dropAfter });
    await dropLater({ id: 'postgres/ended_prod/login', dropAfter: await inDays(-1) });
    for (const id of [...ids, 'postgres/ended_prod/login']) assert.deepEqual(await result(id), { kind: 'dropped' });
    assert.deepEqual(new Set(measured), new Set(ids));
    asked.splice(0);
  });

  it('is dropped sooner where people ask for it, also after its workflow was lost', async () => {
    answer = async () => ({ kind: 'dropped' });
    const { dropLater, dropSooner } = createDatabaseCommands(env.client);
    const id = 'postgres/sooner_prod';
    await dropLater({ id, dropAfter: await inDays(300) });
    const now = await inDays(0);
    await dropSooner({ id, dropAfter: now });
    assert.deepEqual(await result(id), { kind: 'dropped' });
    // By when it was asked: once a workflow has ended, the server's clock goes on to whatever is next.
    const late = (asked[0]?.at ?? 0) - now.getTime();
    assert.ok(late < DAY_MS, `it took ${late} ms`);
    const lost = 'postgres/lost_prod';
    await dropSooner({ id: lost, dropAfter: now });
    assert.deepEqual(await result(lost), { kind: 'dropped' });
    assert.deepEqual(
      asked.splice(0).map(({ dropAfter }) => dropAfter),
      [now.toISOString(), now.toISOString()],
    );
  });
});
