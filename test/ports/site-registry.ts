import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { SiteRegistry } from '../../domain/deploys/site-registry.ts';

export interface SiteRegistryUnderTest {
  readonly registry: SiteRegistry;
  /** What it was told, by path. */
  readonly told: ReadonlyMap<string, object>;
}

const SITE = { service: 'hello', env: 'prod', domains: ['hello.example'] } as const;

/** What every {@link SiteRegistry} guarantees. */
export function siteRegistrySuite(create: (t: TestContext) => Promise<SiteRegistryUnderTest>): void {
  it('takes each telling under its own name, with what the contract names and nothing else', async (t) => {
    const { registry, told } = await create(t);
    await registry.upsertProperty({ ...SITE, entity: 'Hello Ltd', topic: null });
    await registry.deployed({ ...SITE, version: 'c0ffee' });
    await registry.register({ service: 'hello', env: 'uat', domains: [] });
    assert.deepEqual(Object.fromEntries(told), {
      '/properties/upsert-from-service': { ...SITE, entity: 'Hello Ltd', topic: null },
      '/hooks/deploy': { ...SITE, version: 'c0ffee' },
      '/services/register': { service: 'hello', env: 'uat', domains: [] },
    });
  });

  it('is told twice as once', async (t) => {
    const { registry, told } = await create(t);
    await Promise.all([1, 2, 3].map(() => registry.deployed({ ...SITE, version: 'c0ffee' })));
    assert.deepEqual(Object.fromEntries(told), { '/hooks/deploy': { ...SITE, version: 'c0ffee' } });
  });

  it('stops when it is told to', async (t) => {
    const { registry, told } = await create(t);
    const reason = new Error('cancelled');
    await assert.rejects(registry.register(SITE, AbortSignal.abort(reason)), (error) => error === reason);
    assert.equal(told.size, 0);
  });
}
