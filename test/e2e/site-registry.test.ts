import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { callProvider } from '../interop/call-provider.ts';
import { completed, connection, logText, parts, trigger, visit } from './harness.ts';
import { makeOrg } from './make-org.ts';
import { type SampleService, sampleService, stateOf } from './sample-service.ts';

/** What the container asks the site registry, by the variables that it was given and tokens of its own client. */
const ASKS = `await (async () => {
  const { IDP_URL, IDP_CLIENT_ID, IDP_CLIENT_SECRET, SITE_REGISTRY_URL } = process.env;
  const token = async (scope) => {
    const body = JSON.stringify({
      grant_type: 'client_credentials', client_id: IDP_CLIENT_ID, client_secret: IDP_CLIENT_SECRET, audience: 'site-registry', scope,
    });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(IDP_URL + '/api/oauth/token', { method: 'POST', headers, body });
    return (await reply.json()).access_token;
  };
  const ask = async (scope, path, method = 'GET') => {
    const bearer = scope === null ? null : await token(scope);
    if (bearer === undefined) return 'no token';
    const headers = bearer === null ? {} : { authorization: 'Bearer ' + bearer };
    return await fetch(SITE_REGISTRY_URL + path, { method, headers });
  };
  const status = async (...asked) => { const answer = await ask(...asked); return answer.status ?? answer; };
  const who = await ask('webmaster:read', '/api/whoami');
  return {
    who: who.status === 200 ? (await who.json()).data : who.status ?? who,
    health: await status(null, '/health'),
    unnamed: await status(null, '/api/properties'),
    list: await status('webmaster:read', '/api/properties'),
    readOnly: await status('webmaster:read', '/api/properties/example.com/ignore', 'POST'),
    sync: await status('webmaster:sync', '/api/properties/not-ours.example.com/ignore', 'POST'),
    known: await status('webmaster:sync', '/api/properties/example.com/ignore', 'POST'),
  };
})()`;

const spec = (...scopes: string[]) => `  auth: { mode: service-only }
  seo: { enabled: true }
  dependencies: [{ service: site-registry, scopes: [${scopes.join(', ')}] }]`;

/** The site registry of a stack, as services in containers reach it (spec 3, "Authentication", "Site registry"). */
describe('a service whose catalog depends on the site registry', { timeout: 300_000 }, () => {
  const app = (...scopes: string[]) => ({ spec: spec(...scopes), computes: ASKS, shows: ['SITE_REGISTRY_URL'] });
  let service: SampleService;
  before(async () => {
    service = await sampleService('sited', app());
  });
  after(() => service[Symbol.asyncDispose]());

  const deploy = async ({ name } = service) => completed((await trigger(name)).buildId);
  const seen = async ({ name } = service) => JSON.parse((await visit(name)).body);

  it('reads with a token of its own at the address that it was given, and the deploy told the registry nothing', async () => {
    const build = await deploy();
    const { computed, SITE_REGISTRY_URL } = await seen();
    assert.match(await logText(build.id), new RegExp(`SITE_REGISTRY_URL is ${SITE_REGISTRY_URL}`));
    const who = { kind: 'service', id: `${service.name}-prod`, org: 'platform', scopes: ['webmaster:read'] };
    assert.deepEqual(computed, {
      ...{ who: { ...who, actingUser: null }, health: 200, unnamed: 401, list: 200 },
      ...{ readOnly: 403, sync: 'no token', known: 'no token' },
    });
    for (const step of ['site-property', 'site-registry']) assert.equal(stateOf(build, step), 'skipped', step);
    assert.deepEqual(build.warnings, []);
  });

  it('does more with the scopes that it declares once an admin of the platform grants them, which the platform’s key alone does not', async () => {
    await service.commit(app('read', 'sync'));
    const build = await deploy();
    assert.match(build.warnings.join(), /webmaster:sync was not granted: a platform admin/);
    assert.equal((await seen()).computed.sync, 'no token');
    const { issuer, key } = { issuer: (await parts()).idp?.address ?? '', key: (await connection()).key };
    const json = { clientId: `${service.name}-prod`, scopes: ['webmaster:sync'] };
    const headers = { 'x-internal-key': key };
    const added = await callProvider(issuer, 'POST', '/api/internal/oauth-clients/add-scopes', { json, headers });
    assert.deepEqual([added.status, added.body.data], [200, { added: ['webmaster:sync'] }]);
    const { computed } = await seen();
    // A name below an apex is no domain of a Property, and no map has the other one.
    assert.deepEqual([computed.list, computed.readOnly, computed.sync, computed.known], [200, 403, 400, 404]);
  });

  it('is refused where it is of another org, whatever its token says', async () => {
    await using other = await sampleService('sited-elsewhere', { ...app(), org: await makeOrg('sited') });
    await deploy(other);
    const { computed } = await seen(other);
    assert.deepEqual([computed.who, computed.list, computed.health], [403, 403, 200]);
  });
});
