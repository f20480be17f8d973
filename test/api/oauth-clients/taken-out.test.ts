import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import type { ClientAdministration } from '../../../domain/oauth-clients/administration-port.ts';
import { sealCredential } from '../../../domain/oauth-clients/credential.ts';
import { type Answer, startApi, type TestApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createStoredBuilderParts } from '../../support/stored-builder-parts.ts';
import { createLogins, type Logins, type Seeded } from '../identity/oauth/logins.ts';

/**
 * An org that shared a service of `writers` and is taken out: the builder on a real store before the real provider, whose
 * tokens it used.
 */

const CALLBACK = 'https://evil.example/api/auth/callback';
const DERIVED = 'https://notes.apps.example/api/auth/callback';
const cipher = createSecretCipher([Buffer.alloc(32, 7)]);

describe('an org that is taken out of those that share a service', () => {
  let idp: TestIdp;
  let api: TestApi;
  let logins: Logins;
  let services = 0;
  let name: string;
  let clientId: string;
  let deployed: Seeded;
  /** What happens after the builder checked a request and before the provider gets it. */
  let underway: (() => Promise<unknown>) | null = null;

  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    for (const org of ['writers', 'helpers']) await idp.seedOrg(org);
    const real = createClientAdministration({ url: idp.address, internalKey: IDP_KEY });
    const held = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        const meanwhile = underway;
        underway = null;
        await meanwhile?.();
        return await call(...args);
      };
    };
    const clients: ClientAdministration = {
      ...real,
      ...{ addSecret: held(real.addSecret), regenerateSecret: held(real.regenerateSecret) },
      ...{ addRedirectUri: held(real.addRedirectUri), update: held(real.update) },
    };
    api = await startApi(null, clients, await createStoredBuilderParts());
  });
  after(async () => {
    await api.stop();
    await idp.stop();
  });

  beforeEach(async () => {
    services += 1;
    name = `notes${services}`;
    clientId = `${name}-prod`;
    const { service } = await api.services.upsert({ id: `svc_${name}`, name, org: 'writers' }, {});
    const of = { orgSlug: 'writers', service: name, environment: 'prod' as const, redirectUris: [DERIVED] };
    deployed = await logins.client({ clientId, ...of });
    const stored = { clientId, clientSecret: deployed.secret };
    await api.services.setOAuthCredential(service.id, 'prod', sealCredential(cipher, name, 'prod', stored));
    await api.authorize(service.id, ['helpers']);
  });

  const call = (who: string, method: string, rest: string, body?: unknown): Promise<Answer> =>
    api.call(method, `/oauth/clients/${clientId}${rest}`, body, { 'x-test-user': who });
  const EVE = 'helpers/member';
  const ADA = 'writers/admin';
  const takeOut = async () => {
    const path = `/services/${name}/authorized-orgs/helpers`;
    const answer = await api.call('DELETE', path, undefined, { 'x-test-user': ADA });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  const tokenOf = (secret: string) =>
    logins.token({ client: deployed.client, secret }, { grant_type: 'client_credentials', audience: clientId });
  const isActive = async (token: string): Promise<boolean> => (await logins.introspect(deployed, token)).active;

  it('gets no more tokens with the secret it added, and those it got are refused; the service’s secret goes on', async () => {
    const { body } = await call(EVE, 'POST', '/secrets');
    const secret: string = body.data.clientSecret;
    assert.deepEqual(body.data.secrets[1].addedBy, { org: 'helpers', actor: 'usr_test' });
    const got = await tokenOf(secret);
    assert.equal(got.status, 200, got.text);
    assert.equal(await isActive(got.body.access_token), true);
    assert.deepEqual((await takeOut()).deployAgain, [clientId], 'the next deploy would have injected it');
    assert.equal((await tokenOf(secret)).status, 401);
    assert.equal(await isActive(got.body.access_token), false);
    const own = await tokenOf(deployed.secret);
    assert.equal(own.status, 200, own.text);
    assert.equal(await isActive(own.body.access_token), true);
    await api.authorize(`svc_${name}`, ['helpers']);
    assert.equal((await tokenOf(secret)).status, 401, 'to let it in again gives nothing back');
    const { items } = await idp.deps.audit.list({ subject: clientId }, { cursor: null, limit: 50 });
    const told = items.filter(({ type }) => type === 'oauth.client_additions_removed');
    assert.equal(told.length, 1);
    assert.deepEqual([told[0]?.data.org, told[0]?.data.secretIds], ['helpers', [body.data.secretId]]);
  });

  it('loses redirect URIs, however it added them; those of the deploy and the owner stay', async () => {
    const uris = (letter: string) => `https://${letter}.example/api/auth/callback`;
    const add = async (who: string, redirectUri: string) => {
      const answer = await call(who, 'POST', '/redirect-uris', { redirectUri });
      assert.equal(answer.status, 200, answer.text);
    };
    await add(EVE, CALLBACK);
    await add(ADA, uris('own'));
    const { body: seen } = await call(EVE, 'GET', '');
    const changed = { redirectUris: [...seen.data.redirectUris, uris('patched')], customDomains: ['evil.example'] };
    assert.equal((await call(EVE, 'PATCH', '', changed)).status, 200);
    await add(EVE, DERIVED);
    await add(EVE, uris('shared'));
    await add(ADA, uris('shared'));
    await takeOut();
    const left = await idp.deps.clients.find(clientId);
    for (const gone of [CALLBACK, uris('patched')]) assert.ok(!left?.redirectUris.includes(gone), gone);
    for (const kept of [DERIVED, uris('own'), uris('shared')]) assert.ok(left?.redirectUris.includes(kept), kept);
    assert.deepEqual(left?.customDomains, []);
  });

  it('what it is adding at that moment is refused, and nothing of it is left', async () => {
    const table = [
      ['POST', '/secrets', undefined],
      ['POST', '/regenerate-secret', undefined],
      ['POST', '/redirect-uris', { redirectUri: CALLBACK }],
      ['PATCH', '', { redirectUris: [DERIVED, CALLBACK] }],
    ] as const;
    const before = await idp.deps.clients.find(clientId);
    for (const [method, rest, body] of table) {
      let wasTakenOut = false;
      underway = async () => {
        await takeOut();
        wasTakenOut = true;
      };
      const answer = await call(EVE, method, rest, body);
      assert.ok(wasTakenOut, `${method} ${rest}`);
      assert.deepEqual(
        [answer.status, answer.body.error?.code],
        [409, 'CONFLICT'],
        `${method} ${rest}: ${answer.text}`,
      );
      const left = await idp.deps.clients.find(clientId);
      assert.deepEqual(
        left?.secrets.map(({ id }) => id),
        before?.secrets.map(({ id }) => id),
        rest,
      );
      assert.deepEqual(left?.redirectUris, [DERIVED], rest);
      assert.equal((await call(EVE, method, rest, body)).status, 404, 'and from then on');
      await api.authorize(`svc_${name}`, ['helpers']);
    }
    assert.equal((await tokenOf(deployed.secret)).status, 200);
  });

  it('many additions at once with the removal leave nothing behind', async () => {
    const uri = (index: number) => `https://e${index}.example/api/auth/callback`;
    const adding = Array.from({ length: 10 }, (_, index) =>
      index % 3 === 0
        ? call(EVE, 'POST', '/secrets')
        : call(EVE, 'POST', '/redirect-uris', { redirectUri: uri(index) }),
    );
    await Promise.all([...adding.slice(0, 5), takeOut(), ...adding.slice(5)]);
    const left = await idp.deps.clients.find(clientId);
    assert.deepEqual([left?.redirectUris, left?.secrets.length, left?.addedEntries], [[DERIVED], 1, []]);
  });

  it('what was added before it was kept who did stays, and the reply names the client', async () => {
    await idp.deps.clients.update(clientId, { redirectUris: [DERIVED, CALLBACK] });
    const { clients } = await takeOut();
    assert.deepEqual(clients, [clientId]);
    assert.deepEqual((await idp.deps.clients.find(clientId))?.redirectUris, [DERIVED, CALLBACK]);
  });
});
