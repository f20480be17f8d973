import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPersonDirectory } from '../../adapters/idp/person-directory.ts';
import { serviceClaims } from '../../domain/identity/build-claims.ts';
import type { AccessTokenClaims } from '../../domain/identity/claims.ts';
import { createTokenVerifier, type TokenVerifier } from '../../sdk/index.ts';
import { property } from '../ports/properties/property-store.ts';
import { assertAnswers, assertDocumented, everyCaller, readTable } from '../support/every-caller.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { startSiteRegistry, type TestSiteRegistry } from '../support/start-site-registry.ts';

/** 404 and 502 are answers to those who are let in. No key counts, nor what acts for the platform elsewhere. */
const TABLE = readTable(`
                                               stranger internal root job builder admin outsider orgless service reader resolver impostor unmarked
  GET    /health                                    200
  GET    /health/live                               200
  GET    /.well-known/oauth-protected-resource      200
  GET    /api/whoami                                401 401 200 403 403 403 403 403 403 403 403 403 403
  GET    /api/properties                            401 401 200 403 403 403 403 403 403 403 403 403 403
  GET    /api/overview                              401 401 200 403 403 403 403 403 403 403 403 403 403
  GET    /api/properties/none.com                   401 401 404 403 403 403 403 403 403 403 403 403 403
  GET    /api/properties/none.com/verification-record   401 401 404 403 403 403 403 403 403 403 403 403 403
  GET    /api/jobs/job_1                            401 401 404 403 403 403 403 403 403 403 403 403 403
  GET    /api/search/none.com                       401 401 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/search/pull {"domain":"none.com"}     401 401 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/sync-from-map              401 401 200 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/verify-bulk {"filter":"automatable"}     401 401 202 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/none.com/ignore            401 401 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/none.com/verify            401 401 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/none.com/check-now         401 401 404 403 403 403 403 403 403 403 403 403 403
  POST   /api/properties/none.com/owners {"email":"a@example.com"}    401 401 404 403 403 403 403 403 403 403 403 403 403
`);

