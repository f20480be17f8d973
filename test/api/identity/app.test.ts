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

  it('is closed by default: every route of its document but the public ones refuses a stranger', async () => {
    const { body } = await idp.call('GET', '/openapi.json');
    const rows = Object.entries(body.paths as Record<string, Record<string, { security: unknown[] }>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { security }]) => ({ path, method, security })),
    );
    for (const { path, method, security } of rows.filter((row) => row.security.length > 0)) {
      const { status } = await idp.call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'));
      assert.ok(status === 401 || status === 303, `${method} ${path} answers ${status}, security ${security.length}`);
    }
  });

  it('opens one link for the first admin, which is in no log', async () => {
    assert.match(idp.firstAdminUrl, /\/welcome\?token=/);
    const token = new URL(idp.firstAdminUrl).searchParams.get('token') ?? '';
    assert.ok(token.length > 30);
    assert.ok(!idp.logged.join('').includes(token));
  });
});
