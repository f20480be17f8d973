import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createEdgeHosts } from '../../../adapters/edge-router/host-files.ts';
import { createPowerDnsDomainZones } from '../../../adapters/powerdns/domain-zones.ts';
import { createDomainDns } from '../../../adapters/public-dns/domain-dns.ts';
import { judgeAddresses } from '../../../domain/custom-domains/address-look.ts';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';
import { createInMemoryDomainCommands } from '../../support/in-memory/domain-commands.ts';
import { NAME_SERVERS, startDomainDns, type TestDomainDns } from '../../support/start-domain-dns.ts';

/** From the add to the route, by real packets of a real DNS server, with the files that the router reads. */
describe('custom domains on a real DNS server', () => {
  let on: TestDomainDns;
  let world: CustomDomainsWorld;
  let folder: string;
  let commands: ReturnType<typeof createInMemoryDomainCommands>;
  before(async () => {
    on = await startDomainDns();
    folder = await mkdtemp(join(tmpdir(), 'fairlead-domains-'));
    const zones = createPowerDnsDomainZones({
      ...on.dns.api,
      ...{ installation: 'default', nameServers: NAME_SERVERS, delegatedTo: on.publicDns.nameServers },
    });
    world = await createCustomDomainsParts({ dns: on.looks, zones, hosts: createEdgeHosts(folder) });
    commands = createInMemoryDomainCommands(world.deps);
  });
  after(async () => {
    await on.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let zonesMade = 0;
  /** A domain of a customer, delegated to a provider of theirs. */
  async function newZone(): Promise<{ apex: string; domain: string }> {
    zonesMade += 1;
    const apex = `customer${zonesMade}.com`;
    await on.dns.addZone(apex, NAME_SERVERS);
    return { apex, domain: `shop.${apex}` };
  }
  const set = (apex: string, name: string, type: string, ...contents: readonly string[]) =>
    on.dns.setRecords(apex, { name, type, contents });
  const of = (domain: string, serviceId = world.shop) => ({ domain, serviceId, by: 'usr_ada', requestId: 'req_1' });
  const add = (domain: string, fields: Partial<AddDomain> = {}) => commands.add(world.request(domain, fields));
  const holderOf = async (domain: string) => (await world.deps.domains.find(domain))?.holder ?? null;
  const routeOf = async (domain: string) => (await world.deps.hosts.list()).find(({ host }) => host === domain) ?? null;
  const verify = async (domain: string) => {
    await commands.verify(of(domain));
    return await holderOf(domain);
  };

  it('direct: waits for the record, is routed once it shows, and removed without a trace', async () => {
    const { apex, domain } = await newZone();
    await add(domain);
    assert.equal((await holderOf(domain))?.state, 'pending-dns');
    assert.match((await holderOf(domain))?.reason ?? '', /ada\.ns-provider\.com has no address record/);
    assert.equal(await routeOf(domain), null);
    await set(apex, domain, 'A', INGRESS);
    assert.equal((await verify(domain))?.state, 'pending-certificate');
    assert.equal((await routeOf(domain))?.service, 'shop');
    assert.equal((await verify(domain))?.state, 'active');
    assert.equal((await routeOf(domain))?.redirectToTls, true);
    assert.equal(await commands.remove(of(domain)), 'removed');
    assert.equal(await routeOf(domain), null);
  });

  it('direct: an AAAA elsewhere, a second A, a CNAME and a loop of CNAMEs are each told and not taken', async () => {
    const { apex, domain } = await newZone();
    await add(domain);
    const told = async (pattern: RegExp) => {
      const holder = await verify(domain);
      assert.equal(holder?.state, 'pending-dns');
      assert.match(holder.reason ?? '', pattern);
      assert.equal(await routeOf(domain), null);
    };
    await set(apex, domain, 'A', INGRESS);
    await set(apex, domain, 'AAAA', '2001:db8::9');
    await told(/A 203\.0\.113\.7, AAAA 2001:db8::9/);
    await set(apex, domain, 'AAAA');
    await set(apex, domain, 'A', INGRESS, '198.51.100.9');
    await told(/A 198\.51\.100\.9, A 203\.0\.113\.7/);
    await set(apex, domain, 'A');
    await set(apex, domain, 'CNAME', `in.${apex}.`);
    await set(apex, `in.${apex}`, 'A', INGRESS);
    await told(/CNAME in\.customer\d+\.com/);
    await set(apex, `in.${apex}`, 'A');
    await set(apex, `in.${apex}`, 'CNAME', `${domain}.`);
    await told(/CNAME in\.customer\d+\.com/);
  });

  it('a domain that nobody registered, and servers that do not answer for it, are told apart', async () => {
    await add('shop.nobody-has-this.com');
    assert.match((await holderOf('shop.nobody-has-this.com'))?.reason ?? '', /did not answer \(EREFUSED\)/);
    const { apex, domain } = await newZone();
    const absent = `absent.${apex}`;
    await add(absent);
    assert.match((await holderOf(absent))?.reason ?? '', /ada\.ns-provider\.com has no address record/);
    await add(domain);
    // A lame delegation since: the servers that are named know nothing of the zone, or lie on no public address.
    await set(apex, apex, 'NS', 'ns.lame.com.', 'ns.inner.com.');
    await on.dns.addZone('lame.com', NAME_SERVERS);
    await on.dns.addZone('inner.com', NAME_SERVERS);
    await set('lame.com', 'ns.lame.com', 'A', '8.8.4.9');
    await set('inner.com', 'ns.inner.com', 'A', '127.0.0.1');
    on.routes.set('8.8.4.9', '127.0.0.1:1');
    await set(apex, domain, 'A', INGRESS);
    // The servers of the zone say nothing: the public resolver alone counts.
    assert.equal((await verify(domain))?.state, 'pending-certificate');
  });

  it('one server of a zone that answers, and a resolver, are enough to say that a name that was here leads elsewhere', async () => {
    const { apex, domain } = await newZone();
    await set(apex, apex, 'NS', `${NAME_SERVERS[0]}.`, 'ns.silent.com.');
    await on.dns.addZone('silent.com', NAME_SERVERS);
    await set('silent.com', 'ns.silent.com', 'A', '8.8.4.10');
    on.routes.set('8.8.4.10', '127.0.0.1:1');
    await set(apex, domain, 'A', '198.51.100.9');
    const wanted = { type: 'A', content: INGRESS } as const;
    const judged = async (needsWitnesses: boolean) => {
      const look = await on.looks.lookUpAddresses({ name: domain, apex, needsWitnesses }, wanted);
      return [judgeAddresses(look, wanted), look.resolvers.length];
    };
    assert.deepEqual(await judged(true), ['missing', 1]);
    assert.deepEqual(await judged(false), ['unknown', 0], 'a resolver is not asked too early');
  });

  it('rebinding: the servers of a zone are not asked on addresses of the inside', async () => {
    const { apex } = await newZone();
    await set(apex, apex, 'NS', 'ns.inside.com.');
    await on.dns.addZone('inside.com', NAME_SERVERS);
    const asked: string[] = [];
    const looks = createDomainDns({
      resolvers: [on.dns.address],
      dial: (address) => {
        asked.push(address);
        return '127.0.0.1:1';
      },
    });
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1']) {
      await set('inside.com', 'ns.inside.com', 'A', address);
      const look = await looks.lookUpAddresses({ name: apex, apex }, { type: 'A', content: INGRESS });
      assert.equal(look.authoritative[0]?.problem, 'it has no public address');
    }
    assert.deepEqual(asked, []);
  });

  it('managed: writes the record beside SPF, MX and CAA, which stay byte for byte, and takes it away', async () => {
    const { apex, domain } = await newZone();
    await set(apex, domain, 'TXT', '"v=spf1 include:_spf.example.com -all"');
    await set(apex, domain, 'MX', '10 mail.example.com.');
    await set(apex, domain, 'CAA', '0 issue "letsencrypt.org"');
    const before = await on.foreign(domain);
    assert.equal(before.length, 3);
    await add(domain, { mode: 'cloudflare', org: 'platform', byAdministrator: true });
    assert.equal((await holderOf(domain))?.state, 'active');
    assert.deepEqual(await on.dns.resolver().resolve4(domain), [INGRESS]);
    assert.equal((await routeOf(domain))?.service, 'shop');
    assert.equal(await commands.remove(of(domain)), 'removed');
    await assert.rejects(on.dns.resolver().resolve4(domain), { code: 'ENODATA' });
    assert.deepEqual(await on.foreign(domain), before);
  });

  it('takeover: a name that left a service goes to another only with the TXT record that names that one', async () => {
    const { apex, domain } = await newZone();
    await add(domain);
    await set(apex, domain, 'A', INGRESS);
    for (let looks = 0; looks < 2; looks += 1) await verify(domain);
    await commands.remove(of(domain));
    const claim = world.request(domain, world.ofBlog);
    await commands.add(claim);
    const look = async () => {
      await commands.verify(of(domain, world.blog));
      return await holderOf(domain);
    };
    assert.equal((await look())?.state, 'pending-proof');
    assert.equal(await routeOf(domain), null);
    const { name, value } = ownershipProof(claim);
    await set(apex, name, 'TXT', JSON.stringify(ownershipProof(world.request(domain)).value));
    assert.equal((await look())?.state, 'pending-proof');
    await set(apex, name, 'TXT', '"unrelated"', JSON.stringify(value));
    await look();
    assert.equal((await look())?.state, 'active');
    assert.equal((await routeOf(domain))?.service, 'blog');
  });
});
