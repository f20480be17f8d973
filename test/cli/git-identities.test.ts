import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startApi, type TestApi } from '../support/start-api.ts';
import { serveUpstream } from '../support/upstream-faults.ts';
import { type CliResult, runCli } from './run-cli.ts';

const TOKEN = 'canary-token-of-eve';

/** The commands against a real builder, as somebody who is signed in. */
describe('fairlead git link, links and unlink', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    api.accounts.set(TOKEN, { accountId: '7', login: 'eve' });
  });
  after(() => api.stop());

  it('links an account by a token of stdin, lists it, and unlinks it by its login', async (t) => {
    const url = await serveUpstream(t, async (request, response) => {
      const { status, text: reply } = await api.call(
        request.method ?? 'GET',
        request.url ?? '/',
        (await text(request)) || undefined,
        {
          'x-test-user': 'acme/member/usr_eve',
        },
      );
      response.writeHead(status, { 'content-type': 'application/json' }).end(reply);
    });
    const shown: string[] = [];
    const run = async (args: readonly string[], stdin = ''): Promise<CliResult> => {
      const result = await runCli({ url }, ['git', ...args], {
        env: { FAIRLEAD_KEY: 'a-key-of-this-test-0123456789' },
        stdin,
      });
      shown.push(result.stdout, result.stderr);
      return result;
    };
    assert.match((await run(['links'])).stdout, /You have linked no account/);
    assert.equal((await run(['link'])).code, 2, 'a provider is not guessed');
    assert.equal((await run(['link', '--provider', 'gitea', 'https://git.example'])).code, 2, 'no token was given');
    const linked = await run(['link', '--provider', 'gitea', 'https://git.example'], `${TOKEN}\n`);
    assert.equal(linked.code, 0, linked.stderr);
    assert.equal(linked.stdout, 'eve at https://git.example is linked to you\n');
    assert.match((await run(['links'])).stdout, /eve +gitea +https:\/\/git\.example +gid_/);
    const id = (await run(['links', '--quiet'])).stdout.trim();
    assert.match(id, /^gid_\w+$/);
    await run(['link', '--provider', 'github'], TOKEN);
    const both = await run(['unlink', 'EVE']);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /your login at 2 hosts/);
    assert.match((await run(['unlink', id])).stdout, /eve at https:\/\/git\.example is not linked to you any more/);
    assert.match((await run(['unlink', 'eve'])).stdout, /eve at https:\/\/github\.com/);
    assert.notEqual((await run(['unlink', 'eve'])).code, 0);
    assert.doesNotMatch(shown.join(''), /canary/);
  });
});
