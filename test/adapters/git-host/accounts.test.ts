import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGitAccounts } from '../../../adapters/git-host/git-accounts.ts';
import { startGithub } from '../../support/git-vendors/github.ts';
import { startGitlab } from '../../support/git-vendors/gitlab.ts';
import type { VendorServer } from '../../support/git-vendors/vendor-server.ts';

const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
const TOKEN = 'canary-token';
const now = () => new Date();

describe('the account behind a token', () => {
  const VENDORS: readonly [provider: 'github' | 'gitlab', login: string, start: () => Promise<VendorServer>][] = [
    ['github', 'octocat', () => startGithub({ repository: 'acme/shop', commit: COMMIT, token: TOKEN })],
    ['gitlab', 'john_smith', () => startGitlab({ project: 'acme/shop', commit: COMMIT, token: TOKEN, signs: true })],
  ];
  for (const [provider, login, start] of VENDORS) {
    it(`is told by ${provider}, or that the token is not known`, async (t) => {
      const vendor = await start();
      t.after(() => vendor.stop());
      const accounts = createGitAccounts({ platformGitUrl: vendor.url, now });
      const ask = (token: string) => accounts.accountOf({ provider, hostAddress: vendor.url, token });
      assert.deepEqual(await ask(TOKEN), { accountId: '1', login });
      await assert.rejects(ask('canary-other'), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'GIT_TOKEN_REFUSED');
        assert.doesNotMatch(`${error.message} ${error.stack}`, /canary/);
        return true;
      });
      vendor.fault = () => ({ status: 200, body: { login: 'no id', username: 'no id' } });
      await assert.rejects(ask(TOKEN), { code: 'UNAVAILABLE' });
      vendor.fault = () => ({ status: 404 });
      await assert.rejects(ask(TOKEN), { code: 'NOT_FOUND', message: /There is no API of/ });
    });
  }

  it('is asked of no private address but the one of the platform', async () => {
    const accounts = createGitAccounts({ platformGitUrl: 'http://127.0.0.1:9', now });
    for (const hostAddress of [
      'https://127.0.0.1',
      'http://git.example',
      'https://[::1]:3000',
      'http://127.0.0.1:10',
    ]) {
      const asked = accounts.accountOf({ provider: 'gitea', hostAddress, token: TOKEN });
      await assert.rejects(asked, { code: 'SOURCE_REFUSED' }, hostAddress);
    }
  });
});
