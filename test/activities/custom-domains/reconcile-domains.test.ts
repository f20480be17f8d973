import assert from 'node:assert/strict';
import { it } from 'node:test';
import { reconcileDomains } from '../../../activities/custom-domains/reconcile-domains.ts';
import { AT, heldName } from '../../ports/custom-domains/records.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';

it('each name is looked after again, page by page, and each certificate has its names', async () => {
  const world = await createCustomDomainsParts();
  const { domains } = world.deps;
  const add = (domain: string, changes: Parameters<typeof heldName>[0]) =>
    domains.insert(heldName({ serviceId: world.shop, ...changes }, { domain, apex: 'many.com' }));
  for (let index = 0; index < 230; index += 1) await add(`n${index}.many.com`, {});
  await add('owned.many.com', { state: 'active', ownedSince: AT, verifiedAt: AT });
  await add('failed.many.com', { state: 'failed' });
  await add('told.many.com', { state: 'failed', untold: [{ event: 'failed', reason: null, at: AT }] });
  await add('leaving.many.com', { state: 'failed', removingSince: AT });
  let pages = 0;
  for (let cursor: string | null = null; pages === 0 || cursor !== null; pages += 1) {
    ({ cursor } = await reconcileDomains(world.deps, cursor, AT));
  }
  assert.deepEqual([pages, world.woken.length, new Set(world.woken).size], [4, 233, 233]);
  assert.ok(!world.woken.includes('failed.many.com'));
  assert.deepEqual(world.certificates.wishedFor('shop'), ['owned.many.com']);
});

it('what fails for one name keeps no other from it', async () => {
  const world = await createCustomDomainsParts();
  for (const domain of ['a.many.com', 'b.many.com']) {
    await world.deps.domains.insert(heldName({ serviceId: world.shop }, { domain, apex: 'many.com' }));
  }
  const failures: string[] = [];
  const deps = {
    ...world.deps,
    wakeKeeper: async (domain: string) => {
      if (domain === 'a.many.com') throw new Error('away');
      await world.deps.wakeKeeper(domain);
    },
    noteFailure: (what: string) => void failures.push(what),
  };
  assert.equal((await reconcileDomains(deps, null, AT)).names, 2);
  assert.deepEqual([world.woken, failures], [['b.many.com'], ['the workflow of a.many.com is not reconciled']]);
});

it('the router has the routes of all names again, and of no others, where its files were lost or are older', async () => {
  const world = await createCustomDomainsParts();
  const { domains, hosts } = world.deps;
  const owned = { serviceId: world.shop, state: 'active', ownedSince: AT, verifiedAt: AT } as const;
  for (const domain of ['lost.many.com', 'older.many.com']) {
    await domains.insert(heldName(owned, { domain, apex: 'many.com' }));
  }
  await domains.insert(heldName({ serviceId: world.shop }, { domain: 'waits.many.com', apex: 'many.com' }));
  const older = { service: 'blog', environment: 'prod', serves: 'everything', redirectToTls: false } as const;
  for (const host of ['older.many.com', 'waits.many.com', 'gone.many.com']) await hosts.put(host, older);
  for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages += 1) {
    ({ cursor } = await reconcileDomains(world.deps, cursor, AT));
  }
  const routes = (await hosts.list()).map(({ host, service, redirectToTls }) => [host, service, redirectToTls]);
  assert.deepEqual(routes, [
    ['lost.many.com', 'shop', true],
    ['older.many.com', 'shop', true],
  ]);
});
