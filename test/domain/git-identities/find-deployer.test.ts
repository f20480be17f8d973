import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDeployer } from '../../../domain/git-identities/find-deployer.ts';
import type { OrgRole } from '../../../domain/roles.ts';
import { createInMemoryGitIdentities, createInMemoryMembers } from '../../support/in-memory/git-identities.ts';

const HOST = 'github github.com';
const SHOP = { org: 'acme', authorizedOrgs: ['helpers', 'partners'] };

describe('whose a push is', () => {
  const TABLE: readonly [what: string, roles: Readonly<Record<string, OrgRole>>, org: string | null][] = [
    ['a member of the owner', { 'acme usr_eve': 'member' }, 'acme'],
    ['an admin of the owner', { 'acme usr_eve': 'admin' }, 'acme'],
    ['a viewer, who may not deploy', { 'acme usr_eve': 'viewer' }, null],
    ['a member of an org that shares it', { 'partners usr_eve': 'member' }, 'partners'],
    [
      'a viewer of the owner and a member of an org that shares it',
      { 'acme usr_eve': 'viewer', 'helpers usr_eve': 'admin' },
      'helpers',
    ],
    ['a member of another org', { 'strangers usr_eve': 'admin' }, null],
    ['somebody who is in no org any more', {}, null],
  ];
  for (const [what, roles, org] of TABLE) {
    it(`is ${org === null ? "nobody's" : `theirs in ${org}`} for ${what}`, async () => {
      const identities = createInMemoryGitIdentities();
      await identities.link({
        ...{ id: 'gid_1', userId: 'usr_eve', provider: 'github', hostAddress: 'https://github.com', hostKey: HOST },
        ...{ accountId: '7', login: 'eve', linkedAt: new Date() },
      });
      const members = createInMemoryMembers(roles);
      const find = (account: { login?: string; accountId?: string | null; hostKey?: string }) =>
        findDeployer({ identities, members }, { hostKey: HOST, login: 'eve', accountId: null, ...account }, SHOP);
      assert.deepEqual(await find({}), org === null ? null : { userId: 'usr_eve', org });
      for (const other of [{ login: 'bob' }, { accountId: '8' }, { hostKey: 'gitlab gitlab.com' }]) {
        assert.equal(await find(other), null);
      }
    });
  }
});
