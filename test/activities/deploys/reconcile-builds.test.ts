import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reconcileBuilds } from '../../../activities/deploys/reconcile-builds.ts';
import { buildWorkflowId, coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRecord } from '../../ports/records.ts';
import { MANY, NOW, upkeepParts } from './upkeep-parts.ts';

const { signal } = new AbortController();
const ids = Array.from({ length: MANY }, (_, index) => `bld_${index}`);

async function openBuilds() {
  const parts = upkeepParts();
  for (const id of ids) await parts.deps.builds.create(buildRecord({ id, service: `of-${id}` }));
  return parts;
}

describe('reconciling builds', () => {
  it('ends every open build that no workflow works on, however many there are', async () => {
    const { deps } = await openBuilds();
    assert.deepEqual((await reconcileBuilds(deps, signal)).toSorted(), ids.toSorted());
    const [first] = ids;
    const record = await deps.builds.find(first ?? '');
    assert.deepEqual(
      [record?.status, record?.reason, record?.failure?.code],
      ['failed', 'abandoned', 'BUILD_ABANDONED'],
    );
    assert.match((await deps.log.read(first ?? '', 0, 10))[0]?.text ?? '', /No workflow runs this build/);
    assert.deepEqual(await reconcileBuilds(deps, signal), []);
  });

  it('leaves a build whose workflow or coordinator is at work, and one that was just created', async () => {
    const { deps, workflows } = await openBuilds();
    workflows.start(buildWorkflowId('bld_3'));
    workflows.start(coordinatorWorkflowId('of-bld_4', 'prod'), ['bld_4']);
    await deps.builds.create(buildRecord({ id: 'bld_new', createdAt: new Date(NOW.getTime() - 59_000) }));
    assert.equal((await reconcileBuilds(deps, signal)).length, MANY - 2);
    const states = await Promise.all(['bld_3', 'bld_4', 'bld_new', 'bld_5'].map((id) => deps.builds.stateOf(id)));
    assert.deepEqual(states, ['open', 'open', 'open', 'ended']);
  });

  it('ends a build that its coordinator does not know any more, as when it was terminated and runs again', async () => {
    const { deps, workflows } = await openBuilds();
    const coordinator = coordinatorWorkflowId('of-bld_4', 'prod');
    workflows.start(coordinator, ['bld_4']);
    await reconcileBuilds(deps, signal);
    assert.equal(await deps.builds.stateOf('bld_4'), 'open');
    workflows.end(coordinator);
    workflows.start(coordinator, ['bld_later']);
    assert.deepEqual(await reconcileBuilds(deps, signal), ['bld_4']);
    assert.equal((await deps.builds.find('bld_4'))?.reason, 'abandoned');
  });

  it('a build that cannot be examined hinders no other, and is named at the end', async () => {
    const { deps, workflows } = await openBuilds();
    const isRunning = async (id: string): Promise<boolean> => {
      if (id === buildWorkflowId('bld_7')) throw new FairleadError('UNAVAILABLE', 'no such namespace');
      return await workflows.isRunning(id);
    };
    const expected = { code: 'UNAVAILABLE', message: /bld_7: no such namespace$/ };
    await assert.rejects(reconcileBuilds({ ...deps, workflows: { ...workflows, isRunning } }, signal), expected);
    const open = await deps.builds.listOpen(null, { cursor: null, limit: 10 });
    assert.deepEqual(
      open.items.map(({ id }) => id),
      ['bld_7'],
    );
  });

  it('ends between two builds when it is told to', async () => {
    const told = new AbortController();
    let asked = 0;
    const { deps, workflows } = await openBuilds();
    const isRunning = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 10) told.abort(new Error('told to end'));
      return true;
    };
    const telling = { ...deps, workflows: { ...workflows, isRunning } };
    await assert.rejects(reconcileBuilds(telling, told.signal), /told to end/);
    assert.equal(asked, 10);
  });
});
