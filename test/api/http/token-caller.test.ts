import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tokenCaller } from '../../../api/http/token-caller.ts';
import type { AccessTokenClaims } from '../../../domain/identity/claims.ts';

const PERSON: AccessTokenClaims = {
  iss: 'https://id.example',
  sub: 'usr_1',
  identityId: 'usr_1',
  aud: 'builder',
  exp: 2_000_000_000,
  iat: 1_900_000_000,
  jti: 'tok_1',
  client_id: 'fairlead-cli',
  scope: 'openid',
  orgSlug: 'acme',
  roles: ['super_admin'],
  orgRoles: ['admin'],
};

const kindOf = (changes: Partial<AccessTokenClaims>) => tokenCaller({ ...PERSON, ...changes }, 'platform').kind;

it('a person is a super admin by that platform role alone', () => {
  assert.equal(kindOf({}), 'platform-admin');
  for (const roles of [[], ['developer', 'devops'], ['admin'], ['super_admin ']])
    assert.equal(kindOf({ roles }), 'user');
  assert.equal(kindOf({ roles: [], orgRoles: ['super_admin'] }), 'user');
});

it('a test person is no super admin', () => {
  assert.equal(kindOf({ persona: true }), 'user');
});

it('a service is never a super admin, whatever its token claims', () => {
  const { identityId: _, ...nobodys } = PERSON;
  const own = { sub: 'shop-prod', client_id: 'shop-prod' };
  for (const changes of [{ token_type: 'client_credentials' }, own, { ...own, identityId: 'usr_1' }]) {
    assert.equal(kindOf(changes), 'service', JSON.stringify(changes));
  }
  assert.equal(tokenCaller(nobodys, 'platform').kind, 'service');
});

it('a service is one of the platform by its org and scope together', () => {
  const service = { token_type: 'client_credentials', sub: 'job', client_id: 'job' };
  assert.equal(kindOf({ ...service, orgSlug: 'platform', scope: 'x:y platform:manage' }), 'platform-service');
  assert.equal(kindOf({ ...service, orgSlug: 'platform', scope: 'platform:managed' }), 'service');
  assert.equal(kindOf({ ...service, orgSlug: 'acme', scope: 'platform:manage' }), 'service');
});

it('someone in no org has no role, whatever roles the token names', () => {
  const { orgSlug: _, ...orgless } = PERSON;
  const caller = tokenCaller(orgless, 'platform');
  assert.ok(caller.kind === 'platform-admin');
  assert.deepEqual([caller.org, caller.role], ['', null]);
});
