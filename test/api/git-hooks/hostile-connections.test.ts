import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi, type TestApi } from '../../support/start-api.ts';

describe('connecting a repository', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    for (const name of ['shop', 'jobs']) {
      const gitUrl = 'https://git.example/acme/shop.git';
      await api.services.upsert({ id: `svc_${name}`, name, org: 'acme' }, { gitUrl });
    }
    api.gitHost.repositories.set('https://git.example/acme/shop.git', new Set());
  });
  after(() => api.stop());

  const connect = (body: object) => api.call('POST', '/git/connections', { provider: 'gitea', ...body });

  it('takes no address of an API behind which paths would be none, or that has a credential', async () => {
    for (const apiUrl of [
      'https://git.example/api/v1?ignored=',
      'https://git.example/api/v1?',
      'https://git.example/api/v1#',
      'https://ada:canary@git.example/api/v1',
      'file:///etc',
    ]) {
      const reply = await connect({ service: 'shop', apiUrl });
      assert.equal(reply.status, 400, apiUrl);
      assert.equal(reply.body.error.details[0].field, 'apiUrl');
      assert.doesNotMatch(reply.text, /canary/);
    }
  });

  it('gives a token to no address that another admin chose, unless it is named', async () => {
    const theirs = 'https://collects.example/api/v1';
    assert.equal((await connect({ service: 'shop', apiUrl: theirs })).status, 201);
    const registered = api.gitHost.hooks().length;
    const refused = await connect({ service: 'jobs', token: 'token-of-ada' });
    assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'apiUrl']);
    assert.match(refused.body.error.message, /collects\.example/);
    assert.equal(api.gitHost.hooks().length, registered, 'the token was sent');
    assert.equal((await connect({ service: 'jobs', token: 'token-of-ada', apiUrl: theirs })).status, 200);
    assert.equal(api.gitHost.hooks().length, registered + 1);
  });

  it('is answered although the git host never answers, and the connection is there', async (t) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const { registerHook } = api.gitHost;
    api.gitHost.registerHook = (_repository, _hook, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        resolve();
      });
    t.after(() => {
      api.gitHost.registerHook = registerHook;
    });
    const gitUrl = 'https://git.example/acme/slow.git';
    await api.services.upsert({ id: 'svc_slow', name: 'slow', org: 'acme' }, { gitUrl });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reply = connect({ service: 'slow', token: 'token-of-ada' });
    await asked;
    t.mock.timers.tick(30_000);
    const { status, body } = await reply;
    assert.equal(status, 201);
    assert.deepEqual([body.data.hookProblem.code, body.data.connection.hookRegistered], ['UNAVAILABLE', false]);
    assert.notEqual(body.data.secret, null, 'so that the hook can be set up by hand');
  });

  it('is undone although no key opens its token: the connection goes with all that it kept', async () => {
    const gitUrl = 'https://git.example/acme/sealed.git';
    await api.services.upsert({ id: 'svc_sealed', name: 'sealed', org: 'acme' }, { gitUrl });
    const { id } = (await connect({ service: 'sealed' })).body.data.connection;
    const stored = await api.gitConnections.find(id);
    assert.ok(stored !== null);
    const token = { keyId: '00000000', sealed: 'of-a-key-that-is-gone' };
    await api.gitConnections.replace({ ...stored, token, hookId: '7' }, stored.revision);
    const head = { connectionId: id, serviceId: 'svc_sealed', environment: 'prod', ref: 'refs/heads/main' } as const;
    await api.gitHeads.set(head, { seen: 'a'.repeat(40) });
    const { status, body } = await api.call('DELETE', `/git/connections/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.hookProblem.code, 'INTERNAL');
    assert.deepEqual([await api.gitConnections.find(id), await api.gitHeads.list(id)], [null, []]);
  });
});
