import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import { gitHostSuite } from '../../ports/git-host.ts';
import { startGitlab, type TestGitlab } from '../../support/git-vendors/gitlab.ts';

const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
const TOKEN = 'glpat-of-this-test';
const PROJECT = 'acme/web/teams/shop';
const ADDRESS = 'https://builder.example/hooks/git/gcn_1';
const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('GitLab, a project in nested groups', () => {
  const started: TestGitlab[] = [];
  after(() => Promise.all(started.map((gitlab) => gitlab.stop())));

  const start = async (signs = true) => {
    const gitlab = await startGitlab({ project: PROJECT, commit: COMMIT, token: TOKEN, signs });
    started.push(gitlab);
    const repository = {
      provider: 'gitlab',
      repositoryUrl: `${gitlab.url}/${PROJECT}.git`,
      apiUrl: null,
      token: TOKEN,
    } as const;
    const host = createGitHost({ platformGitUrl: gitlab.url, now: () => new Date() });
    return { gitlab, host, repository, statuses: () => gitlab.statuses.get(COMMIT) ?? [] };
  };

  gitHostSuite(async () => {
    const { gitlab, host, repository, statuses } = await start();
    const states: Readonly<Record<string, string>> = { failed: 'failure' };
    return {
      host,
      repository,
      commit: COMMIT,
      statuses: async () =>
        statuses()
          .map(({ name, status }) => `${name} ${states[status] ?? status}`)
          .sort(),
      hooks: async () => gitlab.hooks.map(({ url }) => url).sort(),
      async push() {
        const push_data = { ref_type: 'branch', ref: 'main', commit_from: null, commit_to: COMMIT, action: 'pushed' };
        const by = (id: number, author_id: number) => ({ id, author_id, action_name: 'pushed to', push_data });
        gitlab.events.push(by(5, 7), by(6, 8), { ...by(9, 9), push_data: { ...push_data, commit_to: null } });
        return { ref: 'refs/heads/main', commit: COMMIT, accountId: '8' };
      },
      description: async (context) => statuses().find(({ name }) => name === context)?.description ?? '',
    };
  });

  it('asks for pushes and tags, signed, over TLS that is checked', async () => {
    const { gitlab, host, repository } = await start();
    const { proof } = await host.registerHook(repository, { address: ADDRESS, secret: SIGNING });
    assert.equal(proof, 'signature');
    const { id: _id, ...hook } = gitlab.hooks[0] ?? assert.fail('no hook');
    assert.deepEqual(hook, {
      url: ADDRESS,
      push_events: true,
      tag_push_events: true,
      enable_ssl_verification: true,
      token: '',
      signing_token: SIGNING,
    });
  });

  it('gives a version without signing tokens the same secret as its plain token, and says so', async () => {
    const { gitlab, host, repository } = await start(false);
    const { proof } = await host.registerHook(repository, { address: ADDRESS, secret: SIGNING });
    assert.equal(proof, 'token');
    assert.deepEqual(
      gitlab.hooks.map(({ token, signing_token }) => [token, signing_token]),
      [[SIGNING, '']],
    );
  });

  it('takes a plain token as one', async () => {
    const { gitlab, host, repository } = await start();
    const { proof } = await host.registerHook(repository, { address: ADDRESS, secret: 'plain-token-of-this-hook' });
    assert.equal(proof, 'token');
    assert.deepEqual(
      gitlab.hooks.map(({ token, signing_token }) => [token, signing_token]),
      [['plain-token-of-this-hook', '']],
    );
  });

  it('says why a hook is refused, without its secret', async () => {
    const { gitlab, host, repository } = await start();
    const words = { url: ['is blocked: Requests to localhost are not allowed'] };
    gitlab.fault = ({ method }) => (method === 'POST' ? { status: 422, body: { message: words } } : null);
    await assert.rejects(host.registerHook(repository, { address: ADDRESS, secret: SIGNING }), {
      code: 'VALIDATION_FAILED',
      message: /builder\.example.*Requests to localhost are not allowed/,
    });
  });
});
