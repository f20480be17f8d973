import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askForBuild } from '../../../activities/git-hooks/ask-for-build.ts';
import { lookAtRef } from '../../../activities/git-hooks/look-at-ref.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';

const never = new AbortController().signal;

describe('a build that a push asks for', () => {
  const parts = createGitHooksParts();
  type Connected = Awaited<ReturnType<typeof parts.connected>>;

  /** What a look decides, all of it carried out. */
  async function deploy({ connection }: Connected, deliveries: readonly string[]): Promise<void> {
    const input = { connectionId: connection.id, ref: MAIN, deliveries };
    for (const build of (await lookAtRef(parts, input, never)).builds) {
      await askForBuild(parts, build);
    }
  }

  const requestsOf = ({ serviceId }: Connected) => parts.deploys.requests.filter((one) => one.serviceId === serviceId);

  /** The git host lists a push of the head by an account. */
  const hostSays = (repositoryUrl: string, commit: string, accountId: string): void => {
    if (!parts.gitHost.repositories.has(repositoryUrl)) parts.gitHost.repositories.set(repositoryUrl, new Set());
    parts.gitHost.pushes.push({ repositoryUrl, ref: MAIN, commit, accountId });
  };
  /** With a token, by which the git host is asked. */
  const withToken = (id = `gcn_${Math.random()}`) => ({ id, token: parts.sealToken(id, 'api-token') });

  it('deploys in the name of who linked the account that pushed, while they may deploy the service', async () => {
    const hostKey = 'gitea git.example';
    const linked = { id: 'gid_1', userId: 'usr_eve', provider: 'gitea', hostAddress: 'https://git.example' } as const;
    await parts.gitIdentities.link({ ...linked, hostKey, accountId: '7', login: 'Eve', linkedAt: new Date() });
    const on = await parts.connected({ ...withToken(), provider: 'gitea' });
    const push = async (login: string) => {
      const head = parts.refs.commit(on.address, MAIN, { login, at: String(requestsOf(on).length) });
      hostSays(on.address, head, '7');
      await deploy(on, [await parts.delivered(on.connection.id, { claimedHead: head, login, accountId: '7' })]);
      const request = requestsOf(on).at(-1);
      return [request?.requestedBy, request?.org];
    };
    assert.deepEqual(await push('eve'), ['git:eve', 'acme'], 'she is in no org');
    parts.members.roles.set('acme usr_eve', 'viewer');
    assert.deepEqual(await push('eve'), ['git:eve', 'acme'], 'she may only look');
    parts.members.roles.set('acme usr_eve', 'member');
    assert.deepEqual(await push('eve'), ['usr_eve', 'acme']);
    assert.deepEqual(await push('mallory'), ['git:mallory', 'acme']);
    parts.members.roles.clear();
    assert.deepEqual(await push('eve'), ['git:eve', 'acme'], 'she left');
  });

  it('is of who pushed the head, of who asked for it, or of nobody that is known', async () => {
    const on = await parts.connected();
    const next = () => parts.refs.commit(on.address, MAIN, { a: String(Math.random()) });
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000);
    const by = (changes: Parameters<typeof parts.delivered>[1]) => parts.delivered(on.connection.id, changes);
    const head = next();
    const pushes = [
      await by({ login: 'ada', claimedHead: head, receivedAt: at(9) }),
      await by({ login: 'eve', claimedHead: 'f'.repeat(40), receivedAt: at(1) }),
    ];
    await deploy(on, pushes);
    next();
    await deploy(on, [await by({ login: 'ada', receivedAt: at(9) }), await by({ login: 'bob', receivedAt: at(1) })]);
    next();
    await deploy(on, [await by({ kind: 'look', login: null, requestedBy: 'usr_ada' })]);
    next();
    await deploy(on, [await by({ login: null })]);
    assert.deepEqual(
      requestsOf(on).map(({ requestedBy }) => requestedBy),
      ['git:ada', 'git:bob', 'usr_ada', 'git'],
    );
  });

  it('is of the person who linked the account that pushed, while they may deploy the service', async () => {
    const on = await parts.connected(withToken());
    const link = { hostKey: 'gitea git.example', provider: 'gitea', hostAddress: 'https://git.example' } as const;
    const at = new Date();
    const identity = { id: 'gid_lin', userId: 'usr_lin', accountId: '4711', login: 'lin', linkedAt: at, ...link };
    assert.equal(await parts.gitIdentities.link(identity), true);
    const pushAs = async (accountId: string | null) => {
      const claimedHead = parts.refs.commit(on.address, MAIN, { a: String(Math.random()) });
      if (accountId !== null) hostSays(on.address, claimedHead, accountId);
      await deploy(on, [await parts.delivered(on.connection.id, { login: 'lin', accountId, claimedHead })]);
    };
    await pushAs('4711');
    parts.members.roles.set('acme usr_lin', 'member');
    await pushAs('4711');
    await pushAs('4712');
    parts.members.roles.set('acme usr_lin', 'viewer');
    await pushAs('4711');
    assert.deepEqual(
      requestsOf(on).map(({ requestedBy, org }) => [requestedBy, org]),
      [
        ['git:lin', 'acme'],
        ['usr_lin', 'acme'],
        ['git:lin', 'acme'],
        ['git:lin', 'acme'],
      ],
    );
  });

  it('is of no person for what somebody else pushed, who took over a login, or whose token says nothing of it', async () => {
    const hostKey = 'gitea git.example';
    const at = new Date();
    const identity = { id: 'gid_may', userId: 'usr_may', accountId: '88', login: 'may', linkedAt: at };
    await parts.gitIdentities.link({ ...identity, hostKey, provider: 'gitea', hostAddress: 'https://git.example' });
    parts.members.roles.set('acme usr_may', 'member');
    const pushed = async (changes: object, connection: object = {}) => {
      const on = await parts.connected({ ...withToken(), ...connection });
      const claimedHead = parts.refs.commit(on.address, MAIN, { a: String(Math.random()) });
      hostSays(on.address, claimedHead, '88');
      const said = { login: 'may', accountId: '88', claimedHead, ...changes };
      await deploy(on, [await parts.delivered(on.connection.id, said)]);
      return requestsOf(on).map(({ requestedBy }) => requestedBy);
    };
    assert.deepEqual(await pushed({}), ['usr_may']);
    // Right after her push, before the delivery of the other one is here.
    assert.deepEqual(await pushed({ claimedHead: 'f'.repeat(40) }), ['git:may']);
    assert.deepEqual(await pushed({ claimedHead: null }), ['git:may']);
    assert.deepEqual(await pushed({ accountId: '89' }), ['git:may']);
    assert.deepEqual(await pushed({ accountId: null }), ['git:may']);
    assert.deepEqual(await pushed({}, { proof: 'token' }), ['git:may']);
  });

  it('is of no person by the word of a delivery alone, which who knows the secret can sign', async () => {
    const hostKey = 'gitea git.example';
    const identity = { id: 'gid_zoe', userId: 'usr_zoe', accountId: '66', login: 'zoe', linkedAt: new Date() };
    await parts.gitIdentities.link({ ...identity, hostKey, provider: 'gitea', hostAddress: 'https://git.example' });
    parts.members.roles.set('acme usr_zoe', 'member');
    const away = new FairleadError('UNAVAILABLE', 'The git host is away.', { retryable: true, system: 'git-host' });
    const elsewhere = { apiUrl: 'https://admin.example/api/v1' };
    type Said = (address: string, head: string) => void;
    const truth: Said = (address, head) => hostSays(address, head, '66');
    const rows: readonly [what: string, said: Said, connection: object, requestedBy: string][] = [
      ['the host says the same', truth, {}, 'usr_zoe'],
      ['the API is named elsewhere, and the host is asked all the same', truth, elsewhere, 'usr_zoe'],
      ['the host names somebody else', (address, head) => hostSays(address, head, '67'), {}, 'git:zoe'],
      ['the host lists no push of it', () => undefined, {}, 'git:zoe'],
      [
        'of another branch',
        (repositoryUrl, commit) => {
          hostSays(repositoryUrl, 'e'.repeat(40), '66');
          parts.gitHost.pushes.push({ repositoryUrl, ref: 'refs/heads/other', commit, accountId: '66' });
        },
        {},
        'git:zoe',
      ],
      [
        'somebody else pushed it after her',
        (address, head) => {
          truth(address, head);
          hostSays(address, head, '67');
        },
        {},
        'git:zoe',
      ],
      ['nobody gave a token to ask with', truth, { token: null }, 'git:zoe'],
      [
        'the token is refused',
        (address, head) => {
          truth(address, head);
          parts.gitHost.tokens.add('another');
        },
        {},
        'git:zoe',
      ],
      [
        'the host is away',
        (address, head) => {
          truth(address, head);
          parts.gitHost.failure = away;
        },
        {},
        'git:zoe',
      ],
      ['the host has no such repository', () => undefined, {}, 'git:zoe'],
    ];
    for (const [what, said, connection, requestedBy] of rows) {
      const on = await parts.connected({ ...withToken(), ...connection });
      const claimedHead = parts.refs.commit(on.address, MAIN, { a: String(Math.random()) });
      said(on.address, claimedHead);
      try {
        await deploy(on, [await parts.delivered(on.connection.id, { login: 'zoe', accountId: '66', claimedHead })]);
      } finally {
        parts.gitHost.tokens.clear();
        parts.gitHost.failure = null;
      }
      const [build] = requestsOf(on);
      assert.deepEqual([build?.requestedBy, build?.org], [requestedBy, 'acme'], what);
    }
  });
});
