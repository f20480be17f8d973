import assert from 'node:assert/strict';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { NativeConnection } from '@temporalio/worker';
import { createClaimantsOf } from '../../../activities/custom-domains/certificates/claimants-of.ts';
import { createHolderOf } from '../../../activities/custom-domains/certificates/holder-of.ts';
import { createCertificatesActivities } from '../../../activities/custom-domains/certificates/index.ts';
import { createCustomDomainsActivities } from '../../../activities/custom-domains/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createPowerDnsDomainZones } from '../../../adapters/powerdns/domain-zones.ts';
import { createCertificates } from '../../../adapters/temporal/certificates.ts';
import { createDomainCommands } from '../../../adapters/temporal/domain-commands.ts';
import { domainView } from '../../../domain/custom-domains/domain-schema.ts';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { startCertificateWorldAt } from '../../support/certificate-world.ts';
import { createCustomDomainsDeps, createCustomDomainsParts } from '../../support/custom-domains-parts.ts';
import { NAME_SERVERS, startDomainDns } from '../../support/start-domain-dns.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startPebble } from '../../support/start-pebble.ts';
import { startStepCa, stepCaMissing } from '../../support/start-step-ca.ts';
import { startTemporal } from '../../support/start-temporal.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Where names lead: the router of this machine, which the authority asks as well. */
const HERE = '127.0.0.1';
const TARGET = 'customers.edge-host.net';

type StartAuthority = Parameters<typeof startCertificateWorldAt>[0];
type StartedWorld = Awaited<ReturnType<typeof startWorld>>;

/** The workflows of names and certificates with their real activities, a DNS server, an authority, and a router with a service. */
async function startWorld(startAuthority: StartAuthority) {
  await using started = new AsyncDisposableStack();
  const temporal = started.adopt(await startTemporal(), ({ stop }) => stop());
  const certificates = started.adopt(await startCertificateWorldAt(startAuthority), ({ stop }) => stop());
  const { dns, edge, running } = certificates;
  const { looks, publicDns } = await startDomainDns(dns);
  for (const zone of ['com', 'net', 'edge-host.net']) await dns.addZone(zone, NAME_SERVERS);
  await dns.setRecords('edge-host.net', { name: TARGET, type: 'A', contents: [HERE] });
  const { settings } = createCustomDomainsDeps().deps;
  const parts = await createCustomDomainsParts({
    ...{ dns: looks, hosts: edge.hosts },
    zones: createPowerDnsDomainZones({
      ...{ ...dns.api, installation: 'default', nameServers: NAME_SERVERS, delegatedTo: publicDns.nameServers },
    }),
    certificates: createCertificates(temporal.client, () => newId('request')),
    settings: { ...settings, ingressTarget: HERE, customersTarget: TARGET },
  });
  const { domains } = parts.deps;
  const certificateActivities = createCertificatesActivities({
    ...certificates.deps,
    claimantsOf: createClaimantsOf({ services: parts.services, domains }),
    holderOf: createHolderOf({ domains }),
  });
  const connection = started.adopt(await NativeConnection.connect({ address: temporal.address }), (one) => one.close());
  const options = {
    ...{ module: 'custom-domains', activities: createCustomDomainsActivities(parts.deps) },
    others: { certificates: { activities: certificateActivities, slots: 10 } },
  };
  started.adopt(await startModuleWorker(connection, options), ({ stop }) => stop());
  const { address } = await edge.edge.upstream((incoming, response) =>
    response.end(`shop at ${incoming.headers.host}`),
  );
  await edge.edge.router.route('shop', 'prod', { workloadId: 'x', address }, 1);
  const stack = started.move();
  return {
    parts,
    dns,
    edge,
    running,
    commands: createDomainCommands(temporal.client),
    stop: () => stack.disposeAsync(),
  };
}

/** What a client of a name is answered: by plain HTTP, or over TLS by whoever trusts the authority. */
async function ask({ edge, running }: StartedWorld, host: string, over: 'http' | 'tls'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const to = { host: HERE, headers: { host }, agent: false as const };
  const sent =
    over === 'http'
      ? plainRequest({ ...to, port: edge.edge.port })
      : tlsRequest({ ...to, port: edge.tlsPort, servername: host, ca: running.root });
  sent.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => (text += part));
    response.once('end', () => resolve(`${response.statusCode} ${response.headers.location ?? text}`));
  });
  sent.on('error', reject).end();
  return await promise;
}

/** Its record says that it is served a moment before the router knows it. */
const reached = (world: StartedWorld, domain: string) =>
  waitUntil(`${domain} is answered by its service`, async () => {
    return (await ask(world, domain, 'http')) === `200 shop at ${domain}`;
  });

