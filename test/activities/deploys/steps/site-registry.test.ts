import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tellSiteRegistry } from '../../../../activities/deploys/steps/tell-site-registry.ts';
import { upsertSiteProperty } from '../../../../activities/deploys/steps/upsert-site-property.ts';
import type { SeoDeclaration } from '../../../../domain/catalog/catalog.ts';
import type { BuildRequest } from '../../../../domain/deploys/build.ts';
import type { Release } from '../../../../domain/deploys/release.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { buildRecord, catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const SEO: SeoDeclaration = { enabled: true, entity: 'Hello Ltd', topic: 'greetings' };
const AWAY = new FairleadError('UNAVAILABLE', 'away', { system: 'site-registry', retryable: true });

interface Given {
  readonly domains?: readonly string[];
  readonly seo?: SeoDeclaration | null;
  readonly build?: Partial<BuildRequest>;
  readonly release?: Partial<Release>;
}

async function useSite({ domains = [], seo = SEO, build = {}, release = {} }: Given = {}) {
  const deploy = await useDeploy({ opened: true, build });
  const record = releaseRecord({
    id: 'rel_1',
    service: 'hello',
    serviceId: 'svc_hello',
    commitSha: 'c0ffee',
    ...release,
  });
  await deploy.parts.releases.put(record);
  const parts = {
    ...deploy.parts,
    customDomains: { verified: async () => domains, release: async () => undefined },
  };
  const facts = { releaseId: 'rel_1', catalog: catalogRecord({ seo }) };
  return { ...deploy, parts, facts, told: () => Object.fromEntries(parts.siteRegistry.told) };
}

const HOOK = '/hooks/deploy';
const REGISTER = '/services/register';
const UPSERT = '/properties/upsert-from-service';
const DOMAINS = ['hello.example', 'www.hello.example'];
const PUBLIC = { service: 'hello', env: 'prod', domains: DOMAINS } as const;

/** What the site registry is told before the install, and after it. */
const ROWS: readonly [what: string, given: Given, before: object, after: object][] = [
  [
    'a deploy to prod with domains',
    { domains: DOMAINS },
    { [UPSERT]: { ...PUBLIC, entity: 'Hello Ltd', topic: 'greetings' } },
    { [HOOK]: { ...PUBLIC, version: 'c0ffee' } },
  ],
  [
    'an upload to prod with domains',
    { domains: DOMAINS, release: { commitSha: null } },
    { [UPSERT]: { ...PUBLIC, entity: 'Hello Ltd', topic: 'greetings' } },
    { [HOOK]: { ...PUBLIC, version: 'rel_1' } },
  ],
  [
    'a site that names neither entity nor topic',
    { domains: DOMAINS, seo: { enabled: true, entity: null, topic: null } },
    { [UPSERT]: { ...PUBLIC, entity: null, topic: null } },
    { [HOOK]: { ...PUBLIC, version: 'c0ffee' } },
  ],
  ['a deploy to prod without a domain', {}, {}, { [REGISTER]: { service: 'hello', env: 'prod', domains: [] } }],
  [
    'a deploy to uat with domains',
    { domains: DOMAINS, build: { environment: 'uat' } },
    {},
    { [REGISTER]: { service: 'hello', env: 'uat', domains: DOMAINS } },
  ],
];

describe('the site registry is told', () => {
  for (const [what, given, before, after] of ROWS) {
    it(`of ${what}, and a second attempt says the same`, async () => {
      const first = await useSite(given);
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        await upsertSiteProperty(first.parts, first.attempt(first.facts));
        assert.deepEqual(first.told(), before);
      }
      const then = await useSite(given);
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        assert.deepEqual(await tellSiteRegistry(then.parts, then.attempt(then.facts)), {});
        assert.deepEqual(then.told(), after);
      }
    });
  }

  it('of a rollback as the catalog of its release says, and of none whose catalog is gone or has no seo', async () => {
    for (const seo of [SEO, null, { ...SEO, enabled: false }]) {
      const { parts, attempt, told } = await useSite({
        domains: DOMAINS,
        build: { kind: 'rollback', releaseId: 'rel_1' },
      });
      const rollback = () => attempt({ releaseId: 'rel_1' });
      await tellSiteRegistry(parts, rollback());
      assert.deepEqual(told(), {}, 'the record of its build is gone');
      const { buildId } = releaseRecord({ id: 'rel_1' });
      await parts.builds.create(
        buildRecord({ id: buildId, service: 'hello', facts: { catalog: catalogRecord({ seo }) } }),
      );
      await tellSiteRegistry(parts, rollback());
      assert.deepEqual(told(), seo?.enabled === true ? { [HOOK]: { ...PUBLIC, version: 'c0ffee' } } : {});
    }
  });

  it('again by the next attempt, where it was away; that none is configured is told as the system', async () => {
    const { parts, attempt, told, facts } = await useSite({ domains: DOMAINS });
    const fails = () => Promise.reject(AWAY);
    const siteRegistry = { upsertProperty: fails, deployed: fails, register: fails };
    const steps = [upsertSiteProperty, tellSiteRegistry];
    for (const step of steps) {
      await assert.rejects(step({ ...parts, siteRegistry }, attempt(facts)), (error) => error === AWAY);
      const none = step({ ...parts, siteRegistry: null }, attempt(facts));
      await assert.rejects(none, { code: 'UNAVAILABLE', system: 'site-registry' });
    }
    assert.deepEqual(told(), {});
    for (const step of steps) await step(parts, attempt(facts));
    assert.deepEqual(Object.keys(told()).sort(), [HOOK, UPSERT]);
  });
});
