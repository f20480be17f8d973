import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClaimantsOf } from '../../../../activities/custom-domains/certificates/claimants-of.ts';
import { fulfilCertificateOrder } from '../../../../activities/custom-domains/certificates/fulfil-order.ts';
import { placeCertificateOrder, refusedByCaa } from '../../../../activities/custom-domains/certificates/place-order.ts';
import { claimDomain } from '../../../../activities/custom-domains/claim-domain.ts';
import type { AuthorityDescription } from '../../../../domain/custom-domains/certificates/authority.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { createCustomDomainsParts } from '../../../support/custom-domains-parts.ts';
import { createCertificateParts } from '../../../support/in-memory/certificate-parts.ts';

const AUTHORITY: AuthorityDescription = {
  caaIdentities: ['ca.example.net'],
  accountUrl: 'https://ca.example.net/account/1',
  hasRenewalInfo: true,
};
const away = (name: string) => new FairleadError('UNAVAILABLE', `no server answers for ${name}`, { retryable: true });

/** CAA records are looked for at names of `lame`, whose servers do not answer; others have none. */
const lookUp = (...lame: readonly string[]) => ({
  lookUpCaa: async (name: string) => {
    if (lame.some((one) => name === one || name.endsWith(`.${one}`))) throw away(name);
    return [];
  },
});

it('a name whose CAA records cannot be read is refused alone: the others are ordered', async () => {
  const refused = await refusedByCaa(lookUp('lame.com'), ['shop.fine.com', 'www.lame.com'], AUTHORITY);
  assert.deepEqual(refused, [{ host: 'www.lame.com', reason: 'no server answers for www.lame.com' }]);
});

it('where no records at all can be read the order waits', async () => {
  await assert.rejects(refusedByCaa(lookUp('lame.com', 'fine.com'), ['shop.fine.com', 'lame.com'], AUTHORITY), {
    code: 'UNAVAILABLE',
  });
});

describe('a service that another org shares', () => {
  const owner = { service: 'shop', environment: 'prod' } as const;
  const [OWN, SHARED] = ['shop.acme.com', 'shop.globex.com'];
  const now = new Date('2026-11-01T10:00:00Z');
  const { signal } = new AbortController();

  async function start() {
    const world = await createCustomDomainsParts();
    await world.services.setSharing(world.shop, { revision: 1, orgs: [{ org: 'globex', revision: 1 }] } as never, 0);
    await claimDomain(world.deps, world.request(OWN), now);
    await claimDomain(world.deps, world.request(SHARED, { claimant: 'globex', sharingRevision: 1 }), now);
    const claimantsOf = createClaimantsOf({ services: world.services, domains: world.deps.domains });
    const parts = createCertificateParts(() => now);
    const deps = { ...parts.deps, claimantsOf };
    const place = (...names: readonly string[]) => placeCertificateOrder(deps, { ...owner, names }, signal);
    return { ...parts, deps, claimantsOf, place };
  }

  it('has names of the org that each was added for', async () => {
    const { claimantsOf } = await start();
    assert.deepEqual(await claimantsOf(owner, [SHARED, OWN, 'gone.com']), ['globex', 'acme', 'acme']);
    assert.deepEqual(await claimantsOf({ ...owner, service: 'none' }, [OWN]), ['service none']);
  });

  it('gets certificates for its own names while those of the other org fail, and orders for them count for that org', async () => {
    const { deps, place } = await start();
    for (let index = 0; index < 20; index += 1) {
      const name = `x${index}.globex.com`;
      const order = { names: [OWN, name], claimants: ['acme', 'globex'], orgs: ['globex'], failed: [name] };
      await deps.orders.note({ ...order, id: `order-${index}`, at: now, domains: ['acme.com', 'globex.com'] });
    }
    const refused = await place(OWN, SHARED);
    assert.ok(refused.kind === 'refused');
    assert.deepEqual(
      refused.failures.map(({ host }) => host),
      [SHARED],
    );
    assert.equal((await place(SHARED)).kind, 'held back');
    assert.equal((await place(OWN)).kind, 'placed');
    await fulfilCertificateOrder(deps, owner, signal);
    assert.equal((await place(OWN)).kind, 'placed', 'a renewal');
  });

  it('leaves most names of its certificate to its owner', async () => {
    const world = await createCustomDomainsParts();
    const orgs = ['globex', 'initech', 'hooli'];
    const sharing = { revision: 1, orgs: orgs.map((org) => ({ org, revision: 1 })) };
    await world.services.setSharing(world.shop, sharing as never, 0);
    const add = (domain: string, claimant: string) =>
      claimDomain(world.deps, world.request(domain, { claimant, sharingRevision: 1 }), now);
    for (const [org, most] of [
      ['globex', 20],
      ['initech', 20],
      ['hooli', 10],
    ] as const) {
      for (let index = 0; index < most; index += 1) await add(`shop.${org}${index}.com`, org);
      await assert.rejects(add(`shop.${org}99.com`, org), { code: 'CONFLICT' });
    }
    await add('shop.acme.com', 'acme');
  });
});
