import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMemberDirectory } from '../../../adapters/idp/member-directory.ts';
import type { MemberDirectory } from '../../../domain/git-identities/ports.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { refusedAddress } from '../../support/upstream-faults.ts';

/** Against the real identity provider. */
describe('the directory of members', () => {
  let idp: TestIdp;
  let directory: MemberDirectory;
  before(async () => {
    idp = await startIdp();
    directory = createMemberDirectory({ url: idp.address, internalKey: KEY });
    await idp.seedOrg('acme');
    await idp.seedOrg('gone', { suspendedAt: new Date() });
  });
  after(() => idp.stop());

  it('tells the strongest role that somebody has at this moment', async () => {
    const eve = await idp.seedUser('eve@acme.example', { org: 'acme', orgRoles: ['viewer', 'admin', 'member'] });
    const ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    const stranger = await idp.seedUser('bob@bob.example');
    assert.equal(await directory.memberRole('acme', eve.id), 'admin');
    assert.equal(await directory.memberRole('acme', ann.id), 'viewer');
    for (const id of [stranger.id, 'usr_none', '../../users'])
      assert.equal(await directory.memberRole('acme', id), null);
    assert.equal(await directory.memberRole('none', eve.id), null);
    const listed = await directory.listMembers('acme');
    assert.deepEqual(
      listed.filter(({ userId }) => [eve.id, ann.id].includes(userId)).sort((a, b) => (a.role < b.role ? -1 : 1)),
      [
        { userId: eve.id, role: 'admin' },
        { userId: ann.id, role: 'viewer' },
      ],
    );
    assert.deepEqual(await directory.listMembers('none'), []);
  });

  it('tells no role of who left, is suspended, or is in an org that is suspended', async () => {
    const left = await idp.seedUser('left@acme.example', { org: 'acme' });
    const paused = await idp.seedUser('paused@acme.example', { org: 'acme' });
    const locked = await idp.seedUser('locked@acme.example', { org: 'acme' });
    const there = await idp.seedUser('there@gone.example', { org: 'gone' });
    for (const { id } of [left, paused, locked]) assert.equal(await directory.memberRole('acme', id), 'member');
    const member = (id: string): string => `/api/v2/orgs/acme/members/${id}`;
    assert.equal((await idp.call('DELETE', member(left.id), { headers: idp.internal })).status, 200);
    assert.equal((await idp.call('POST', `${member(paused.id)}/suspend`, { headers: idp.internal })).status, 200);
    await idp.deps.users.update(locked.id, { suspendedAt: new Date() });
    for (const { id } of [left, paused, locked]) assert.equal(await directory.memberRole('acme', id), null);
    assert.equal(await directory.memberRole('gone', there.id), null);
    assert.deepEqual(await directory.listMembers('gone'), []);
    const listed = (await directory.listMembers('acme')).map(({ userId }) => userId);
    assert.ok(!listed.includes(left.id) && !listed.includes(paused.id));
  });

  it('lists all of an org that has more than a page of them', async () => {
    await idp.seedOrg('many');
    for (let index = 0; index < 205; index += 1) await idp.seedUser(`m${index}@many.example`, { org: 'many' });
    assert.equal((await directory.listMembers('many')).length, 205);
  });

  it('takes nobody for gone when the provider does not answer', async () => {
    const away = createMemberDirectory({ url: await refusedAddress(), internalKey: KEY });
    await assert.rejects(away.memberRole('acme', 'usr_eve'), { code: 'UNAVAILABLE', retryable: true });
    await assert.rejects(away.listMembers('acme'), { code: 'UNAVAILABLE', retryable: true });
    const wrong = createMemberDirectory({ url: idp.address, internalKey: 'another-key-of-this-test-0123456789' });
    await assert.rejects(wrong.listMembers('acme'), { code: 'UNAVAILABLE' });
  });
});