function nameActions(world: StartedWorld) {
  const { parts, commands, dns } = world;
  const of = (domain: string) => ({
    domain,
    serviceId: parts.shop,
    by: 'usr_ada',
    requestId: newId('request'),
  });
  const viewOf = async (domain: string) => {
    const record = await parts.deps.domains.find(domain);
    return record?.holder == null ? null : domainView({ ...record, holder: record.holder });
  };
  return {
    viewOf,
    add: (domain: string, fields: Partial<AddDomain> = {}) => commands.add(parts.request(domain, fields)),
    /** Set by its customer. */
    lead: (zone: string, name: string, type: string, content: string) =>
      dns.setRecords(zone, { name, type, contents: [content] }),
    verify: (domain: string) => commands.verify(of(domain)),
    /** By itself: its workflow looks again, and is told of its certificate. */
    served: (domain: string) =>
      waitUntil(`${domain} is active`, async () => {
        const view = await viewOf(domain);
        return view?.state === 'active' && view;
      }),
    async remove(domain: string): Promise<void> {
      await commands.remove(of(domain));
      await waitUntil(`${domain} is removed`, async () => (await viewOf(domain)) === null);
    },
    newZone: (apex: string) => dns.addZone(apex, NAME_SERVERS),
  };
}

/** Apex and www, which share a certificate. */
async function directly(world: StartedWorld): Promise<void> {
  const { add, lead, verify, served, remove, viewOf, newZone } = nameActions(world);
  const apex = 'direct-end.com';
  const names = [apex, `www.${apex}`];
  await newZone(apex);
  for (const name of names) {
    await add(name);
    assert.equal((await viewOf(name))?.state, 'pending-dns');
    assert.match(await ask(world, name, 'http'), /^404 /);
    await lead(apex, name, 'A', HERE);
    await verify(name);
  }
  for (const name of names) {
    const { certificate, dnsVerified } = await served(name);
    assert.ok(dnsVerified && certificate?.servedAt != null && certificate.expiresAt !== null);
    assert.ok(Date.parse(certificate.expiresAt) > Date.now());
    assert.equal(await ask(world, name, 'tls'), `200 shop at ${name}`);
    await waitUntil('plain requests are led to TLS', async () => /^308 https:/.test(await ask(world, name, 'http')));
  }
  await remove(`www.${apex}`);
  await assert.rejects(ask(world, `www.${apex}`, 'tls'));
  assert.equal(await ask(world, apex, 'tls'), `200 shop at ${apex}`, 'the certificate of the apex stays');
  await remove(apex);
  await assert.rejects(ask(world, apex, 'tls'));
  assert.match(await ask(world, apex, 'http'), /^404 /);
}

describe('custom domains from the add to a request, with certificates of Pebble', { timeout: 300_000 }, () => {
  let world: StartedWorld;
  before(async () => {
    world = await startWorld((at) => startPebble({ ...at, rejectNonces: 5 }));
  });
  after(() => world?.stop());

  it('direct: the customer sets an address, and the platform serves TLS', () => directly(world));

  it('managed: the platform writes the record, and takes it away with the name', async () => {
    const { add, served, remove, newZone } = nameActions(world);
    const [apex, domain] = ['managed-end.com', 'shop.managed-end.com'];
    await newZone(apex);
    await add(domain, { mode: 'cloudflare', org: 'platform', byAdministrator: true });
    const { zoneStatus, resolvedTarget, certificate } = await served(domain);
    assert.deepEqual([zoneStatus, resolvedTarget, certificate], ['active', `A ${HERE}`, null]);
    assert.deepEqual(await world.dns.resolver().resolve4(domain), [HERE]);
    await reached(world, domain);
    await remove(domain);
    await assert.rejects(world.dns.resolver().resolve4(domain));
    assert.match(await ask(world, domain, 'http'), /^404 /);
  });

  it('external: one CNAME to the shared target', async () => {
    const { add, lead, verify, served, remove, newZone } = nameActions(world);
    const [apex, domain] = ['external-end.com', 'shop.external-end.com'];
    await newZone(apex);
    await add(domain, { mode: 'external' });
    await lead(apex, domain, 'CNAME', `${TARGET}.`);
    await verify(domain);
    assert.equal((await served(domain)).resolvedTarget, `CNAME ${TARGET}`);
    await reached(world, domain);
    await remove(domain);
    assert.match(await ask(world, domain, 'http'), /^404 /);
  });
});

describe('custom domains from the add to a request, with certificates of step-ca', {
  timeout: 300_000,
  skip: await stepCaMissing(),
}, () => {
  let world: StartedWorld;
  before(async () => {
    world = await startWorld(startStepCa);
  });
  after(() => world?.stop());

  it('direct: the customer sets an address, and the platform serves TLS', () => directly(world));
});
