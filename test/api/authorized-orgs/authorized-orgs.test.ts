import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildRecord } from '../../ports/records.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { KEY, startApi, type TestApi } from '../../support/start-api.ts';

const PATH = '/services/notes/authorized-orgs';

/** `writers` owns `notes`; `helpers` shares it where a test says so. */
describe('routes of authorized orgs', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, { config: { A: '1' } });
  });
  after(() => api.stop());
  beforeEach(() => api.authorize('svc_notes', []));

  const call = (who: string, method: string, path: string, body?: unknown) =>
    api.call(method, path, body, { 'x-test-user': who });
  const authorize = (who: string, body: object = { orgSlug: 'helpers' }) => call(who, 'POST', PATH, body);
  const listed = async (): Promise<string[]> =>
    ((await call('writers/viewer', 'GET', PATH)).body.data.authorizedOrgs as { orgSlug: string }[]).map(
      ({ orgSlug }) => orgSlug,
    );

  it('an admin of the owner lets an org in, sees it listed with the owner, and takes it out', async () => {
    const added = await authorize('writers/admin');
    assert.equal(added.status, 201, added.text);
    const { owner, authorizedOrgs } = added.body.data;
    assert.equal(owner, 'writers');
    assert.deepEqual(
      authorizedOrgs.map(({ authorizedAt: _, ...entry }: { authorizedAt: string }) => entry),
      [{ orgSlug: 'helpers', repoRole: 'write', authorizedBy: 'usr_test' }],
    );
    assert.equal((await authorize('writers/admin')).status, 200, 'asked again it is the same');
    const changed = await authorize('writers/admin', { orgSlug: 'helpers', repoRole: 'none' });
    assert.deepEqual([changed.status, changed.body.data.authorizedOrgs[0].repoRole], [200, 'none']);
    assert.deepEqual(await listed(), ['helpers']);
    const removed = await call('writers/admin', 'DELETE', `${PATH}/helpers`);
    assert.deepEqual([removed.status, removed.body.data.authorizedOrgs], [200, []]);
    assert.equal((await call('writers/admin', 'DELETE', `${PATH}/helpers`)).status, 404);
    const { items } = (await call('writers/viewer', 'GET', `${PATH}/history`)).body.data;
    assert.deepEqual(
      items
        .slice(0, 3)
        .map(({ change, orgSlug }: { change: string; orgSlug: string }) => `${change} ${orgSlug}`)
        .sort(),
      ['authorized helpers', 'deauthorized helpers', 'repo_role_changed helpers'],
    );
  });

  it('who may change the list', async () => {
    await api.authorize('svc_notes', ['helpers']);
    const table = [
      ['writers/admin', 201, 200],
      ['writers/member', 403, 403],
      ['helpers/admin', 403, 403],
      ['helpers/member', 403, 403],
      ['strangers/admin', 404, 404],
      ['platform/super_admin', 201, 200],
    ] as const;
    for (const [who, mayAdd, mayRemove] of table) {
      const before = await listed();
      const added = await authorize(who, { orgSlug: 'agency' });
      assert.equal(added.status, mayAdd, `${who} adds`);
      await api.authorize('svc_notes', ['helpers', 'agency']);
      assert.equal((await call(who, 'DELETE', `${PATH}/agency`)).status, mayRemove, `${who} removes`);
      await api.authorize('svc_notes', before);
    }
    // The key of the platform adds, as its console does, and takes nobody out.
    assert.equal((await api.call('POST', PATH, { orgSlug: 'agency' })).status, 201);
    assert.equal((await api.call('DELETE', `${PATH}/agency`)).status, 403);
  });

  it('an org that shares the service neither leaves others in nor changes the owner', async () => {
    await api.authorize('svc_notes', ['helpers']);
    const friend = await authorize('helpers/admin', { orgSlug: 'friends-of-helpers' });
    assert.deepEqual([friend.status, friend.body.error.code], [403, 'FORBIDDEN']);
    assert.match(friend.body.error.message, /Only admins of writers/);
    const owner = await call('helpers/admin', 'POST', '/services', { name: 'notes', org: 'helpers' });
    assert.deepEqual([owner.status, owner.body.error.code], [409, 'SERVICE_OWNER_MISMATCH']);
    for (const body of [
      { name: 'notes', authorizedOrgs: ['friends-of-helpers'] },
      { name: 'notes', sharing: {} },
    ]) {
      assert.equal((await call('helpers/admin', 'POST', '/services', body)).status, 400);
    }
    assert.deepEqual(await listed(), ['helpers']);
  });

  it('an org that shares the service does not choose another repository of the owner, on which it would get its role', async () => {
    const put = (who: string, gitUrl: string | null) => call(who, 'POST', '/services', { name: 'notes', gitUrl });
    const repository = 'https://git.example/writers/notes.git';
    assert.ok((await put('writers/admin', repository)).status < 300);
    await api.authorize('svc_notes', ['helpers']);
    for (const gitUrl of ['https://git.example/writers/secret.git', 'https://git.example/helpers/notes.git', null]) {
      const refused = await put('helpers/admin', gitUrl);
      assert.deepEqual([refused.status, refused.body.error?.code], [403, 'FORBIDDEN'], refused.text);
      assert.match(
        refused.body.error.message,
        /Only admins of writers, which owns notes, decide from which repository/,
      );
    }
    assert.equal((await call('writers/viewer', 'GET', '/services/notes')).body.data.gitUrl, repository);
    for (const same of [repository, 'https://git.example/writers/notes', 'git@git.example:writers/notes.git']) {
      assert.ok((await put('helpers/member', same)).status < 300, same);
    }
    assert.ok((await put('writers/member', 'https://git.example/writers/other.git')).status < 300);
    assert.ok((await put('writers/member', null)).status < 300);
  });

  it('an org that shares the service does not remove it, by which its name were free for them', async () => {
    await api.authorize('svc_notes', ['helpers']);
    const refused = await call('helpers/admin', 'DELETE', '/services/notes');
    assert.deepEqual([refused.status, refused.body.error?.code], [403, 'FORBIDDEN'], refused.text);
    assert.match(refused.body.error.message, /Only admins of writers, which owns notes, remove it/);
    assert.equal((await call('writers/member', 'DELETE', '/services/notes')).status, 403);
    assert.equal((await call('strangers/admin', 'DELETE', '/services/notes')).status, 404);
    assert.equal((await call('writers/viewer', 'GET', '/services/notes')).status, 200);
  });

  describe('who is in has what the owner has, and who is out learns nothing, from the next request on', () => {
    const everything: readonly (readonly [string, string, number, unknown?])[] = [
      ['GET', '/services/notes', 200],
      ['GET', '/services/notes/config', 200],
      ['GET', '/services/notes/config/values', 200],
      ['PATCH', '/services/notes/config', 200, { set: { A: '2' } }],
      ['GET', '/services/notes/config/history', 200],
      ['GET', '/services/notes/logs', 200],
      ['GET', '/services/notes/releases', 200],
      ['GET', '/builds?service=notes', 200],
      ['GET', PATH, 200],
      ['GET', `${PATH}/history`, 200],
      ['POST', '/builds/trigger', 400, { service: 'notes' }],
    ];
    it('an org on the list', async () => {
      await api.authorize('svc_notes', ['helpers']);
      for (const [method, path, status, body] of everything) {
        assert.equal((await call('helpers/member', method, path, body)).status, status, `${method} ${path}`);
      }
      assert.equal((await call('helpers/member', 'GET', '/services')).body.data.items.length, 1);
    });
    it('an org that is off the list again, whatever its role', async () => {
      await api.authorize('svc_notes', ['others']);
      for (const who of ['helpers/admin', 'helpers/member']) {
        for (const [method, path, , body] of everything) {
          const answer = await call(who, method, path, body);
          assert.equal(answer.status, 404, `${who} ${method} ${path}`);
          assert.doesNotMatch(answer.text, /writers|others/);
        }
        assert.deepEqual((await call(who, 'GET', '/services')).body.data.items, []);
      }
    });
  });

  it('an upload that is still coming when its org is taken out builds nothing', async () => {
    const parts = createInMemoryBuilderParts();
    const save: typeof parts.archives.save = async (...given) => {
      const saved = await parts.archives.save(...given);
      await parts.authorize('svc_notes', []);
      return saved;
    };
    const slow = await startApi(null, null, { ...parts, archives: { ...parts.archives, save } });
    try {
      await slow.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
      await slow.authorize('svc_notes', ['helpers']);
      const answer = await fetch(`${slow.address}/builds/upload?service=notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/gzip', 'x-test-user': 'helpers/member' },
        body: gzipSync('an archive'),
      });
      assert.deepEqual([answer.status, slow.commands.requests.length], [404, 0]);
    } finally {
      await slow.stop();
    }
  });

  it('names the builds that the org asked for and that go on without it, and no other, and the clients of the service', async () => {
    await api.authorize('svc_notes', ['helpers']);
    const build = (id: string, org: string) =>
      api.builds.create(buildRecord({ id, serviceId: 'svc_notes', service: 'notes', org }));
    await Promise.all([build('bld_theirs', 'helpers'), build('bld_ours', 'writers'), build('bld_ended', 'helpers')]);
    await api.builds.finish('bld_ended', {
      status: 'failed',
      reason: null,
      failure: null,
      supersededBy: null,
      finishedAt: new Date(),
    });
    const secret = { keyId: 'key', sealed: 'sealed' };
    const byHand = (org: string) => ({ secretId: 'sec_1', org });
    await api.services.setOAuthCredential('svc_notes', 'prod', { clientId: 'notes-prod', secret });
    const theirs = { clientId: 'notes-uat', secret, byHand: byHand('helpers') };
    await api.services.setOAuthCredential('svc_notes', 'uat', theirs);
    const own = { clientId: 'notes-sandbox', secret, byHand: byHand('writers') };
    await api.services.setOAuthCredential('svc_notes', 'sandbox', own);
    const { body } = await call('writers/admin', 'DELETE', `${PATH}/helpers`);
    assert.deepEqual(body.data.openBuilds, ['bld_theirs']);
    assert.deepEqual([...body.data.clients].sort(), ['notes-prod', 'notes-sandbox', 'notes-uat']);
    assert.deepEqual(body.data.deployAgain, ['notes-uat']);
  });

  it('a build that was asked for at the moment in which the org is taken out is cancelled', async () => {
    const { service } = await api.services.upsert(
      { id: 'svc_racing', name: 'racing', org: 'writers' },
      { gitUrl: 'https://git.example/writers/racing' },
    );
    const trigger = (who: string) => call(who, 'POST', '/builds/trigger', { service: 'racing' });
    const { request, cancel } = api.commands;
    const cancelled: string[] = [];
    Object.assign(api.commands, {
      request: async (wanted: Parameters<typeof request>[0]) => {
        await api.authorize(service.id, []);
        return await request(wanted);
      },
      cancel: async (target: Parameters<typeof cancel>[0]) => {
        cancelled.push(target.buildId);
        return await cancel(target);
      },
    });
    try {
      await api.authorize(service.id, ['helpers']);
      const late = await trigger('helpers/member');
      assert.deepEqual([late.status, late.body.error.code], [404, 'SERVICE_NOT_FOUND']);
      assert.deepEqual(cancelled, [api.commands.requests.at(-1)?.buildId]);
      const own = await trigger('writers/member');
      assert.deepEqual([own.status, own.body.data?.deduplicated], [202, false], own.text);
      await api.authorize(service.id, ['helpers']);
      assert.equal((await trigger('helpers/member')).status, 404);
      assert.equal(cancelled.length, 1, 'one of the owner that it would have joined goes on');
    } finally {
      Object.assign(api.commands, { request, cancel });
    }
  });

  it('refuses what is no org, the owner, and an org that is not there: whoever took the name later would be in', async () => {
    const table = [
      [{ orgSlug: 'writers' }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: 'nobody' }, 404, 'ORG_NOT_FOUND'],
      [{ orgSlug: 'No Org' }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: '' }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: '*' }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: ['helpers'] }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: { $ne: '' } }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: 'helpers', repoRole: 'owner' }, 400, 'VALIDATION_FAILED'],
      [{ orgSlug: 'helpers', by: 'usr_else' }, 400, 'VALIDATION_FAILED'],
      [{}, 400, 'VALIDATION_FAILED'],
    ] as const;
    for (const [body, status, code] of table) {
      const answer = await authorize('writers/admin', body);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(body));
    }
    assert.deepEqual(await listed(), []);
  });

  it('an org whose provider does not answer is not let in', async () => {
    const alone = await startApi(null, null, undefined, {}, null);
    try {
      await alone.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
      const answer = await alone.call('POST', PATH, { orgSlug: 'helpers' }, { 'x-internal-key': KEY });
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'UNAVAILABLE']);
      assert.deepEqual((await alone.services.find('notes'))?.authorizedOrgs, []);
    } finally {
      await alone.stop();
    }
  });
});
