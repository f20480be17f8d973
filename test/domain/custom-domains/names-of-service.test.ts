import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { released } from '../../../domain/custom-domains/custom-domain.ts';
import { createNamesOfService } from '../../../domain/custom-domains/names-of-service.ts';
import type { CustomDomainStore } from '../../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { AT, heldName } from '../../ports/custom-domains/records.ts';
import { createInMemoryCustomDomainStore } from '../../support/in-memory/custom-domain-store.ts';

describe('the names of a service', () => {
  let domains: CustomDomainStore;
  let failing: Map<string, string>;
  let removed: string[];
  const names = () =>
    createNamesOfService(domains, {
      async remove({ domain }) {
        const code = failing.get(domain);
        if (code !== undefined) throw new FairleadError(code as 'UNAVAILABLE', 'no', { retryable: true });
        const record = await domains.find(domain);
        assert.ok(record?.holder);
        await domains.replace(released({ ...record, holder: record.holder }, AT));
        removed.push(domain);
        return 'removed';
      },
    });
  const put = (domain: string, changes: Parameters<typeof heldName>[0]) =>
    domains.insert(heldName({ serviceId: 'svc_1', ...changes }, { domain, apex: 'names.com' }));
  beforeEach(() => {
    domains = createInMemoryCustomDomainStore();
    failing = new Map();
    removed = [];
  });

  it('release: one that cannot be removed keeps no other, and the attempt fails', async () => {
    for (const domain of ['a.names.com', 'b.names.com', 'c.names.com']) await put(domain, {});
    await put('other.names.com', { serviceId: 'svc_2' });
    failing.set('a.names.com', 'UNAVAILABLE');
    await assert.rejects(names().release('svc_1'), { code: 'UNAVAILABLE' });
    assert.deepEqual(removed, ['b.names.com', 'c.names.com']);
    failing.clear();
    await names().release('svc_1');
    assert.deepEqual(removed.slice(2), ['a.names.com']);
  });

  it('release: one that somebody else removed meanwhile is fine', async () => {
    await put('a.names.com', {});
    failing.set('a.names.com', 'DOMAIN_NOT_FOUND');
    await names().release('svc_1');
  });

  it('releaseOf: what an org added before it was taken out, in every environment, and nothing else', async () => {
    await put('a.names.com', { claimant: 'helpers', sharingRevision: 1 });
    await put('b.names.com', { claimant: 'helpers', sharingRevision: 1, environment: 'uat' });
    await put('c.names.com', { claimant: 'helpers', sharingRevision: 3 });
    await put('d.names.com', { claimant: 'others', sharingRevision: 1 });
    await put('e.names.com', {});
    await names().releaseOf('svc_1', { org: 'helpers', revision: 2 });
    assert.deepEqual(removed, ['a.names.com', 'b.names.com']);
  });
});
