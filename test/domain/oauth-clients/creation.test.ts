import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusedInCreation, type WantedClient } from '../../../domain/oauth-clients/creation.ts';

describe('who may create what client', () => {
  const allowed: readonly WantedClient[] = [
    {},
    {
      orgSlug: 'acme',
      clientId: 'portal',
      clientType: 'public',
      name: 'Portal',
      redirectUris: ['https://a.example/cb'],
    },
    { allowedScopes: ['openid', 'profile', 'email'], allowedGrantTypes: ['authorization_code', 'refresh_token'] },
    { allowedScopes: [], allowedGrantTypes: [] },
    { trustedClient: false, headlessEnabled: false, passportConfig: { headless: false, allowedEmbedOrigins: [] } },
    { accessTokenTtlSeconds: 60, passportConfig: { allowedEmbedOrigins: ['https://a.example'] } },
  ];
  for (const wanted of allowed) {
    it(`an owner may have ${JSON.stringify(wanted)}`, () =>
      assert.deepEqual(refusedInCreation(wanted, 'owner', 'acme'), []));
  }

  const refused: readonly (readonly [WantedClient, string])[] = [
    [{ orgSlug: 'other' }, 'orgSlug'],
    [{ allowedScopes: ['openid', 'offline_access'] }, 'allowedScopes'],
    [{ allowedScopes: ['mailer:send'] }, 'allowedScopes'],
    [{ allowedScopes: ['locker-resolve'] }, 'allowedScopes'],
    [{ allowedGrantTypes: ['client_credentials'] }, 'allowedGrantTypes'],
    [{ allowedGrantTypes: ['urn:ietf:params:oauth:grant-type:token-exchange'] }, 'allowedGrantTypes'],
    [{ trustedClient: true }, 'trustedClient'],
    [{ autoApproveScopes: true }, 'autoApproveScopes'],
    [{ headlessEnabled: true }, 'headlessEnabled'],
    [{ selfServiceEmail: true }, 'selfServiceEmail'],
    [{ passportConfig: { headless: true } }, 'passportConfig.headless'],
    [{ defaultAudience: ['builder'] }, 'defaultAudience'],
    [{ clientId: 'billing-prod' }, 'clientId'],
  ];
  for (const [wanted, field] of refused) {
    it(`an owner may not have ${JSON.stringify(wanted)}, a super admin may`, () => {
      assert.deepEqual(refusedInCreation(wanted, 'owner', 'acme'), [field]);
      assert.deepEqual(refusedInCreation(wanted, 'super_admin', 'platform'), []);
    });
  }

  it('trusted invite sign-up is for nobody but a super admin in their own session', () => {
    for (const by of ['owner', 'super_admin'] as const) {
      assert.deepEqual(refusedInCreation({ trustedInviteSignup: true }, by, 'acme'), ['trustedInviteSignup']);
    }
    assert.deepEqual(refusedInCreation({ trustedInviteSignup: true }, 'super_admin_session', 'acme'), []);
  });

  it('someone in no org creates none', () => assert.deepEqual(refusedInCreation({}, 'owner', ''), ['orgSlug']));
});
