import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Answer, startApi, type TestApi } from '../../support/start-api.ts';

/** Who asks is of `shopkeepers`, who decides of `writers`. */
describe('routes of grants', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    for (const { id } of await api.grants.ofService('svc_shop')) await api.grants.remove(id);
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'shopkeepers' }, {});
    await api.services.upsert({ id: 'svc_notes', name: 'notes', org: 'writers' }, {});
  });

  const call = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    api.call(method, path, body, { 'x-test-user': who });
  const ask = async (scopes: readonly string[] = ['read']) => {
    const answer = await call('shopkeepers/member', 'POST', '/services/shop/grants', { service: 'notes', scopes });
    assert.equal(answer.status, 202, answer.text);
    return answer.body.data;
  };

  it('a member of the org that asks may ask, and an admin of the org that owns the target decides', async () => {
    const { id, status, scopes, revision } = await ask();
    assert.deepEqual([status, scopes], ['pending', ['notes:read']]);
    const approved = await call('writers/admin', 'POST', `/grants/${id}/approve`, { revision });
    assert.deepEqual(
      [approved.status, approved.body.data.status, approved.body.data.decidedBy],
      [200, 'approved', 'usr_test'],
    );
    const revoked = await call('writers/admin', 'POST', `/grants/${id}/revoke`, {});
    assert.deepEqual([revoked.body.data.status, revoked.body.data.granted], ['revoked', []]);
  });

  it('nobody grants themselves: not the org that asks, not a member without the role, not a third org', async () => {
    const { id } = await ask();
    const table = [
      ['shopkeepers/admin', 403],
      ['writers/member', 403],
      ['strangers/admin', 404],
    ] as const;
    for (const [who, status] of table) {
      for (const decision of ['approve', 'deny', 'revoke']) {
        const answer = await call(who, 'POST', `/grants/${id}/${decision}`, {});
        assert.equal(answer.status, status, `${who} ${decision}`);
      }
    }
    assert.equal((await api.grants.find(id))?.status, 'pending');
  });

  it('an org that the owner authorized for the target does not decide either', async () => {
    const { id } = await ask();
    await api.authorize('svc_notes', ['helpers']);
    assert.equal((await call('helpers/admin', 'POST', `/grants/${id}/approve`, {})).status, 403);
    await api.authorize('svc_notes', []);
  });

  it('the two orgs see a grant, and others learn nothing of it', async () => {
    const { id } = await ask();
    for (const who of ['shopkeepers/viewer', 'writers/viewer']) {
      assert.equal((await call(who, 'GET', `/grants/${id}`)).status, 200);
      const { items } = (await call(who, 'GET', '/grants?status=pending')).body.data;
      assert.deepEqual(
        items.map((grant: { id: string }) => grant.id),
        [id],
      );
    }
    assert.equal((await call('strangers/admin', 'GET', `/grants/${id}`)).status, 404);
    assert.deepEqual((await call('strangers/admin', 'GET', '/grants')).body.data.items, []);
  });

  it('a decision about a list that changed meanwhile is refused, with what is asked for now', async () => {
    const { id, revision } = await ask();
    await ask(['read', 'admin']);
    const { status, body } = await call('writers/admin', 'POST', `/grants/${id}/approve`, { revision });
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
    assert.deepEqual(body.error.details.scopes, ['notes:admin', 'notes:read']);
  });

  it('a decision that names no revision is about the list as it stood when it came', async () => {
    const { id } = await ask();
    const find = api.grants.find;
    api.grants.find = async (of) => {
      const found = await find(of);
      await ask(['read', 'admin']);
      return found;
    };
    const { status } = await call('writers/admin', 'POST', `/grants/${id}/approve`, {}).finally(() => {
      api.grants.find = find;
    });
    assert.equal(status, 409);
    assert.equal((await api.grants.find(id))?.status, 'pending');
  });

  it('what needs no grant, or is not the target’s to give, is refused with its reason', async () => {
    const asked = (body: object) => call('shopkeepers/member', 'POST', '/services/shop/grants', body);
    const wrong = await asked({ service: 'notes', scopes: ['with blank'] });
    assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'scopes']);
    assert.equal((await asked({ service: 'nobody', scopes: ['read'] })).status, 404);
    assert.equal((await asked({ service: 'shop', scopes: ['read'] })).status, 409);
    assert.equal((await asked({ service: 'notes', scopes: [] })).status, 400);
    const foreign = await call('shopkeepers/member', 'POST', '/services/notes/grants', {
      service: 'shop',
      scopes: ['read'],
    });
    assert.equal(foreign.status, 404, 'not in the name of another org');
  });
});
