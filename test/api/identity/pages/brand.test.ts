import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brandOf } from '../../../../api/identity/pages/brand.ts';
import { NO_WHITE_LABEL } from '../../../../domain/branding/white-label.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';

describe('the brand of a page', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp();
    await idp.seedOrg('plain');
    await idp.seedOrg('guild', {
      name: 'The Guild',
      whiteLabel: { emailFromName: null, logoUrl: 'https://guild.example/logo.svg', primaryColor: '#112233' },
    });
  });
  after(() => idp.stop());

  it("is the client's where it says something, else its org's, field by field", async () => {
    const whiteLabel = { ...NO_WHITE_LABEL, primaryColor: '#ffcc00' };
    await idp.seedClient('own', { name: 'The Shop', orgSlug: 'guild', whiteLabel });
    assert.deepEqual(await brandOf(idp.deps, 'own'), {
      name: 'The Shop',
      logoUrl: 'https://guild.example/logo.svg',
      colour: '#ffcc00',
    });
    await idp.seedClient('org', { orgSlug: 'guild' });
    assert.deepEqual(await brandOf(idp.deps, 'org'), {
      name: 'The Guild',
      logoUrl: 'https://guild.example/logo.svg',
      colour: '#112233',
    });
  });

  it("is the platform's for a client and org that say nothing, an unknown client, and none", async () => {
    await idp.seedClient('silent', { orgSlug: 'plain' });
    for (const clientId of ['silent', 'nobody', null]) {
      assert.deepEqual(await brandOf(idp.deps, clientId), { name: 'Fairlead', logoUrl: null, colour: null });
    }
  });

  it('leaves out a logo or colour that a page could be broken with', async () => {
    const logos = [
      'http://cdn.example/x.svg',
      'javascript:alert(1)',
      'data:image/svg+xml,x',
      'https://u@cdn.example/x',
      'x',
    ];
    for (const [index, logoUrl] of logos.entries()) {
      const clientId = `bad-${index}`;
      const whiteLabel = { emailFromName: 'Bad', logoUrl, primaryColor: 'red;}body{display:none' };
      await idp.seedClient(clientId, { orgSlug: 'plain', whiteLabel });
      assert.deepEqual(await brandOf(idp.deps, clientId), { name: 'Bad', logoUrl: null, colour: null });
    }
  });
});
