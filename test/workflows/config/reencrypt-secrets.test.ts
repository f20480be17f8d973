import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PageDone, PageRequested } from '../../../activities/config/index.ts';
import { createReencryptionCommands } from '../../../adapters/temporal/reencryption-commands.ts';
import {
  LOCKER_KINDS,
  NO_PROGRESS,
  type ReencryptionCommands,
  type ReencryptionProgress,
  reencryptionWorkflowId,
} from '../../../domain/config/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const KEY_ID = 'aaaa0001';
const LAST: PageDone = { nextCursor: null, done: { ...NO_PROGRESS, checked: 1 } };

describe('reencryptSecrets', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let commands: ReencryptionCommands;
  let asked: PageRequested[] = [];
  let answer: (request: PageRequested) => Promise<PageDone> = async () => LAST;
  before(async () => {
    env = await startTimeSkipping();
    commands = createReencryptionCommands(env.client);
    const reencryptPage = (request: PageRequested): Promise<PageDone> => {
      asked.push(request);
      return answer(request);
    };
    worker = await startModuleWorker(env.nativeConnection, { module: 'config', activities: { reencryptPage } });
  });
  beforeEach(() => {
    asked = [];
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  const run = async (): Promise<ReencryptionProgress> => {
    await commands.start(KEY_ID);
    return env.client.workflow.getHandle(reencryptionWorkflowId(KEY_ID)).result();
  };

  it('goes through every page of each kind of record, and is done when there is nothing to do', async () => {
    assert.equal(await commands.latest(KEY_ID), null);
    answer = async ({ kind, cursor }) =>
      kind === 'services' && cursor === null ? { nextCursor: 'second', done: LAST.done } : LAST;
    assert.deepEqual(await run(), { ...NO_PROGRESS, checked: 7 });
    assert.deepEqual(asked, [
      { kind: 'services', cursor: null, keyId: KEY_ID },
      { kind: 'services', cursor: 'second', keyId: KEY_ID },
      { kind: 'releases', cursor: null, keyId: KEY_ID },
      { kind: 'git-connections', cursor: null, keyId: KEY_ID },
      { kind: 'databases', cursor: null, keyId: KEY_ID },
      { kind: 'certificates', cursor: null, keyId: KEY_ID },
      { kind: 'acme-accounts', cursor: null, keyId: KEY_ID },
    ]);
    const progress = { ...NO_PROGRESS, checked: 7 };
    assert.deepEqual(await commands.latest(KEY_ID), { status: 'completed', progress, problem: null });
    assert.equal(await commands.latest('bbbb0002'), null, 'it tells nothing of another key');
  });

  it('goes through the kinds that its key seals, in every sweep', async () => {
    answer = async () => ({ ...LAST, done: { ...LAST.done, resealed: asked.length === 1 ? 1 : 0 } });
    const ofLocker = createReencryptionCommands(env.client, LOCKER_KINDS);
    await ofLocker.start('cccc0003');
    const progress = await env.client.workflow.getHandle(reencryptionWorkflowId('cccc0003')).result();
    assert.equal(progress.resealed, 1);
    const page = { kind: 'locker-items', cursor: null, keyId: 'cccc0003' };
    assert.deepEqual(asked, [page, page], 'twice: what the first sealed is looked at again');
  });

  it('sweeps again after one that sealed something, for what was stored with the earlier key meanwhile', async () => {
    answer = async () => ({ ...LAST, done: { ...LAST.done, resealed: asked.length <= 4 ? 4 : 0 } });
    const { checked, resealed, earlierKeyInUse } = await run();
    assert.deepEqual([checked, resealed, asked.length, earlierKeyInUse], [12, 16, 12, false]);
    assert.deepEqual([...new Set(asked.map(({ keyId }) => keyId))], [KEY_ID], 'every sweep is for the same key');
  });

  it('sweeps again after a page that was tried again, whose first attempt may have sealed some', async () => {
    answer = async () => ({ ...LAST, again: asked.length === 1 });
    assert.equal((await run()).resealed, 0);
    assert.equal(asked.length, 12);
  });

  it('ends although something is sealed with the earlier key again and again, and says so', async () => {
    answer = async () => ({ ...LAST, done: { ...LAST.done, resealed: 1 } });
    const { resealed, earlierKeyInUse } = await run();
    assert.deepEqual([resealed, earlierKeyInUse], [18, true]);
    assert.equal(asked.length, 18, 'three sweeps');
  });

  it('counts what no key opens once, however often it sweeps', async () => {
    const lost = { service: 'shop', environment: null, name: 'LOST' };
    const unreadable = { count: 60, first: Array.from({ length: 50 }, () => lost) };
    answer = async ({ kind }) => ({
      ...LAST,
      done: {
        ...LAST.done,
        resealed: asked.length === 1 ? 1 : 0,
        unreadable: kind === 'services' ? unreadable : { count: 1, first: [lost] },
      },
    });
    const progress = await run();
    assert.deepEqual([progress.unreadable.count, progress.unreadable.first.length], [65, 50]);
  });

  it('waits out a database that is away, and a second start joins the run', async () => {
    answer = async () => {
      if (asked.length < 8) throw new FairleadError('UNAVAILABLE', 'the database is away', { retryable: true });
      return LAST;
    };
    await commands.start(KEY_ID);
    await commands.start(KEY_ID);
    assert.equal((await run()).checked, 6);
    assert.equal(asked.length, 13);
  });

  it('tells why it waits, while only workers with another key are there', async () => {
    const refused = Promise.withResolvers<void>();
    answer = async () => {
      if (asked.length === 2) refused.resolve();
      throw new FairleadError('UNAVAILABLE', 'A worker seals with key bbbb0002', { retryable: true });
    };
    await commands.start(KEY_ID);
    await refused.promise;
    assert.match((await commands.latest(KEY_ID))?.problem ?? '', /A worker seals with key bbbb0002/);
    await env.client.workflow.getHandle(reencryptionWorkflowId(KEY_ID)).terminate();
  });

  it('shows what is under way, and tells a run that was terminated as failed', async () => {
    const began = Promise.withResolvers<void>();
    const released = Promise.withResolvers<PageDone>();
    answer = () => {
      began.resolve();
      return released.promise;
    };
    await commands.start(KEY_ID);
    await began.promise;
    assert.deepEqual(await commands.latest(KEY_ID), { status: 'running', progress: NO_PROGRESS, problem: null });
    await env.client.workflow.getHandle(reencryptionWorkflowId(KEY_ID)).terminate();
    assert.deepEqual(await commands.latest(KEY_ID), { status: 'failed', progress: NO_PROGRESS, problem: null });
    released.resolve(LAST);
  });
});
