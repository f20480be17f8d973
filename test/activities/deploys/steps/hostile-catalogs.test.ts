import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyDeployGate } from '../../../../activities/deploys/steps/apply-deploy-gate.ts';
import { bindQueues } from '../../../../activities/deploys/steps/bind-queues.ts';
import { checkConventions } from '../../../../activities/deploys/steps/check-conventions.ts';
import { createScopeGrants } from '../../../../activities/deploys/steps/create-scope-grants.ts';
import { provisionOAuthClient } from '../../../../activities/deploys/steps/provision-oauth-client.ts';
import { readCatalog } from '../../../../activities/deploys/steps/read-catalog.ts';
import { registerRoutes } from '../../../../activities/deploys/steps/register-routes.ts';
import type { BuildFacts } from '../../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { REFUSED_FIELDS } from '../../../hostile/catalog-field-rows.ts';
import { REFUSED_YAML } from '../../../hostile/catalog-rows.ts';
import { useDeploy } from '../use-deploy.ts';

const REFUSED = [...REFUSED_YAML, ...REFUSED_FIELDS];
const FILE = 'catalog-info.yaml';

/** Every step that keeps something of a catalog, in their order. */
const REGISTERING = [
  applyDeployGate,
  checkConventions,
  provisionOAuthClient,
  createScopeGrants,
  registerRoutes,
  bindQueues,
] as const;

/** The build of `hello`, of the org `acme`, beside `victim` of another org, up to its first failure. */
async function deploy(plant: (given: Awaited<ReturnType<typeof useDeploy>>) => void) {
  const given = await useDeploy();
  const { parts, attempt } = given;
  await parts.services.upsert({ id: 'svc_victim', name: 'victim', org: 'rival' }, { config: { KEEP: '1' } });
  const kept = async () => ({
    services: await Promise.all(['svc_hello', 'svc_victim'].map((id) => parts.services.find(id))),
    registered: await parts.serviceRegistry.stores.entries.list({ org: null }, { cursor: null, limit: 10 }),
    clients: await parts.clientStore.find('hello-prod'),
    grants: (await parts.grants.list({ org: null }, { cursor: null, limit: 10 })).items,
  });
  const before = await kept();
  plant(given);
  let failure: unknown = null;
  try {
    let facts: BuildFacts = await readCatalog(parts, attempt());
    // Where there is no wallet, the gate is left out for want of an owner who pays.
    const works = facts.catalog?.owner === null ? REGISTERING.slice(1) : REGISTERING;
    for (const work of works) facts = { ...facts, ...(await work(parts, attempt(facts))) };
  } catch (error) {
    failure = error;
  }
  assert.ok(failure instanceof FairleadError, `it is not refused: ${String(failure)}`);
  assert.deepEqual(await kept(), before, 'something was kept of it');
  return { code: failure.code, message: failure.message, retryable: failure.retryable };
}

describe('catalogs that mean harm', () => {
  it('are many, each of its own', () => {
    assert.ok(REFUSED.length >= 60, `${REFUSED.length} rows`);
    assert.equal(new Set(REFUSED.map(({ name }) => name)).size, REFUSED.length);
    assert.equal(new Set(REFUSED.map(({ text }) => text)).size, REFUSED.length);
  });

  for (const { name, text, code = 'CATALOG_INVALID', message } of REFUSED) {
    it(`${name}: refused, and nothing is kept of it`, async () => {
      const refused = await deploy(({ plant }) => plant(FILE, text));
      assert.deepEqual(refused, { code, message, retryable: false });
    });
  }

  const HEAD = 'metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: 0.6.0\nspec:\n';
  const later: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'the name of a service of another org',
      'metadata:\n  name: victim\n',
      'CATALOG_INVALID',
      /^catalog-info\.yaml names the service victim, but this build is for hello/,
    ],
    ['another org as its owner', `${HEAD}  owner: rival\n`, 'SERVICE_OWNER_MISMATCH', /rival/],
    [
      'every scope of a service of another org',
      `${HEAD}  dependencies: [{ service: victim, scopes: ["*"] }]\n`,
      'CONVENTION_CHECK_FAILED',
      /^Convention check failed\.\nspec\.dependencies \(victim\): name the scopes that the service uses/,
    ],
  ];
  for (const [name, text, code, message] of later) {
    it(`${name}: refused, and nothing is kept of it`, async () => {
      const refused = await deploy(({ plant }) => plant(FILE, text));
      assert.equal(refused.code, code, refused.message);
      assert.match(refused.message, message);
    });
  }

  const places: readonly (readonly [string, (given: Awaited<ReturnType<typeof useDeploy>>) => void, RegExp])[] = [
    [
      '10 MB',
      ({ plant }) => plant(FILE, `${HEAD}#${'x'.repeat(10_000_000)}`),
      /^catalog-info\.yaml is larger than 65536 bytes$/,
    ],
    ['a folder', ({ plant }) => plant(`${FILE}/file`, HEAD), /^catalog-info\.yaml in the source is not a file$/],
    [
      'a link to a file of the machine',
      ({ parts, build }) => {
        parts.files.put('/etc/other.yaml', { kind: 'file', text: HEAD, mode: 0o644 });
        parts.files.put(`${parts.workspace.directory(build.buildId)}/${FILE}`, {
          kind: 'link',
          target: '/etc/other.yaml',
        });
      },
      /catalog-info\.yaml/,
    ],
    [
      'a link to itself',
      ({ parts, build }) => {
        parts.files.put(`${parts.workspace.directory(build.buildId)}/${FILE}`, { kind: 'link', target: FILE });
      },
      /^catalog-info\.yaml in the source is a link to itself$/,
    ],
  ];
  for (const [name, plant, message] of places) {
    it(`${name} in place of the file: refused, and nothing is kept of it`, async () => {
      const refused = await deploy(plant);
      assert.equal(refused.code, 'SOURCE_REFUSED', refused.message);
      assert.match(refused.message, message);
    });
  }
});
