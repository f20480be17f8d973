import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import { beginRemoval, removeDomain } from '../../../activities/custom-domains/remove-domain.ts';
import type { DomainMonitors } from '../../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';
import { createInMemoryEdgeHosts } from '../../support/in-memory/edge-hosts.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));
const DOMAIN = 'shop.custom.dev';

async function world(remove: DomainMonitors['remove'] | null) {
  const hosts = createInMemoryEdgeHosts();
  let removed = 0;
  const countedHosts = {
    ...hosts,
    remove: async (...of: Parameters<typeof hosts.remove>) => {
      removed += 1;
      await hosts.remove(...of);
    },
  };
  const parts = await createCustomDomainsParts({ monitors: remove && { remove }, hosts: countedHosts });
  const { deps, shop, request } = parts;
  const removal = async (signal?: AbortSignal): Promise<void> => {
    await claimDomain(deps, request(DOMAIN), at(0));
    const of = { domain: DOMAIN, serviceId: shop, by: 'usr_ada', requestId: 'req_1' };
    await removeDomain(deps, await beginRemoval(deps, of, at(1)), at(1), signal);
  };
  return { ...parts, removal, removedRoutes: () => removed };
}

describe('the removal of a name', () => {
  it('ends its monitor, before the name leads nowhere and an outage is told', async () => {
    const ended: object[] = [];
    const { removal, warnings, removedRoutes } = await world(async (name) => {
      assert.equal(removedRoutes(), 0);
      ended.push(name);
    });
    await removal();
    assert.ok(removedRoutes() > 0);
    assert.deepEqual([ended, warnings], [[{ service: 'shop', environment: 'prod', domain: DOMAIN }], []]);
  });

  it('goes on whatever the uptime monitor says, and warns of it', async () => {
    for (const error of [
      new FairleadError('UNAVAILABLE', 'The uptime monitor cannot be reached.', { retryable: true }),
      new FairleadError('NOT_FOUND', 'An older version'),
      new Error('a mistake in the program'),
    ]) {
      const { deps, removal, warnings } = await world(() => Promise.reject(error));
      await removal();
      assert.equal((await deps.domains.find(DOMAIN))?.holder ?? null, null);
      assert.match(warnings.join(), /^shop\.custom\.dev: the uptime monitor was not told/);
    }
  });

  it('ends without one, and is tried again where it is cancelled', async () => {
    await (await world(null)).removal();
    const stop = new AbortController();
    const reason = new Error('the worker shuts down');
    const { deps, removal, warnings } = await world(async () => {
      stop.abort(reason);
      throw reason;
    });
    await assert.rejects(removal(stop.signal), (error) => error === reason);
    assert.ok((await deps.domains.find(DOMAIN))?.holder);
    assert.deepEqual(warnings, []);
  });
});