describe('who may call the site registry', () => {
  let idp: TestIdp;
  let site: TestSiteRegistry;
  let verifier: TokenVerifier;
  let callers: Awaited<ReturnType<typeof everyCaller>>;
  before(async () => {
    idp = await startIdp();
    callers = await everyCaller(idp, 'site-registry');
    const audience = 'site-registry';
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience, revocations: { internalKey: IDP_KEY } });
    const people = createPersonDirectory({ url: idp.issuer, internalKey: IDP_KEY });
    site = await startSiteRegistry({}, { verifier, people, issuer: idp.issuer });
    await site.properties.insert({ ...property(), domain: 'here.com' });
  });
  after(async () => {
    verifier.close();
    await site.stop();
    await idp.stop();
  });

  it('each route lets in platform admins, and no caller that lacks the scope or the org', async () => {
    await assertAnswers(site.address, callers, TABLE);
  });

  it('no route is left out, and the document names the credentials of each', async () => {
    await assertDocumented(site.address, TABLE);
  });

  async function token(org: string, scopes: readonly string[], changes: Partial<AccessTokenClaims> = {}) {
    const { deps } = idp;
    const issuedAt = deps.now();
    const expiresAt = new Date(issuedAt.getTime() + 3_600_000);
    const frame = { issuer: idp.issuer, tokenId: deps.newId('token'), issuedAt, expiresAt, scopes };
    const claims = serviceClaims({ ...frame, audience: ['site-registry'] }, { clientId: 'portal-prod', orgSlug: org });
    return { authorization: `Bearer ${await deps.signer.sign({ ...claims, ...changes }, 'at+jwt')}` };
  }
  const status = async (method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    (await site.call(method, path, method === 'POST' ? {} : undefined, headers)).status;

  it('each route takes its one scope, and no other; all of them are for services of the platform alone', async () => {
    const rows = [
      ['GET', '/api/properties', 'webmaster:read', 200],
      ['GET', '/api/properties/here.com', 'webmaster:read', 200],
      ['GET', '/api/overview', 'webmaster:read', 200],
      ['GET', '/api/jobs/job_1', 'webmaster:read', 404],
      ['GET', '/api/search/here.com', 'webmaster:read', 200],
      ['POST', '/api/search/pull', 'webmaster:sync', 202],
      ['GET', '/api/properties/here.com/verification-record', 'webmaster:read', 200],
      ['POST', '/api/properties/sync-from-map', 'webmaster:sync', 200],
      ['POST', '/api/properties/here.com/verify', 'webmaster:sync', 202],
      ['POST', '/api/properties/here.com/check-now', 'webmaster:sync', 200],
      ['POST', '/api/properties/here.com/ignore', 'webmaster:sync', 200],
      // What is asked is wrong, which only who is let in is told.
      ['POST', '/api/properties/verify-bulk', 'webmaster:sync', 400],
      ['POST', '/api/properties/here.com/owners', 'webmaster:sync', 400],
    ] as const;
    const ofScope = TABLE.rows.filter(({ path }) => path.startsWith('/api/') && path !== '/api/whoami');
    assert.deepEqual(
      rows.map(([method, path]) => `${method} ${path}`).sort(),
      ofScope.map(({ method, path }) => `${method} ${path.replace('none.com', 'here.com')}`).sort(),
      'no route is left out',
    );
    const scopes = ['webmaster:read', 'webmaster:sync', 'webmaster:hooks', 'webmaster:dns'] as const;
    for (const [method, path, scope, answer] of rows) {
      for (const given of scopes) {
        const expected = given === scope ? answer : 403;
        assert.equal(
          await status(method, path, await token('platform', [given])),
          expected,
          `${method} ${path} ${given}`,
        );
      }
      assert.equal(await status(method, path, await token('acme', scopes)), 403, `${method} ${path} of another org`);
      const forPlatform = await token('platform', ['platform:manage', 'webmaster:hooks']);
      assert.equal(await status(method, path, forPlatform), 403, `${method} ${path} of a service of the platform`);
    }
  });

  it('a service of another org is told that its org is the reason, on each route but the public ones', async () => {
    const headers = await token('acme', ['webmaster:read', 'webmaster:sync']);
    for (const [method, path] of [
      ['GET', '/api/properties'],
      ['POST', '/api/properties/here.com/verify'],
      ['GET', '/api/whoami'],
    ] as const) {
      const { status: code, body } = await site.call(method, path, undefined, headers);
      assert.equal(code, 403);
      assert.match(body.error.message, /of a client of the platform's org; portal-prod is of acme/, path);
    }
    for (const path of ['/health', '/openapi.json', '/.well-known/oauth-protected-resource']) {
      assert.equal(await status('GET', path, headers), 200, path);
    }
  });

  it('whoami takes any of the scopes, and none without one', async () => {
    for (const scope of ['webmaster:read', 'webmaster:hooks', 'webmaster:dns']) {
      assert.equal(await status('GET', '/api/whoami', await token('platform', [scope])), 200);
    }
    assert.equal(await status('GET', '/api/whoami', await token('platform', ['webmaster', 'webmaster:reader'])), 403);
  });

  it('a token for another audience, one that is expired, or one that is none, is 401', async () => {
    const scopes = ['webmaster:read'];
    for (const changes of [{ aud: ['locker'] }, { exp: 1 }]) {
      assert.equal(await status('GET', '/api/properties', await token('platform', scopes, changes)), 401);
    }
    assert.equal(await status('GET', '/api/properties', { authorization: 'Bearer nothing' }), 401);
    assert.equal(await status('GET', '/api/properties', { cookie: '__Host-fl-session=flss_x' }), 401);
  });

  it('x-acting-user: a service names an active person, and gets no scope by that', async () => {
    const person = await idp.seedUser('ada@example.com');
    const sync = await token('platform', ['webmaster:sync']);
    const acting = { ...sync, 'x-acting-user': person.id };
    const { body } = await site.call('GET', '/api/whoami', undefined, acting);
    assert.equal(body.data.actingUser, person.id);
    assert.equal(await status('GET', '/api/properties', acting), 403, 'a person adds no scope');
    const ignored = await site.call('POST', '/api/properties/here.com/ignore', { ignored: false }, acting);
    assert.equal(ignored.status, 200);
    const last = site.told().at(-1);
    assert.deepEqual(
      [last?.eventType, last?.entityId, last?.metadata.actor, last?.data.client],
      ['webmaster.property.unignored', 'here.com', person.id, 'portal-prod'],
    );
  });

  it('x-acting-user of a suspended person, of nobody, or from a person is refused', async () => {
    const suspended = await idp.seedUser('gone@example.com', { fields: { suspendedAt: new Date() } });
    const read = await token('platform', ['webmaster:read']);
    for (const named of [suspended.id, 'usr_nobody', '../users', 'ada@example.com', '']) {
      assert.equal(await status('GET', '/api/properties', { ...read, 'x-acting-user': named }), 403, named);
    }
    assert.equal(await status('GET', '/api/properties', { ...callers.root, 'x-acting-user': suspended.id }), 403);
  });

  it('x-acting-user tells services that are let in nowhere nothing of who is there', async () => {
    const person = await idp.seedUser('eve@example.com');
    const foreign = await token('acme', ['webmaster:read', 'webmaster:sync']);
    const scopeless = await token('platform', ['openid', 'septor:query']);
    for (const caller of [foreign, scopeless]) {
      const answers = await Promise.all(
        [person.id, 'usr_nobody', 'no id'].map(async (named) => {
          const { status: code, body } = await site.call('GET', '/api/whoami', undefined, {
            ...caller,
            'x-acting-user': named,
          });
          return [code, body.error.code, body.error.message];
        }),
      );
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
      assert.equal(answers[0]?.[0], 403);
    }
  });
});
