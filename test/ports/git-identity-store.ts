import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GitIdentity } from '../../domain/git-identities/git-identity.ts';
import type { GitIdentityStore } from '../../domain/git-identities/ports.ts';

const HOST = 'gitea git.example';
let made = 0;

function identity(fields: Partial<GitIdentity>): GitIdentity {
  made += 1;
  return {
    id: `gid_${made}`,
    userId: 'usr_eve',
    provider: 'gitea',
    hostAddress: 'https://git.example',
    hostKey: HOST,
    accountId: '7',
    login: 'Eve',
    linkedAt: new Date('2026-03-01T12:00:00Z'),
    ...fields,
  };
}

/** What every {@link GitIdentityStore} guarantees; each store begins empty. */
export function gitIdentityStoreSuite(create: () => Promise<GitIdentityStore>): void {
  describe('GitIdentityStore', () => {
    const find = async (store: GitIdentityStore, login: string, accountId: string | null = null, hostKey = HOST) =>
      (await store.findPerson({ hostKey, login, accountId }))?.userId ?? null;

    it('finds the person of an account by its login, in any case, at its host alone', async () => {
      const store = await create();
      const linked = identity({});
      assert.equal(await store.link(linked), true);
      assert.deepEqual(await store.findPerson({ hostKey: HOST, login: 'eVE', accountId: '7' }), linked);
      assert.equal(await find(store, 'eve'), 'usr_eve');
      assert.equal(await find(store, 'eve', null, 'gitea other.example'), null);
      assert.equal(await find(store, 'ev'), null);
    });

    it('takes an account that has a login of before for another one', async () => {
      const store = await create();
      await store.link(identity({}));
      assert.equal(await find(store, 'eve', '8'), null);
    });

    it('gives an account to one person', async () => {
      const store = await create();
      await store.link(identity({}));
      assert.equal(await store.link(identity({ userId: 'usr_mallory' })), false);
      assert.equal(await store.link(identity({ userId: 'usr_mallory', login: 'renamed' })), false);
      assert.equal(await find(store, 'eve'), 'usr_eve');
      assert.deepEqual(await store.listOf('usr_mallory'), []);
    });

    it('gives an account to one person, of many who link it at once', async () => {
      const store = await create();
      const people = Array.from({ length: 8 }, (_, index) => `usr_${index}`);
      const linked = await Promise.all(people.map((userId) => store.link(identity({ userId }))));
      assert.equal(linked.filter((each) => each).length, 1);
      assert.equal(await find(store, 'eve'), people[linked.indexOf(true)]);
    });

    it('replaces what a person linked at a host, and keeps its id', async () => {
      const store = await create();
      const first = identity({});
      await store.link(first);
      await store.link(identity({ accountId: '8', login: 'eve-of-today' }));
      assert.deepEqual(
        (await store.listOf('usr_eve')).map(({ id, accountId, login }) => [id, accountId, login]),
        [[first.id, '8', 'eve-of-today']],
      );
      assert.equal(await find(store, 'eve'), null);
    });

    it('lets an account take the login that its host gave it', async () => {
      const store = await create();
      await store.link(identity({}));
      await store.link(identity({ userId: 'usr_bob', accountId: '9', login: 'eve' }));
      assert.equal(await find(store, 'eve'), 'usr_bob');
      assert.deepEqual(await store.listOf('usr_eve'), []);
    });

    it('lists all of a person by host, and those of some people at one host', async () => {
      const store = await create();
      const there = { hostKey: 'github github.com', provider: 'github' } as const;
      await store.link(identity({ ...there }));
      await store.link(identity({}));
      await store.link(identity({ userId: 'usr_bob', accountId: '9', login: 'bob' }));
      assert.deepEqual(
        (await store.listOf('usr_eve')).map(({ hostKey }) => hostKey),
        [HOST, there.hostKey],
      );
      const some = await store.listAt(HOST, ['usr_bob', 'usr_nobody']);
      assert.deepEqual(
        some.map(({ userId }) => userId),
        ['usr_bob'],
      );
      assert.deepEqual(await store.listAt(HOST, []), []);
    });

    it('unlinks one of a person, once, and none of another', async () => {
      const store = await create();
      const linked = identity({});
      await store.link(linked);
      assert.equal(await store.unlink('usr_mallory', linked.id), null);
      assert.deepEqual(await store.unlink('usr_eve', linked.id), linked);
      assert.equal(await store.unlink('usr_eve', linked.id), null);
      assert.equal(await find(store, 'eve'), null);
    });
  });
}
