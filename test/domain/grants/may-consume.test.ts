import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MayConsume } from '../../../domain/databases/ports.ts';
import type { Grant } from '../../../domain/grants/grant.ts';
import { createMayConsume } from '../../../domain/grants/may-consume.ts';
import { createInMemoryGrantStore } from '../../support/in-memory/grant-store.ts';
import { createInMemoryServiceStore } from '../../support/in-memory/service-store.ts';
import { shareService } from '../../support/share-service.ts';

const READ: Parameters<MayConsume>[0] = {
  ...{ engine: 'postgres', serviceId: 'svc_shop', environment: 'prod' },
  consumes: { service: 'bank', serviceId: 'svc_bank', access: 'read' },
};
const WRITE = { ...READ, consumes: { service: 'bank', serviceId: 'svc_bank', access: 'write' } } as const;

/** `shop` of acme, and `bank` of another org, which has approved that shop reads its database in prod. */
async function world(grant: Partial<Grant> = {}, owner = 'other') {
  const services = createInMemoryServiceStore({ now: () => new Date() });
  const grants = createInMemoryGrantStore();
  await services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  await services.upsert({ id: 'svc_bank', name: 'bank', org: owner }, {});
  await grants.insert({
    ...{ id: 'sgr_1', environment: 'prod', status: 'approved', wasApproved: true, revision: 1 },
    holder: { serviceId: 'svc_shop', name: 'shop', org: 'acme' },
    target: { serviceId: 'svc_bank', name: 'bank', org: owner },
    ...{ scopes: ['database/postgres:read'], granted: ['database/postgres:read'] },
    ...{ requestedBy: 'usr_ada', requestedAt: new Date(), decidedBy: 'usr_bo', decidedAt: new Date() },
    ...grant,
  });
  return { services, grants, mayConsume: createMayConsume({ services, grants }) };
}

describe('who may use the database of another service', () => {
  const grants: readonly (readonly [string, Partial<Grant>, boolean, boolean])[] = [
    ['approved for reading', {}, true, false],
    ['approved for writing', { granted: ['database/postgres:write'] }, false, true],
    ['approved for both', { granted: ['database/postgres:read', 'database/postgres:write'] }, true, true],
    ['approved for something else', { granted: ['bank:read'] }, false, false],
    ['in another environment', { environment: 'uat' }, false, false],
    ['pending', { status: 'pending', granted: [] }, false, false],
    ['revoked', { status: 'revoked', granted: [] }, false, false],
    ['denied', { status: 'denied', granted: [] }, false, false],
    [
      'of a service that had the name before',
      { target: { serviceId: 'svc_old', name: 'bank', org: 'other' } },
      false,
      false,
    ],
    [
      'to a service that had the name before',
      { holder: { serviceId: 'svc_old', name: 'shop', org: 'acme' } },
      false,
      false,
    ],
  ];
  for (const [what, grant, reads, writes] of grants) {
    it(`by a grant that is ${what}: reads ${reads}, writes ${writes}`, async () => {
      const { mayConsume } = await world(grant);
      assert.deepEqual([await mayConsume(READ), await mayConsume(WRITE)], [reads, writes]);
    });
  }

  it('needs no grant in the same org, nor of an org that authorized it, while it does', async () => {
    const revoked = { status: 'revoked', granted: [] } as const;
    assert.equal(await (await world(revoked, 'acme')).mayConsume(WRITE), true);
    const { services, mayConsume } = await world(revoked);
    await shareService(services, 'svc_bank', ['acme']);
    assert.equal(await mayConsume(WRITE), true);
    await shareService(services, 'svc_bank', []);
    assert.equal(await mayConsume(WRITE), false);
  });

  for (const id of ['svc_shop', 'svc_bank']) {
    it(`not while ${id} is being removed, nor after`, async () => {
      const { services, mayConsume } = await world({}, 'acme');
      assert.equal(await mayConsume(READ), true);
      await services.setRemoving(id, true);
      assert.equal(await mayConsume(READ), false);
      await services.remove(id);
      assert.equal(await mayConsume(READ), false);
    });
  }

  it('a service and its own database are no such case', async () => {
    const { services, mayConsume } = await world();
    await services.remove('svc_shop');
    assert.equal(await mayConsume({ ...READ, consumes: null }), true);
  });
});
