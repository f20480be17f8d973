import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import { gitHostSuite } from '../../ports/git-host.ts';
import { startGithub, type TestGithub } from '../../support/git-vendors/github.ts';

const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
const TOKEN = 'github_pat_of_this_test';

describe('GitHub', () => {
  const started: TestGithub[] = [];
  after(() => Promise.all(started.map((github) => github.stop())));

  const start = async () => {
    const github = await startGithub({ repository: 'acme/shop', commit: COMMIT, token: TOKEN });
    started.push(github);
    const repository = {
      provider: 'github',
      repositoryUrl: `${github.url}/acme/shop.git`,
      apiUrl: null,
      token: TOKEN,
    } as const;
    const host = createGitHost({ platformGitUrl: github.url, now: () => new Date() });
    const statuses = () => github.statuses.get(COMMIT) ?? [];
    return { github, host, repository, statuses };
  };

  gitHostSuite(async () => {
    const { github, host, repository, statuses } = await start();
    return {
      host,
      repository,
      commit: COMMIT,
      statuses: async () =>
        statuses()
          .map(({ context, state }) => `${context} ${state}`)
          .sort(),
      hooks: async () => github.hooks.map(({ config }) => config.url ?? '').sort(),
      async push() {
        const head = { ref: 'refs/heads/main', after: COMMIT, before: '0'.repeat(40), activity_type: 'push' };
        const by = (id: number, actor: object | null) => ({ id, ...head, timestamp: '2026-03-01T12:00:00Z', actor });
        const accounts = [by(3, null), by(2, { id: 8, login: 'ada' }), by(1, { id: 7, login: 'bob' })];
        github.activities.push(...accounts);
        return { ref: head.ref, commit: COMMIT, accountId: '8' };
      },
      description: async (context) => statuses().find((each) => each.context === context)?.description ?? '',
    };
  });

  it('registers a hook that gets pushes as JSON, signed, over TLS that is checked', async () => {
    const { github, host, repository } = await start();
    const address = 'https://builder.example/hooks/git/gcn_1';
    await host.registerHook(repository, { address, secret: 'secret-of-this-hook' });
    const [hook] = github.hooks;
    assert.deepEqual(
      { ...hook, id: 0 },
      {
        id: 0,
        active: true,
        events: ['push'],
        config: { url: address, content_type: 'json', secret: 'secret-of-this-hook', insecure_ssl: '0' },
      },
    );
  });

  it('changes the secret of the hook that is there', async () => {
    const { github, host, repository } = await start();
    const address = 'https://builder.example/hooks/git/gcn_1';
    const first = await host.registerHook(repository, { address, secret: 'one' });
    const again = await host.registerHook(repository, { address, secret: 'two' });
    assert.equal(first.hookId, again.hookId);
    assert.deepEqual(
      github.hooks.map(({ config }) => config.secret),
      ['two'],
    );
  });

  it('finds a hook behind a hundred others', async () => {
    const { github, host, repository } = await start();
    const address = 'https://builder.example/hooks/git/gcn_1';
    for (let index = 0; index < 205; index += 1) {
      github.hooks.push({
        id: index + 1,
        active: true,
        events: ['push'],
        config: { url: `https://ci.example/${index}` },
      });
    }
    const { hookId } = await host.registerHook(repository, { address, secret: 'one' });
    assert.deepEqual(await host.findHook(repository, address), { hookId });
  });

  it('has the API of github.com at a host of its own', async () => {
    const asked: string[] = [];
    const lookup = async (hostname: string) => {
      asked.push(hostname);
      throw Object.assign(new Error('no network'), { code: 'ENOTFOUND' });
    };
    const host = createGitHost({ platformGitUrl: null, now: () => new Date(), lookup });
    const repository = {
      provider: 'github',
      repositoryUrl: 'git@github.com:acme/shop.git',
      apiUrl: null,
      token: TOKEN,
    } as const;
    await assert.rejects(host.findHook(repository, 'https://x.example'), { code: 'UNAVAILABLE', retryable: true });
    assert.deepEqual(asked, ['api.github.com']);
  });
});
