import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { reconcileDomains } from '../../../activities/custom-domains/reconcile-domains.ts';
import { createKeeperWaker } from '../../../adapters/temporal/domain-commands.ts';
import { domainWorkflowId } from '../../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { INGRESS } from '../../support/custom-domains-parts.ts';
import { type Domains, HOUR_MS, MINUTE_MS, startDomains } from './harness.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const ELSEWHERE = { type: 'A', content: '198.51.100.9' } as const;

describe('keepDomain, broken off', { timeout: 300_000 }, () => {
  let run: Domains;
  before(async () => {
    run = await startDomains();
  });
  afterEach(() => {
    run.before.clear();
    run.instead.clear();
  });
  after(() => run.stop());

  const hostOf = async (domain: string) => (await run.deps.hosts.list()).find(({ host }) => host === domain) ?? null;
  const stateOf = async (domain: string) => (await run.holderOf(domain))?.state ?? null;
  async function addActive(): Promise<string> {
    const domain = run.newName();
    await run.add(run.request(domain));
    run.dns.lead(domain, HERE);
    for (let looks = 0; (await stateOf(domain)) !== 'active'; looks += 1) {
      assert.ok(looks < 30);
      await run.pass(10_000);
    }
    return domain;
  }

  it('a look that cannot be made is made again; what was known stays', async () => {
    const domain = await addActive();
    let failures = 0;
    run.before.set('observeDomain', async () => {
      failures += 1;
      throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    });
    await run.pass(HOUR_MS + 2 * MINUTE_MS);
    assert.ok(failures > 1);
    assert.equal(await stateOf(domain), 'active');
    run.before.clear();
    run.dns.lead(domain, ELSEWHERE);
    await run.pass(2 * HOUR_MS);
    assert.equal(await stateOf(domain), 'pending-dns');
  });

  it('a look that is put off again and again is made less and less often, and at once when there is room', async () => {
    const domain = run.newName();
    let looks = 0;
    run.instead.set('observeDomain', (asked) => {
      // Names of other tests are looked at as well.
      if ((asked as { readonly domain: string }).domain === domain) looks += 1;
      return { kind: 'put off', reason: 'its org has used up its share', waitMs: 3_000 };
    });
    await run.add(run.request(domain));
    run.dns.lead(domain, HERE);
    await run.pass(12 * HOUR_MS);
    assert.ok(looks >= 12 && looks <= 40, `${looks} looks in 12 hours`);
    run.instead.clear();
    await run.commands.verify(run.of(domain, run.shop));
    assert.notEqual(await stateOf(domain), 'pending-dns');
    await run.commands.remove(run.of(domain, run.shop));
  });

  it('a removal that the DNS provider refuses is tried again until it is done', async () => {
    const domain = await addActive();
    run.before.set('removeDomain', async () => {
      throw new FairleadError('DNS_PROVIDER_REFUSED', 'Cloudflare answers 403');
    });
    assert.equal(await run.commands.remove(run.of(domain, run.shop)), 'removing');
    await run.pass(3 * HOUR_MS);
    assert.ok((await run.holderOf(domain))?.removingSince);
    run.before.clear();
    await run.pass(2 * HOUR_MS);
    assert.deepEqual([await run.holderOf(domain), await hostOf(domain)], [null, null]);
  });

  it('a removal that is broken off goes on, and nothing attaches the name meanwhile', async () => {
    const domain = await addActive();
    run.before.set('removeDomain', async () => {
      throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
    });
    assert.equal(await run.commands.remove(run.of(domain, run.shop)), 'removing');
    assert.ok((await run.holderOf(domain))?.removingSince);
    run.before.clear();
    await run.pass(HOUR_MS);
    assert.deepEqual([await run.holderOf(domain), await hostOf(domain)], [null, null]);
  });

  it('names whose workflows were lost are looked at again by the daily round', async () => {
    const domain = await addActive();
    const handle = run.env.client.workflow.getHandle(domainWorkflowId(domain));
    await handle.terminate();
    run.dns.lead(domain, ELSEWHERE);
    await run.pass(3 * HOUR_MS);
    assert.equal(await stateOf(domain), 'active', 'nobody looks');
    await reconcileDomains({ ...run.deps, wakeKeeper: createKeeperWaker(run.env.client) }, null, new Date());
    assert.equal((await handle.describe()).status.name, 'RUNNING');
    await run.pass(2 * HOUR_MS);
    assert.equal(await stateOf(domain), 'pending-dns');
    // Of one that runs, nothing begins anew.
    const { runId } = await handle.describe();
    await createKeeperWaker(run.env.client)(domain);
    assert.equal((await handle.describe()).runId, runId);
  });

  it('a workflow that was terminated is taken up by the next request, from the record', async () => {
    const domain = await addActive();
    await run.env.client.workflow.getHandle(domainWorkflowId(domain)).terminate();
    await run.commands.verify(run.of(domain, run.shop));
    assert.equal(await stateOf(domain), 'active');
    const handle = run.env.client.workflow.getHandle(domainWorkflowId(domain));
    await handle.cancel();
    await assert.rejects(handle.result());
    assert.equal((await hostOf(domain))?.service, 'shop');
    assert.equal(await run.commands.remove(run.of(domain, run.shop)), 'removed');
    assert.equal(await hostOf(domain), null);
  });
});
