import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemberNotices } from '../../../api/authorized-orgs/member-notices.ts';
import type { Caller } from '../../../api/http/caller.ts';
import type { Member } from '../../../domain/authorized-orgs/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';

const person = (userId: string, org: string): Caller => ({
  ...{ kind: 'user', via: 'token', userId, email: `${userId}@example.test`, org, name: userId },
  ...{ role: 'member', clientId: 'fairlead-cli' },
});
const REQUEST = { method: 'GET', headers: {} };
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('people who act at the builder', () => {
  function start() {
    const looked: string[] = [];
    const warned: unknown[] = [];
    let away = false;
    const commands = {
      async reconcileMember({ userId, org, email }: Member) {
        assert.equal(email, `${userId}@example.test`);
        if (away) throw new FairleadError('UNAVAILABLE', 'no worker answers');
        looked.push(`${userId} of ${org}`);
      },
    };
    const notices = createMemberNotices({ commands, log: { warn: (what: unknown) => warned.push(what) } });
    const act = (caller: Caller | null) => notices.noticing(async () => caller)(REQUEST);
    const setAway = (is: boolean): void => {
      away = is;
    };
    return { looked, warned, notices, act, setAway };
  }

  it('are looked at with their first request in each org, and with each deploy', async () => {
    const { looked, act, notices } = start();
    for (const org of ['helpers', 'helpers', 'agency', 'helpers']) await act(person('usr_eve', org));
    notices.deployed(person('usr_eve', 'helpers'));
    assert.deepEqual(looked, ['usr_eve of helpers', 'usr_eve of agency', 'usr_eve of helpers']);
  });

  it('nobody else is: no key, no service, nobody without an org or credential', async () => {
    const { looked, act, notices } = start();
    const callers: (Caller | null)[] = [
      null,
      person('usr_alone', ''),
      { kind: 'internal', org: 'platform', name: 'internal' },
      { kind: 'service', clientId: 'shop-prod', org: 'helpers', name: 'shop-prod', scopes: [] },
    ];
    for (const caller of callers) {
      assert.equal(await act(caller), caller);
      if (caller !== null) notices.deployed(caller);
    }
    assert.deepEqual(looked, []);
  });

  it('a request goes on while workflows are away, and the next one looks again', async () => {
    const { looked, warned, act, setAway } = start();
    setAway(true);
    assert.notEqual(await act(person('usr_eve', 'helpers')), null);
    await settled();
    assert.equal(warned.length, 1);
    setAway(false);
    await act(person('usr_eve', 'helpers'));
    assert.deepEqual(looked, ['usr_eve of helpers']);
  });
});
