import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askForBuild } from '../../../activities/git-hooks/ask-for-build.ts';
import { lookAtRef } from '../../../activities/git-hooks/look-at-ref.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { ruleRecord } from '../../ports/git-hooks/records.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';

const never = new AbortController().signal;

describe('a look at a branch', () => {
  const parts = createGitHooksParts();
  type Connected = Awaited<ReturnType<typeof parts.connected>>;

  const lookOf = ({ connection }: Connected, deliveries: readonly string[] = [], ref = MAIN) =>
    lookAtRef(parts, { connectionId: connection.id, ref, deliveries }, never);

  /** What a look decides, all of it carried out. */
  async function deploy(on: Connected, deliveries: readonly string[] = [], ref = MAIN) {
    const { outcomes, builds } = await lookOf(on, deliveries, ref);
    const asked = [];
    for (const build of builds) asked.push((await askForBuild(parts, build)).outcome);
    return [...outcomes, ...asked].map(({ reason }) => reason);
  }

  const requestsOf = ({ serviceId }: Connected) => parts.deploys.requests.filter((one) => one.serviceId === serviceId);
  const commitsOf = (on: Connected) =>
    requestsOf(on).map(({ source }) => (source.kind === 'git' ? source.commit : null));

  it('deploys the head that git answers, whatever the delivery says, for the org of the service', async () => {
    const on = await parts.connected();
    const head = parts.refs.commit(on.address, MAIN, { a: '1' });
    const claimed = await parts.delivered(on.connection.id, { claimedHead: 'f'.repeat(40), login: 'eve' });
    assert.deepEqual(await deploy(on, [claimed]), ['deployed']);
    const [request] = requestsOf(on);
    assert.deepEqual(request?.source, { kind: 'git', url: on.address, branch: 'main', commit: head });
    assert.deepEqual([request?.org, request?.requestedBy, request?.kind], ['acme', 'git:eve', 'deploy']);
  });

  it('deploys a head once, and an older one again after a forced push', async () => {
    const on = await parts.connected();
    const first = parts.refs.commit(on.address, MAIN, { a: '1' });
    assert.deepEqual([await deploy(on), await deploy(on)], [['deployed'], ['unchanged']]);
    const second = parts.refs.commit(on.address, MAIN, { a: '2' });
    assert.deepEqual([await deploy(on), await deploy(on)], [['deployed'], ['unchanged']]);
    parts.refs.point(on.address, MAIN, first);
    assert.deepEqual([await deploy(on), await deploy(on)], [['deployed'], ['unchanged']]);
    assert.deepEqual(commitsOf(on), [first, second, first]);
  });

  it('deploys an older head again after a forced push, although an attempt for it was paused and ended late', async () => {
    const on = await parts.connected();
    const first = parts.refs.commit(on.address, MAIN, { a: '1' });
    const { builds } = await lookOf(on);
    const [paused] = builds;
    assert.ok(paused !== undefined);
    await askForBuild(parts, paused);
    parts.refs.commit(on.address, MAIN, { a: '2' });
    assert.deepEqual(await deploy(on), ['deployed']);
    await askForBuild(parts, paused);
    assert.deepEqual(await deploy(on), ['unchanged']);
    parts.refs.point(on.address, MAIN, first);
    assert.deepEqual(await deploy(on), ['deployed']);
  });

  it('deploys tags and patterns of branches to the environments of their rules', async () => {
    const on = await parts.connected({}, [
      ruleRecord(),
      ruleRecord({ environment: 'uat' }),
      ruleRecord({ pattern: 'release/*', environment: 'sandbox' }),
      ruleRecord({ kind: 'tag', pattern: 'v*' }),
    ]);
    for (const ref of [MAIN, 'refs/heads/release/1', 'refs/heads/other', 'refs/tags/v1', 'refs/tags/x']) {
      parts.refs.commit(on.address, ref, { ref });
    }
    assert.deepEqual(await deploy(on), ['deployed', 'deployed']);
    assert.deepEqual(await deploy(on, [], 'refs/heads/release/1'), ['deployed']);
    assert.deepEqual(await deploy(on, [], 'refs/heads/other'), ['no_rule']);
    assert.deepEqual(await deploy(on, [], 'refs/tags/v1'), ['deployed']);
    assert.deepEqual(await deploy(on, [], 'refs/tags/x'), ['no_rule']);
    assert.deepEqual(
      requestsOf(on).map(({ environment, source }) => [environment, source.kind === 'git' && source.branch]),
      [
        ['prod', 'main'],
        ['uat', 'main'],
        ['sandbox', 'release/1'],
        ['prod', null],
      ],
    );
  });

  it('leaves out a head that asks for it, and deploys what it changed with the next one', async () => {
    const on = await parts.connected({}, [ruleRecord({ paths: ['src/**'] })]);
    parts.refs.commit(on.address, MAIN, { 'src/a': '1' });
    assert.deepEqual(await deploy(on), ['deployed']);
    parts.refs.commit(on.address, MAIN, { 'src/a': '2' }, 'Not yet [skip deploy]');
    assert.deepEqual([await deploy(on), await deploy(on)], [['skip_mark'], ['unchanged']]);
    parts.refs.commit(on.address, MAIN, { 'docs/a': '1' });
    assert.deepEqual(await deploy(on), ['deployed'], 'src changed since what was built');
    parts.refs.commit(on.address, MAIN, { 'docs/a': '2' });
    assert.deepEqual(await deploy(on), ['paths_unchanged']);
  });

  it('deploys where it is not to be known what changed', async () => {
    const on = await parts.connected({}, [ruleRecord({ paths: ['src/**'] })]);
    const first = parts.refs.commit(on.address, MAIN, { 'docs/a': '1' });
    assert.deepEqual(await deploy(on), ['deployed'], 'nothing was built before');
    parts.refs.commit(on.address, MAIN, { 'docs/a': '2' });
    parts.refs.forget(first);
    assert.deepEqual(await deploy(on), ['deployed'], 'the base is gone');
  });

  it('deploys by any of two rules of an environment', async () => {
    const on = await parts.connected({}, [
      ruleRecord({ paths: ['a/**'] }),
      ruleRecord({ pattern: 'm*', paths: ['b/**'] }),
    ]);
    parts.refs.commit(on.address, MAIN, { 'a/x': '1' });
    await deploy(on);
    parts.refs.commit(on.address, MAIN, { 'b/x': '1' });
    assert.deepEqual(await deploy(on), ['deployed']);
    parts.refs.commit(on.address, MAIN, { 'c/x': '1' });
    assert.deepEqual(await deploy(on), ['paths_unchanged']);
  });

  it('deploys nothing while the connection is paused, and the head once it is not', async () => {
    const on = await parts.connected({ paused: true });
    parts.refs.commit(on.address, MAIN, { a: '1' });
    assert.deepEqual(await deploy(on), ['paused']);
    await parts.gitConnections.replace({ ...on.connection, paused: false }, 1);
    assert.deepEqual(await deploy(on), ['deployed']);
  });

  it('deploys nothing of a branch that is gone, or a repository that is', async () => {
    const on = await parts.connected();
    assert.deepEqual(await deploy(on), ['source_refused']);
    parts.refs.commit(on.address, MAIN, { a: '1' });
    parts.refs.remove(on.address, MAIN);
    assert.deepEqual(await deploy(on), ['ref_deleted']);
    assert.deepEqual(requestsOf(on), []);
  });

  it('deploys nothing once the connection, the service, its owner or its repository is another', async () => {
    const [removed, gone, lost, moved] = [
      await parts.connected(),
      await parts.connected(),
      await parts.connected(),
      await parts.connected(),
    ];
    const all = [removed, gone, lost, moved];
    for (const on of all) parts.refs.commit(on.address, MAIN, { a: '1' });
    await parts.gitConnections.remove(removed.connection.id);
    await parts.services.remove(gone.serviceId);
    await parts.services.remove(lost.serviceId);
    await parts.services.upsert({ id: lost.serviceId, name: lost.service, org: 'other' }, { gitUrl: lost.address });
    await parts.services.upsert(
      { id: moved.serviceId, name: moved.service, org: 'acme' },
      { gitUrl: 'https://git.example/acme/elsewhere' },
    );
    const reasons = [];
    for (const on of all) reasons.push(...(await deploy(on)));
    assert.deepEqual(reasons, ['connection_removed', 'service_removed', 'service_not_owned', 'repository_changed']);
    for (const on of all) assert.deepEqual(requestsOf(on), []);
  });

  it('decided before the service was lost asks for no build after it', async () => {
    const on = await parts.connected();
    parts.refs.commit(on.address, MAIN, { a: '1' });
    const [build] = (await lookOf(on)).builds;
    assert.ok(build);
    await parts.services.remove(on.serviceId);
    const asked = await askForBuild(parts, build);
    assert.deepEqual([asked.outcome.reason, asked.report], ['service_removed', null]);
    assert.deepEqual(requestsOf(on), []);
  });

  it('that is repeated finds the build it asked for, or the one it was attached to', async () => {
    const on = await parts.connected();
    const commit = parts.refs.commit(on.address, MAIN, { a: '1' });
    const [build] = (await lookOf(on)).builds;
    assert.ok(build);
    // Each time it dies before it can say so.
    const lost = { ...parts, gitHeads: { ...parts.gitHeads, set: () => Promise.reject(new Error('killed')) } };
    await assert.rejects(askForBuild(lost, build), /killed/);
    await assert.rejects(askForBuild(lost, build), /killed/);
    await parts.end(build.buildId);
    const again = await askForBuild(parts, build);
    assert.deepEqual([again.outcome.reason, again.outcome.buildId], ['deployed', build.buildId]);
    assert.deepEqual(commitsOf(on), [commit]);

    const next = parts.refs.commit(on.address, MAIN, { a: '2' });
    const source = { kind: 'git', url: on.address, branch: 'main', commit: next } as const;
    const byHand = { ...(requestsOf(on)[0] ?? assert.fail()), buildId: 'bld_byhand', source };
    parts.deploys.end(build.buildId);
    await parts.commands.request(byHand);
    const [attached] = (await lookOf(on)).builds;
    assert.ok(attached);
    await assert.rejects(askForBuild(lost, attached), /killed/);
    parts.deploys.end('bld_byhand');
    await parts.end('bld_byhand');
    const found = await askForBuild(parts, attached);
    assert.deepEqual([found.outcome.reason, found.outcome.buildId], ['attached', 'bld_byhand']);
  });

  it('says why the builder did not take a build, and is tried again while it may', async () => {
    const on = await parts.connected();
    parts.refs.commit(on.address, MAIN, { a: '1' });
    const [build] = (await lookOf(on)).builds;
    assert.ok(build);
    const failing = (error: Error) => ({ ...parts, commands: { request: () => Promise.reject(error) } });
    const busy = failing(new FairleadError('SERVICE_BUSY', 'It is being removed'));
    const { outcome } = await askForBuild(busy, build);
    assert.deepEqual([outcome.reason, outcome.message], ['build_refused', 'It is being removed']);
    const away = failing(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    await assert.rejects(askForBuild(away, build), { code: 'UNAVAILABLE' });
    assert.equal(await parts.gitHeads.find({ ...build, ref: MAIN }), null, 'the head is not taken for built');
  });
});
