import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { RevocationStore } from '../../../domain/identity/ports.ts';
import { REVOCATION_KINDS, type RevocableClaims } from '../../../domain/identity/revocation.ts';
import { atOnce, CALLERS, HOSTILE } from './at-once.ts';
import { at, LIFE_SECONDS, revocation } from './records.ts';

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

function claims(changes: Partial<RevocableClaims>): RevocableClaims {
  return { jti: 'j', gid: 'g', sid: 's', sub: 'u', client_id: 'c', iat: seconds(at(0)), ...changes };
}

/** What every {@link RevocationStore} guarantees. */
export function revocationStoreSuite(create: (now: Clock) => RevocationStore): void {
  const store = create(() => at(10));
  const entryOf = async (value: string) => (await store.since(at(-100))).find((entry) => entry.value === value);

  describe('RevocationStore', () => {
    it('an entry of each kind voids the tokens that carry its value in that claim, and no others', async () => {
      const claimOf = { token: 'jti', grant: 'gid', session: 'sid', user: 'sub', client: 'client_id' } as const;
      for (const kind of REVOCATION_KINDS) await store.add(revocation({ kind, value: `void ${kind}` }));
      for (const kind of REVOCATION_KINDS) {
        assert.equal(await store.isRevoked(claims({ [claimOf[kind]]: `void ${kind}` })), true, kind);
        const wrongClaim = kind === 'token' ? 'sub' : 'jti';
        assert.equal(await store.isRevoked(claims({ [wrongClaim]: `void ${kind}` })), false, kind);
      }
      assert.equal(await store.isRevoked(claims({ gid: undefined, sid: undefined })), false);
      for (const value of HOSTILE)
        assert.equal(await store.isRevoked(claims({ jti: value, sub: value })), false, value);
    });

    it('a person and a client get good tokens again after the moment an entry speaks of', async () => {
      for (const [kind, claim] of [
        ['user', 'sub'],
        ['client', 'client_id'],
      ] as const) {
        await store.add(revocation({ kind, value: 'again', issuedUntil: at(100) }));
        assert.equal(await store.isRevoked(claims({ [claim]: 'again', iat: seconds(at(100)) })), true, kind);
        assert.equal(await store.isRevoked(claims({ [claim]: 'again', iat: seconds(at(101)) })), false, kind);
      }
    });

    it('a token, a grant and a session are over for good, whenever a token says that it was issued', async () => {
      for (const [kind, claim] of [
        ['token', 'jti'],
        ['grant', 'gid'],
        ['session', 'sid'],
      ] as const) {
        await store.add(revocation({ kind, value: 'over', issuedUntil: at(100) }));
        assert.equal(await store.isRevoked(claims({ [claim]: 'over', iat: seconds(at(9_000)) })), true, kind);
      }
    });

    it('of 50 entries about one value at once one stays, with the latest of their times', async () => {
      await atOnce((caller) => {
        const times = {
          issuedUntil: at(caller),
          revokedAt: at(CALLERS - caller),
          expiresAt: at(LIFE_SECONDS + caller),
        };
        return store.add(revocation({ kind: 'grant', value: 'grt_often', ...times }));
      });
      assert.deepEqual(
        (await store.since(at(-100))).filter((entry) => entry.value === 'grt_often'),
        [
          revocation({
            kind: 'grant',
            value: 'grt_often',
            issuedUntil: at(CALLERS - 1),
            revokedAt: at(CALLERS),
            expiresAt: at(LIFE_SECONDS + CALLERS - 1),
          }),
        ],
      );
    });

    it('tells what was added or widened since a moment, that moment included, oldest first', async () => {
      const values = async (moment: Date) =>
        (await store.since(moment)).map((entry) => entry.value).filter((value) => value.startsWith('since'));
      await store.add(revocation({ value: 'since b', revokedAt: at(21) }));
      await store.add(revocation({ value: 'since a', revokedAt: at(20) }));
      assert.deepEqual(await values(at(20)), ['since a', 'since b']);
      assert.deepEqual(await values(at(21)), ['since b']);
      assert.deepEqual(await values(at(22)), []);
      await store.add(revocation({ value: 'since a', revokedAt: at(22), issuedUntil: at(22) }));
      assert.deepEqual(await values(at(22)), ['since a']);
    });

    it('says no more of an entry once the last token it voids has expired', async () => {
      const entry = revocation({ value: 'expiring' });
      await store.add(entry);
      assert.deepEqual(await entryOf('expiring'), entry);
      const later = await create(() => entry.expiresAt).since(at(-100));
      assert.equal(
        later.some(({ value }) => value === 'expiring'),
        false,
      );
    });
  });
}
