import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DependencyTarget, deriveScopes } from '../../../domain/oauth-clients/derive-client.ts';

const service = (name: string, org: string, authorizedOrgs: readonly string[] = []): DependencyTarget => ({
  name,
  org,
  authorizedOrgs,
});
const MAILER = service('mailer', 'acme');
const BASIC = ['openid', 'profile', 'email'];

describe('scopes a deploy derives', () => {
  it('openid, profile, email and those of the dependencies, under the name of their service', () => {
    const dependencies = [
      { service: 'mailer', scopes: ['send', 'mailer:read', 'send'] },
      { service: 'ledger', scopes: [] },
    ];
    const { scopes, refused } = deriveScopes(dependencies, 'acme', [MAILER]);
    assert.deepEqual(scopes, [...BASIC, 'mailer:send', 'mailer:read']);
    assert.deepEqual(refused, []);
  });

  it('a service grants itself nothing of another org’s service, which must have authorized its org', () => {
    const dependencies = [{ service: 'notes', scopes: ['admin'] }];
    const closed = deriveScopes(dependencies, 'acme', [service('notes', 'rival', ['third'])]);
    assert.deepEqual(closed, { scopes: BASIC, refused: [{ scope: 'notes:admin', because: 'other_org' }] });
    const open = deriveScopes(dependencies, 'acme', [service('notes', 'rival', ['acme'])]);
    assert.deepEqual(open, { scopes: [...BASIC, 'notes:admin'], refused: [] });
  });

  it('nothing is granted of a service that does not exist, since another org may take its name', () => {
    const derived = deriveScopes([{ service: 'notes', scopes: ['admin'] }], 'acme', [MAILER]);
    assert.deepEqual(derived, { scopes: BASIC, refused: [{ scope: 'notes:admin', because: 'unknown_service' }] });
  });

  it('no service can be named so that its scope is one the platform gives a meaning', () => {
    const names = [
      'personas',
      'org',
      'builder',
      'platform',
      'idp',
      'fairlead',
      'webmaster',
      'locker',
      'locker-resolve',
    ];
    const dependencies = names.map((name) => ({ service: name, scopes: ['mint', 'manage', 'sync'] }));
    const own = names.map((name) => service(name, 'acme'));
    const { scopes, refused } = deriveScopes(dependencies, 'acme', own);
    assert.deepEqual(scopes, BASIC);
    assert.equal(refused.length, 27);
    assert.ok(refused.every(({ because }) => because === 'platform'));
  });

  it('a service reads its own org’s audit proofs by declaring it, and gets nothing else of the ledger', () => {
    const { scopes, refused } = deriveScopes([{ service: 'septor', scopes: ['query', 'admin'] }], 'acme', []);
    assert.deepEqual(scopes, [...BASIC, 'septor:query']);
    assert.deepEqual(refused, [{ scope: 'septor:admin', because: 'platform' }]);
  });

  it('a dependency on the site registry without scopes gets webmaster:read, and everything else needs a grant', () => {
    const scopesOf = (name: string, ...scopes: string[]) => deriveScopes([{ service: name, scopes }], 'acme', []);
    for (const name of ['site-registry', 'webmaster']) {
      assert.deepEqual(scopesOf(name), { scopes: [...BASIC, 'webmaster:read'], refused: [] }, name);
      for (const scope of ['read', 'webmaster:read', `${name}:read`]) {
        assert.deepEqual(scopesOf(name, scope).scopes, [...BASIC, 'webmaster:read'], `${name} ${scope}`);
      }
      const { scopes, refused } = scopesOf(name, 'sync', 'webmaster:hooks', 'dns');
      assert.deepEqual(scopes, BASIC);
      assert.deepEqual(
        refused.map(({ scope, because }) => [scope, because]),
        ['sync', 'hooks', 'dns'].map((scope) => [`webmaster:${scope}`, 'platform']),
      );
    }
    assert.deepEqual(scopesOf('wallet').scopes, BASIC, 'no other dependency has scopes that it does not name');
  });

  it('a scope of another service, or one that is no scope, cannot be slipped in', () => {
    const dependencies = [{ service: 'mailer', scopes: ['personas:mint', 'send org:manage', 'a"b', 'é'] }];
    const { scopes, refused } = deriveScopes(dependencies, 'acme', [MAILER]);
    assert.deepEqual(scopes, [...BASIC, 'mailer:personas:mint']);
    assert.deepEqual(
      refused.map(({ scope, because }) => [scope, because]),
      ['mailer:send org:manage', 'mailer:a"b', 'mailer:é'].map((scope) => [scope, 'malformed']),
    );
  });
});
