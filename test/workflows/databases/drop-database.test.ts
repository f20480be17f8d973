import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDatabaseCommands } from '../../../adapters/temporal/database-commands.ts';
import { type DropOutcome, type DropRequest, dropWorkflowId } from '../../../domain/databases/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const DAY_MS = 86_400_000;

describe('dropDatabase', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let answer: (request: DropRequest) => Promise<DropOutcome>;
  /** Times at which the activity was asked, by the server's clock, and for which moment. */
  const asked: { readonly at: number; readonly dropAfter: string }[] = [];
  before(async () => {
    env = await startTimeSkipping();
    const dropKeptDatabase = async (request: DropRequest): Promise<DropOutcome> => {
      asked.push({ at: await env.currentTimeMs(), dropAfter: request.dropAfter });
      return answer(request);
    };
    worker = await startModuleWorker(env.nativeConnection, { module: 'databases', activities: { dropKeptDatabase } });
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
});
