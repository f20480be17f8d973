import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
  await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'platform' }, {});
});
after(() => api.stop());

/** Written out, so that a name that leaves the rule by mistake fails here. */
const RESERVED = [
  ...['IDP_URL', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
  ...['AUDIT_URL', 'REGISTRY_URL', 'GATEWAY_URL', 'WALLET_SERVICE_URL'],
  ...['MONGODB_URI', 'POSTGRES_URI', 'REDIS_URL', 'REDIS_KEY_PREFIX'],
  ...['NEO4J_URI', 'NEO4J_USERNAME', 'NEO4J_PASSWORD', 'NEO4J_DATABASE', 'NEO4J_OF_OUR_OWN'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'],
  ...['SERVICE_NAMESPACE', 'GIT_COMMIT', 'ENVIRONMENT', 'NODE_ENV', 'PORT', 'PUBLIC_URL'],
  ...['LLM_FEDERATION_RULE_ID', 'LLM_ORGANIZATION_ID', 'LLM_SERVICE_ACCOUNT_ID', 'LLM_WORKSPACE_ID'],
];

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

async function answered(method: string, path: string, body: unknown): Promise<Refusal> {
  const answer = await api.call(method, path, body);
  assert.equal(answer.status, 400, answer.text);
  return answer.body.error;
}

function refusedCatalog(name: string): Refusal {
  const text = `metadata:\n  name: shop\n  annotations:\n    platform.io/catalog-version: 0.6.0\nspec:\n  config: [{ key: ${name} }]\n`;
  try {
    parseCatalog(text, { enforceMinimumVersion: false });
  } catch (error) {
    assert.ok(error instanceof FairleadError);
    return error;
  }
  return assert.fail(`a catalog may declare ${name}`);
}

/** Every way by which a variable of a service comes to be. */
const DOORS: readonly (readonly [string, (name: string) => Refusal | Promise<Refusal>])[] = [
  ['a plain value', (name) => answered('PATCH', '/services/shop/config', { set: { [name]: 'x' } })],
  ['a secret', (name) => answered('PATCH', '/services/shop/config', { secrets: { [name]: 'x' } })],
  ['a plain value of one environment', (name) => setIn('uat', { set: { [name]: 'x' } })],
  ['a secret of one environment', (name) => setIn('uat', { secrets: { [name]: 'x' } })],
  ['a plain value of a new service', (name) => answered('POST', '/services', { name: 'new', config: { [name]: 'x' } })],
  ['a secret of a new service', (name) => answered('POST', '/services', { name: 'new', secrets: { [name]: 'x' } })],
  ['a declaration of the catalog', refusedCatalog],
];

const setIn = (environment: string, body: object) =>
  answered('PATCH', '/services/shop/config', { environment, ...body });

describe('a reserved name is refused, in any letter case', () => {
  for (const [door, refusalOf] of DOORS) {
    it(`as ${door}`, async () => {
      for (const name of RESERVED.flatMap((upper) => [
        upper,
        upper.toLowerCase(),
        `${upper[0]}${upper.slice(1).toLowerCase()}`,
      ])) {
        const { code, message, details } = await refusalOf(name);
        assert.deepEqual([code, details], ['RESERVED_ENV_VAR', { names: [name] }]);
        assert.ok(message.includes(`${name}: the platform provides this itself`), message);
      }
    });
  }

  it('and nothing was stored', async () => {
    const shop = await api.services.find('shop');
    assert.deepEqual([shop?.config, shop?.secrets, shop?.overrides], [{}, {}, {}]);
    assert.equal(await api.services.find('new'), null);
  });
});

it('a name that was stored before it was reserved stays with other changes, and can be removed', async () => {
  const config = { LLM_WORKSPACE_ID: 'wrk_1' };
  await api.services.upsert({ id: 'svc_older', name: 'older', org: 'platform' }, { config });
  assert.equal((await api.call('PATCH', '/services/older/config', { set: { COLOUR: 'blue' } })).status, 200);
  assert.deepEqual((await api.services.find('older'))?.config, { ...config, COLOUR: 'blue' });
  const removed = await api.call('PATCH', '/services/older/config', { unset: ['LLM_WORKSPACE_ID'] });
  assert.deepEqual([removed.status, removed.body.data.unset], [200, ['LLM_WORKSPACE_ID']]);
  assert.deepEqual((await api.services.find('older'))?.config, { COLOUR: 'blue' });
});
