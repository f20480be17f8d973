import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClientOwner, clientIdOf, clientIdsOf, ownsClient } from '../../../domain/oauth-clients/ownership.ts';

const secret = { keyId: '00000000', sealed: 'x' };
const shop: ClientOwner = { name: 'shop', org: 'acme', authorizedOrgs: ['partner'], oauthCredentials: {} };
const shopProd = { clientId: 'shop-prod', orgSlug: 'acme', service: 'shop' };

describe('who owns a client', () => {
  it('the org its record names', () => {
    assert.equal(ownsClient('acme', { clientId: 'portal', orgSlug: 'acme', service: null }, null), true);
    assert.equal(ownsClient('other', { clientId: 'portal', orgSlug: 'acme', service: null }, null), false);
  });

  it('the org that owns its service, and the orgs authorized for it', () => {
    const elsewhere = { ...shopProd, orgSlug: 'before' };
    for (const [org, owns] of [
      ['acme', true],
      ['partner', true],
      ['other', false],
    ] as const) {
      assert.equal(ownsClient(org, elsewhere, shop), owns, org);
    }
  });

  it('the stored credential says which client is the service’s, else the default id does', () => {
    const renamed: ClientOwner = { ...shop, oauthCredentials: { prod: { clientId: 'shop-live', secret } } };
    assert.equal(clientIdOf(renamed, 'prod'), 'shop-live');
    assert.deepEqual(clientIdsOf(renamed), ['shop-live', 'shop-sandbox', 'shop-uat']);
    const live = { clientId: 'shop-live', orgSlug: 'before', service: 'shop' };
    assert.equal(ownsClient('acme', live, renamed), true);
    assert.equal(ownsClient('acme', { ...live, clientId: 'shop-prod' }, renamed), false);
  });

  it('a service named so that its default id is someone else’s client gains nothing', () => {
    const portal: ClientOwner = { ...shop, name: 'portal', org: 'thief' };
    for (const service of [null, 'shop', 'portal-x']) {
      assert.equal(ownsClient('thief', { clientId: 'portal-prod', orgSlug: 'acme', service }, portal), false);
    }
  });

  it('someone in no org owns nothing', () => {
    assert.equal(ownsClient('', { ...shopProd, orgSlug: '' }, { ...shop, org: '' }), false);
  });
});
