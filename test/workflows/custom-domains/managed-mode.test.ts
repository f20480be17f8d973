import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { INGRESS } from '../../support/custom-domains-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Domains, HOUR_MS, startDomains } from './harness.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const FOREIGN = { type: 'A', content: '198.51.100.9' } as const;
const MANAGED = { mode: 'cloudflare' } as const;
/** Whose zones the account has from the beginning. */
const PLATFORM = { mode: 'cloudflare', org: 'platform', byAdministrator: true } as const;

describe('keepDomain, where the platform writes the record', { timeout: 300_000 }, () => {
  let run: Domains;
  before(async () => {
    run = await startDomains();
  });
  afterEach(() => run.before.clear());
  after(() => run.stop());

  const apexOf = (domain: string) => domain.slice('shop.'.length);
  const records = (domain: string) => run.provider.recordsOf(domain).map(({ type, content }) => ({ type, content }));
  const stateOf = async (domain: string) => (await run.holderOf(domain))?.state ?? null;
  async function reach(domain: string, state: string): Promise<void> {
    for (let passed = 0; (await stateOf(domain)) !== state; passed += 10_000) {
      assert.ok(passed < HOUR_MS, `${domain} is ${await stateOf(domain)}, not ${state}`);
      await run.pass(10_000);
    }
  }
  function newZone(): { domain: string; apex: string } {
    const domain = run.newName();
    run.provider.add(apexOf(domain), 'active');
    return { domain, apex: apexOf(domain) };
  }

  it('makes the zone where there is none, and waits for its delegation', async () => {
    const domain = run.newName();
    await run.add(run.request(domain, MANAGED));
    await reach(domain, 'pending-delegation');
    await waitUntil('a look', async () => (await run.holderOf(domain))?.reason ?? null);
    const holder = await run.holderOf(domain);
    assert.deepEqual([holder?.zone?.created, holder?.zone?.status, holder?.dnsVerified], [true, 'pending', true]);
    assert.deepEqual(holder?.zone?.originalNameServers, ['ns1.registrar.net']);
    assert.equal(holder?.verifiedAt, null);
    assert.match(holder?.reason ?? '', /set the name servers of name\d+\.com to ada\.ns-provider\.com and bob/);
    assert.deepEqual(records(domain), [], 'that an add made the zone proves nothing');
    assert.equal((await run.deps.hosts.list()).length, 0);
    run.provider.activate(apexOf(domain));
    await reach(domain, 'active');
    assert.deepEqual(records(domain), [HERE]);
  });

  it('writes the record beside texts and mail servers, and takes that one alone away', async () => {
    const { domain, apex } = newZone();
    const others = [
      { type: 'TXT', content: '"v=spf1 -all"' },
      { type: 'MX', content: '10 mail.example.com.' },
      { type: 'CAA', content: '0 issue "letsencrypt.org"' },
    ] as const;
    run.provider.put(apex, domain, others);
    await run.add(run.request(domain, PLATFORM));
    await reach(domain, 'active');
    assert.deepEqual(records(domain), [...others, HERE]);
    assert.equal(await run.commands.remove(run.of(domain, run.shop)), 'removed');
    assert.deepEqual(records(domain), others);
    assert.ok(run.provider.hasZone(apex));
  });

  it('a foreign record refuses the add, which gives the name back and changes nothing', async () => {
    const { domain, apex } = newZone();
    run.provider.put(apex, domain, [FOREIGN]);
    await assert.rejects(run.add(run.request(domain, PLATFORM)), {
      code: 'DNS_RECORD_EXISTS',
      details: { records: [FOREIGN] },
    });
    assert.deepEqual([records(domain), await run.holderOf(domain)], [[FOREIGN], null]);
    // Nobody had it: the next who asks needs no proof that it left one.
    assert.equal(await run.deps.domains.find(domain), null);
  });

  it('overwrites it when that is asked for, and says what it replaced', async () => {
    const { domain, apex } = newZone();
    run.provider.put(apex, domain, [FOREIGN]);
    await run.add(run.request(domain, { ...PLATFORM, overwrite: true }));
    await reach(domain, 'active');
    assert.deepEqual([records(domain), (await run.holderOf(domain))?.replacedRecord], [[HERE], FOREIGN]);
  });

  it('a record that a person wrote and that leads here is kept when the name is removed', async () => {
    const { domain, apex } = newZone();
    run.provider.put(apex, domain, [HERE]);
    await run.add(run.request(domain, PLATFORM));
    await reach(domain, 'active');
    await run.commands.remove(run.of(domain, run.shop));
    assert.deepEqual(records(domain), [HERE]);
  });

  it('a zone of the operator is no member\u2019s: nothing is written before a proof that only the operator can publish', async () => {
    const { domain } = newZone();
    const claim = run.request(domain, MANAGED);
    await run.add(claim);
    await run.pass(HOUR_MS);
    assert.deepEqual([await stateOf(domain), records(domain)], ['pending-proof', []]);
    assert.equal(
      (await run.deps.hosts.list()).some(({ host }) => host === domain),
      false,
    );
    const { name, value } = ownershipProof(claim);
    run.dns.setText(name, value);
    await run.pass(2 * HOUR_MS);
    assert.deepEqual([await stateOf(domain), records(domain)], ['active', [HERE]]);
  });

  it('another org\u2019s zone is no member\u2019s either, though the platform made it', async () => {
    const domain = run.newName();
    const apex = apexOf(domain);
    await run.add(run.request(domain, MANAGED));
    run.provider.activate(apex);
    await reach(domain, 'active');
    const other = `evil.${apex}`;
    await run.add(run.request(other, { ...MANAGED, ...run.ofBlog }));
    await run.pass(HOUR_MS);
    assert.deepEqual([await stateOf(other), records(other)], ['pending-proof', []]);
    const own = `www.${apex}`;
    await run.add(run.request(own, MANAGED));
    await reach(own, 'active');
  });

  it('a record that somebody takes away is not written behind their back; verify writes it again', async () => {
    const { domain, apex } = newZone();
    await run.add(run.request(domain, PLATFORM));
    await reach(domain, 'active');
    run.provider.put(apex, domain, []);
    await run.pass(2 * HOUR_MS);
    assert.deepEqual([await stateOf(domain), records(domain)], ['pending-dns', []]);
    await run.commands.verify(run.of(domain, run.shop));
    assert.deepEqual([await stateOf(domain), records(domain)], ['active', [HERE]]);
  });

  it('a provider that is away for minutes is waited for; one that refuses ends the add', async () => {
    const { domain } = newZone();
    let attempts = 0;
    run.before.set('prepareDomain', async () => {
      attempts += 1;
      if (attempts < 3) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      if (attempts === 3) throw new FairleadError('DNS_PROVIDER_REFUSED', 'Cloudflare answers 403');
    });
    await assert.rejects(run.add(run.request(domain, PLATFORM)), { code: 'DNS_PROVIDER_REFUSED' });
    assert.equal(await run.holderOf(domain), null);
    await run.add(run.request(domain, PLATFORM));
    await reach(domain, 'active');
  });
});
