import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEvent } from '../../../domain/git-hooks/delivery-event.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';

const SHA = '82b3d5ae55f7080f1e6022629cdb57bfae7cccc7';

/** The event header of each provider with the name it gives a push. */
const PUSH: Readonly<Record<GitProvider, readonly [header: string, push: string]>> = {
  github: ['x-github-event', 'push'],
  gitea: ['x-gitea-event', 'push'],
  forgejo: ['x-forgejo-event', 'push'],
  gitlab: ['x-gitlab-event', 'Push Hook'],
};

const read = (provider: GitProvider, event: string, body: unknown) =>
  readEvent({ provider }, { [PUSH[provider][0]]: event }, typeof body === 'string' ? body : JSON.stringify(body));

describe('what deliveries say', () => {
  it('is a push with its ref, head and pusher, as each provider writes them', () => {
    const push = { ref: 'refs/heads/main', after: SHA };
    const bodies: Readonly<Record<GitProvider, object>> = {
      github: { ...push, pusher: { name: 'octocat', email: 'o@example.com' }, sender: { login: 'octocat', id: 7 } },
      gitea: { ...push, pusher: { id: 7, login: 'octocat', username: 'octocat' }, sender: { login: 'octocat' } },
      forgejo: { ...push, pusher: { id: 7, username: 'octocat' } },
      gitlab: { ...push, object_kind: 'push', user_username: 'octocat', user_id: 7, user_name: 'Octo Cat' },
    };
    for (const provider of Object.keys(PUSH) as GitProvider[]) {
      const { kind, ref, claimedHead, login, accountId } = read(provider, PUSH[provider][1], bodies[provider]);
      assert.deepEqual(
        [kind, ref, claimedHead, login, accountId],
        ['push', { one: 'refs/heads/main' }, SHA, 'octocat', '7'],
        provider,
      );
    }
    assert.equal(read('gitlab', 'Tag Push Hook', { ref: 'refs/tags/v1' }).kind, 'push');
    assert.equal(read('github', 'ping', { zen: 'Keep it logically awesome.' }).kind, 'ping');
  });

  it('is nothing to look at when it is about a pull request, whatever its header says', () => {
    const rows: readonly [GitProvider, string, object][] = [
      ['github', 'pull_request', { action: 'opened', ref: 'refs/heads/main' }],
      ['github', 'pull_request_target', { ref: 'refs/heads/main' }],
      ['github', 'push', { ref: 'refs/heads/main', pull_request: { head: { sha: SHA } } }],
      ['gitea', 'pull_request_sync', { ref: 'refs/heads/main' }],
      ['forgejo', 'push', { ref: 'refs/heads/main', pull_request: null }],
      ['gitlab', 'Merge Request Hook', { ref: 'refs/heads/main' }],
      ['gitlab', 'Push Hook', { ref: 'refs/heads/main', object_attributes: { source_branch: 'x' } }],
      ['github', 'constructor', { ref: 'refs/heads/main' }],
      ['github', '', { ref: 'refs/heads/main' }],
    ];
    for (const [provider, event, body] of rows) {
      const said = read(provider, event, body);
      assert.deepEqual([said.kind, said.ref], ['other', 'none'], `${provider} ${event}`);
    }
    // Gitea sends the headers of GitHub too: only its own count.
    assert.equal(readEvent({ provider: 'gitea' }, { 'x-github-event': 'push' }, '{}').kind, 'other');
  });

  it('has all branches looked at when a push does not say which, and none when no rule can match', () => {
    for (const body of ['', 'no json', '[]', 'null', '{}', { ref: 7 }, { ref: ['refs/heads/main'] }]) {
      assert.equal(read('github', 'push', body).ref, 'all', JSON.stringify(body));
    }
    assert.equal(readEvent({ provider: 'github' }, { 'x-github-event': 'push' }, null).ref, 'all');
    for (const ref of ['refs/pull/7/merge', 'main', 'refs/heads/a b', 'refs/heads/\u001b[31m', 'refs/notes/x']) {
      assert.equal(read('github', 'push', { ref }).ref, 'none', ref);
    }
  });

  it('keeps nothing that is odd: no long names, markup or control codes', () => {
    const odd = ['<b>eve</b>', 'eve\u001b[2J', 'a'.repeat(101), '-eve', '', 'eve ada'];
    for (const login of odd) assert.equal(read('github', 'push', { sender: { login } }).login, null, login);
    for (const after of ['main', '0', SHA.toUpperCase(), `${SHA}\n`]) {
      assert.equal(read('github', 'push', { ref: 'refs/heads/main', after }).claimedHead, null);
    }
    const headers = { 'x-github-event': 'push\u001b', 'x-github-delivery': 'x'.repeat(101) };
    const said = readEvent({ provider: 'github' }, headers, '{}');
    assert.deepEqual([said.name, said.kind, said.providerId], ['unknown', 'other', null]);
  });
});
