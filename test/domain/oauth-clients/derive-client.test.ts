import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveScopes } from '../../../domain/oauth-clients/derive-client.ts';

describe('scopes a deploy derives', () => {
  it('openid, profile, email and those of the dependencies, under the name of their service', () => {
    const { scopes, refused } = deriveScopes([
      { service: 'mailer', scopes: ['send', 'mailer:read', 'send'] },
      { service: 'ledger', scopes: [] },
    ]);
    assert.deepEqual(scopes, ['openid', 'profile', 'email', 'mailer:send', 'mailer:read']);
    assert.deepEqual(refused, []);
  });

  it('no service can be named so that its scope is one the platform gives a meaning', () => {
    const dependencies = ['personas', 'org', 'builder', 'platform', 'idp', 'fairlead'].map((service) => ({
      service,
      scopes: ['mint', 'manage', 'admin'],
    }));
    const { scopes, refused } = deriveScopes(dependencies);
    assert.deepEqual(scopes, ['openid', 'profile', 'email']);
    assert.equal(refused.length, 18);
    assert.ok(refused.includes('personas:mint') && refused.includes('org:manage'));
  });

  it('a scope of another service, or one that is no scope, cannot be slipped in', () => {
    const { scopes, refused } = deriveScopes([
      { service: 'mailer', scopes: ['personas:mint', 'send org:manage', 'a"b', 'é'] },
    ]);
    assert.deepEqual(scopes, ['openid', 'profile', 'email', 'mailer:personas:mint']);
    assert.deepEqual(refused, ['mailer:send org:manage', 'mailer:a"b', 'mailer:é']);
  });
});
