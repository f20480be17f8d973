import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { revokeClient } from '../../../api/identity/revocation/revoke.ts';
import { createServiceTokens, createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { countDenylistReads, untilRefused } from '../../support/denylist-reads.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

describe('the SDK of two services against the real identity provider', () => {
  let idp: TestIdp;
  /** The service that is called, and the one that calls. */
  let orders: TokenVerifier;
  const reads = countDenylistReads();
  let secrets: { orders: string; shop: string };
  let aheadMs = 0;
  before(async () => {
    idp = await startIdp();
    await idp.seedOrg('acme');
    const called = await idp.seedClient('orders-prod', { orgSlug: 'acme', environment: 'prod' });
    const caller = await idp.seedClient('shop-prod', {
      orgSlug: 'acme',
      environment: 'prod',
      allowedScopes: ['orders:read'],
      allowedGrantTypes: ['client_credentials'],
    });
    secrets = { orders: called.secret, shop: caller.secret };
    orders = createTokenVerifier({
      idpUrl: idp.issuer,
      audience: 'orders-prod',
      revocations: { clientId: 'orders-prod', clientSecret: called.secret },
      clock: () => new Date(Date.now() + aheadMs),
      fetch: reads.fetch,
    });
  });
  after(async () => {
    orders.close();
    await idp.stop();
  });
  const shop = () =>
    createServiceTokens({
      idpUrl: idp.issuer,
      clientId: 'shop-prod',
      clientSecret: secrets.shop,
      scope: 'orders:read',
    });
  const advance = (ms: number) => {
    idp.advance(ms);
    aheadMs += ms;
  };

  it('a scope leads to a token for the service it names, which knows its caller', async () => {
    const { kind, identityId, orgSlug, scopes } = await orders.verify(await shop().token());
    assert.deepEqual([kind, identityId, orgSlug, scopes], ['service', 'shop-prod', 'acme', ['orders:read']]);
  });

  it('a token for somebody else is refused', async () => {
    const options = { idpUrl: idp.issuer, clientId: 'orders-prod', clientSecret: secrets.orders };
    const forBuilder = await createServiceTokens({ ...options, audience: 'builder' }).token();
    await assert.rejects(orders.verify(forBuilder), { details: { reason: 'audience' } });
  });

  it('a rotation of the signing key is followed, and tokens of the old key stay good', async () => {
    const before = await shop().token();
    advance(180_000);
    const rotated = await idp.call('POST', '/api/admin/keys/rotate', { json: { force: true }, headers: idp.internal });
    assert.equal(rotated.status, 200, rotated.text);
    const after = await shop().token();
    assert.notEqual(keyOf(after), keyOf(before));
    await orders.verify(after);
    await orders.verify(before);
  });

  it('a wrong secret is reported with the provider’s error code', async () => {
    const wrong = createServiceTokens({ idpUrl: idp.issuer, clientId: 'shop-prod', clientSecret: 'flcs_wrong' });
    await assert.rejects(wrong.token(), { code: 'UNAUTHORIZED', details: { error: 'invalid_client' } });
  });

  it('a verifier whose own credentials are wrong accepts nothing', async () => {
    const revocations = { clientId: 'orders-prod', clientSecret: 'flcs_wrong' };
    const verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'orders-prod', revocations });
    await assert.rejects(verifier.verify(await shop().token()), { code: 'UNAVAILABLE' });
    verifier.close();
  });

  it('a revoked client’s tokens are refused with the next read of the denylist', async () => {
    const token = await shop().token();
    await orders.verify(token);
    await revokeClient(idp.deps, null, 'shop-prod', { actor: 'internal' });
    const isAccepted = () =>
      orders.verify(token).then(
        () => true,
        () => false,
      );
    await untilRefused(isAccepted, reads.begun);
    await assert.rejects(orders.verify(token), { details: { reason: 'revoked' } });
  });
});

function keyOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}
