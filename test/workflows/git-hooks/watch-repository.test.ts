import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { watchWorkflowId } from '../../../domain/git-hooks/messages.ts';
import { ruleRecord } from '../../ports/git-hooks/records.ts';
import { MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startPushes, type TestPushes } from './harness.ts';

// A file of its own: the test server skips no time after a workflow left a child behind that went on.
describe('watchRepository', { timeout: 300_000 }, () => {
  let pushes: TestPushes;
  before(async () => {
    pushes = await startPushes();
  });
  beforeEach(() => {
    pushes.faults.before = {};
    pushes.faults.after = {};
    pushes.parts.refs.failure = null;
    pushes.parts.gitHost.failure = null;
  });
  after(() => pushes.stop());

  it('a look at all has the branches that rules name deployed, and notes what patterns match', async () => {
    const on = await pushes.parts.connected({}, [
      ruleRecord(),
      ruleRecord({ pattern: 'release/*', environment: 'uat' }),
    ]);
    for (const ref of [MAIN, 'refs/heads/release/1', 'refs/heads/other'])
      pushes.parts.refs.commit(on.address, ref, { ref });
    const { id: connectionId } = on.connection;
    const lookAtAll = async () => {
      const id = await pushes.parts.delivered(connectionId, { kind: 'look', ref: null });
      await pushes.commands.lookAtAll(connectionId, id);
      await pushes.ended(watchWorkflowId(connectionId));
      await waitUntil(
        'the look to be decided',
        async () => (await pushes.parts.gitDeliveries.find(id))?.state === 'decided',
      );
      return id;
    };
    const first = await lookAtAll();
    await pushes.looked(on);
    assert.deepEqual(new Set(await pushes.reasonsOf(first)), new Set(['deployed', 'first_look']));
    assert.deepEqual(await pushes.reasonsOf(await lookAtAll()), ['unchanged']);
    pushes.parts.refs.commit(on.address, 'refs/heads/release/2', { a: '1' });
    await lookAtAll();
    await pushes.looked(on, 'refs/heads/release/2');
    assert.deepEqual(
      pushes.requestsOf(on).map(({ environment, source }) => [environment, source.kind === 'git' && source.branch]),
      [
        ['prod', 'main'],
        ['uat', 'release/2'],
      ],
    );
  });

  it('polls where no hook arrives: what is pushed after the first look deploys, until a hook is verified', async () => {
    const on = await pushes.parts.connected({ pollMinutes: 5 });
    const { id: connectionId } = on.connection;
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    pushes.parts.refs.reads = 0;
    await pushes.commands.changed(connectionId);
    await waitUntil(
      'the first look',
      async () => (await pushes.parts.gitConnections.find(connectionId))?.baselineAt != null,
    );
    assert.equal(pushes.requestsOf(on).length, 0);
    const head = pushes.parts.refs.commit(on.address, MAIN, { a: '2' });
    await pushes.env.sleep('11 minutes');
    await pushes.looked(on);
    const [request] = pushes.requestsOf(on);
    assert.deepEqual([pushes.requestsOf(on).length, request?.requestedBy], [1, 'git']);
    assert.equal(request?.source.kind === 'git' && request.source.commit, head);
    const { items } = await pushes.parts.gitDeliveries.list(connectionId, { cursor: null, limit: 50 });
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ['poll'],
      'looks that found nothing are not listed',
    );
    await pushes.parts.gitConnections.verify(connectionId, new Date());
    await pushes.commands.changed(connectionId);
    await pushes.ended(watchWorkflowId(connectionId));
    pushes.parts.refs.commit(on.address, MAIN, { a: '3' });
    await pushes.env.sleep('1 hour');
    assert.equal(pushes.requestsOf(on).length, 1);
  });

  it('goes on polling after its connection could not be read for longer than it asks', async () => {
    const on = await pushes.parts.connected({ pollMinutes: 5 });
    const { id: connectionId } = on.connection;
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    // As after the last attempt, for which a test does not wait.
    const lost = () => {
      throw new FairleadError('INTERNAL', 'no worker answered');
    };
    pushes.faults.before = { readPolling: lost };
    await pushes.commands.changed(connectionId);
    await pushes.env.sleep('5 minutes');
    pushes.faults.before = {};
    const isKnown = async () => (await pushes.parts.gitConnections.find(connectionId))?.baselineAt != null;
    await pushes.env.sleep('5 minutes');
    await waitUntil('the first look', isKnown);
    pushes.faults.before = { findMoved: lost, tellUnreachable: lost };
    await pushes.env.sleep('20 minutes');
    pushes.faults.before = {};
    pushes.parts.refs.commit(on.address, MAIN, { a: '2' });
    await pushes.env.sleep('11 minutes');
    await waitUntil('the push to be deployed', () => pushes.requestsOf(on).length === 1);
    await pushes.parts.gitConnections.remove(connectionId);
    await pushes.commands.changed(connectionId);
    await pushes.ended(watchWorkflowId(connectionId));
  });

  it('ends polling with its connection, and tells once that a repository is refused', async () => {
    const on = await pushes.parts.connected({ pollMinutes: 1 });
    const { id: connectionId } = on.connection;
    await pushes.commands.changed(connectionId);
    await pushes.env.sleep('10 minutes');
    const { items } = await pushes.parts.gitDeliveries.list(connectionId, { cursor: null, limit: 50 });
    assert.deepEqual(
      items.map(({ outcomes }) => outcomes[0]?.reason),
      ['source_refused'],
    );
    await pushes.parts.gitConnections.remove(connectionId);
    await pushes.ended(watchWorkflowId(connectionId));
    const late = await pushes.push(on);
    await pushes.looked(on);
    assert.deepEqual(await pushes.reasonsOf(late), ['connection_removed']);
  });
});
