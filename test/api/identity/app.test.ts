import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

describe('the identity provider as an app', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());

  it('tells its health to anyone', async () => {
    const { status, body } = await idp.call('GET', '/health');
    assert.equal(status, 200);
    assert.equal(body.data.commit, 'c0ffee');
  });

  it('opens one link for the first admin, which is in no log', async () => {
    assert.match(idp.firstAdminUrl, /\/welcome\?token=/);
    const token = new URL(idp.firstAdminUrl).searchParams.get('token') ?? '';
    assert.ok(token.length > 30);
    assert.ok(!idp.logged.join('').includes(token));
  });
});
