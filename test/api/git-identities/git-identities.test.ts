import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApi, type TestApi } from '../../support/start-api.ts';

const EVE = { 'x-test-user': 'acme/viewer/usr_eve' };
const BOB = { 'x-test-user': 'helpers/admin/usr_bob' };
const TOKEN = 'canary-token-of-eve';

describe('accounts at git hosts', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    api.accounts.set(TOKEN, { accountId: '7', login: 'eve' });
    api.accounts.set('token-of-bob', { accountId: '9', login: 'bob' });
  });
  after(() => api.stop());

  const link = (who: Record<string, string>, body: object) => api.call('POST', '/git/identities', body, who);
  const list = async (who: Record<string, string>) =>
    (await api.call('GET', '/git/identities', undefined, who)).body.data.items;

  it('are linked by a token, which is shown and kept nowhere; only their person sees them', async () => {
    const { status, body, text } = await link(EVE, { provider: 'github', token: TOKEN });
    assert.equal(status, 201, text);
    const { id, linkedAt: _at, ...shown } = body.data;
    assert.deepEqual(shown, { provider: 'github', host: 'https://github.com', login: 'eve' });
    assert.match(id, /^gid_/);
    assert.deepEqual(await list(EVE), [body.data]);
    assert.deepEqual(await list(BOB), []);
    const told = api.audit.told().find(({ eventType }) => eventType === 'git.identity_linked');
    assert.partialDeepStrictEqual(told?.data, { host: 'https://github.com', login: 'eve', accountId: '7' });
    const kept = JSON.stringify([await api.gitIdentities.listOf('usr_eve'), api.audit.told(), api.logged, text]);
    assert.doesNotMatch(kept, /canary/);
  });

  it('belong to one person: CONFLICT for another one with a token of the same account', async () => {
    const { status, body } = await link(BOB, { provider: 'github', host: 'https://github.com', token: TOKEN });
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
    assert.match(body.error.message, /eve is linked by somebody else/);
  });

  it('are replaced by another one at the same host, under the same id', async () => {
    const [before] = await list(EVE);
    api.accounts.set('second-token', { accountId: '8', login: 'eve-two' });
    const { body } = await link(EVE, { provider: 'github', token: 'second-token' });
    assert.deepEqual([body.data.id, body.data.login], [before.id, 'eve-two']);
    assert.equal((await list(EVE)).length, 1);
  });

  const REFUSED: readonly [what: string, body: object, status: number, code: string][] = [
    ['a token that the host refuses', { provider: 'github', token: 'canary-unknown' }, 400, 'GIT_TOKEN_REFUSED'],
    ['no provider', { token: TOKEN }, 400, 'VALIDATION_FAILED'],
    ['a provider that is none', { provider: 'bitbucket', token: TOKEN }, 400, 'VALIDATION_FAILED'],
    ['no token', { provider: 'github' }, 400, 'VALIDATION_FAILED'],
    ['an empty token', { provider: 'github', token: '' }, 400, 'VALIDATION_FAILED'],
    ['no host, where there is none of the platform', { provider: 'gitea', token: TOKEN }, 400, 'VALIDATION_FAILED'],
    [
      'an API of its own',
      { provider: 'github', apiUrl: 'https://evil.example', token: TOKEN },
      400,
      'VALIDATION_FAILED',
    ],
    [
      'credentials in the host',
      { provider: 'gitea', host: 'https://a:canary@x.example', token: TOKEN },
      400,
      'VALIDATION_FAILED',
    ],
  ];
  for (const [what, body, status, code] of REFUSED) {
    it(`are not linked by ${what}: ${code}`, async () => {
      const answer = await link(EVE, body);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code]);
      assert.doesNotMatch(answer.text, /canary/);
      assert.deepEqual(
        (await list(EVE)).map(({ login }: { login: string }) => login),
        ['eve-two'],
      );
    });
  }

  it('are at most 20 of one person, and may still be replaced', async () => {
    const many = { 'x-test-user': 'acme/member/usr_many' };
    const host = (index: number): string => `https://git${index}.example`;
    for (let index = 0; index < 20; index += 1) {
      api.accounts.set(`many-${index}`, { accountId: String(index), login: 'many' });
      assert.equal((await link(many, { provider: 'gitea', host: host(index), token: `many-${index}` })).status, 201);
    }
    assert.equal(
      (await link(many, { provider: 'gitea', host: host(20), token: 'many-0' })).body.error.code,
      'CONFLICT',
    );
    assert.equal((await link(many, { provider: 'forgejo', host: host(19), token: 'many-19' })).status, 201);
    assert.equal((await list(many)).length, 20);
  });

  it('are unlinked by their person alone, once', async () => {
    const [{ id }] = await list(EVE);
    const unlink = (who: Record<string, string>) => api.call('DELETE', `/git/identities/${id}`, undefined, who);
    assert.equal((await unlink(BOB)).status, 404);
    const { status, body } = await unlink(EVE);
    assert.deepEqual([status, body.data.id], [200, id]);
    assert.equal((await unlink(EVE)).status, 404);
    assert.deepEqual(await list(EVE), []);
    assert.ok(
      api.audit
        .told()
        .some(({ eventType, entityId }) => eventType === 'git.identity_unlinked' && entityId === 'usr_eve'),
    );
  });
});
