import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import { observeDomain } from '../../../activities/custom-domains/observe-domain.ts';
import { beginRemoval, removeDomain } from '../../../activities/custom-domains/remove-domain.ts';
import { callbackOf, settleRoute, wishCertificate } from '../../../activities/custom-domains/settle-domain.ts';
import { createEdgeHosts } from '../../../adapters/edge-router/host-files.ts';
import type { EdgeHosts } from '../../../domain/custom-domains/certificates/ports.ts';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import type { Certificates } from '../../../domain/custom-domains/ports.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));

const KEPT_CALLBACK = 'https://kept.example.com/api/auth/callback';

/** The OAuth client `shop-prod`. */
function shopClient() {
  const client = { service: 'shop' as string | null, uris: new Set([KEPT_CALLBACK]) };
  const view = (clientId: string) => ({ clientId, service: client.service, redirectUris: [...client.uris] }) as never;
  const clients: NonNullable<CustomDomainsDeps['clients']> = {
    find: async (clientId) => (clientId === 'shop-prod' ? view(clientId) : null),
    addRedirectUri: async (clientId, uri) => {
      client.uris.add(uri);
      return view(clientId);
    },
    removeRedirectUri: async (clientId, uri) => {
      client.uris.delete(uri);
      return view(clientId);
    },
  };
  return { client, clients };
}

/** Two at once, and one that was paused. */
describe('routes and certificates of names', () => {
  let world: CustomDomainsWorld;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
  });

  async function served(domain: string): Promise<{ domain: string; holderId: string }> {
    const { holderId } = await claimDomain(world.deps, world.request(domain), at(0));
    world.dns.lead(domain, HERE);
    await observeDomain(world.deps, { domain, holderId, isAsked: false }, at(1));
    return { domain, holderId };
  }
  async function active(domain: string): Promise<{ domain: string; holderId: string }> {
    const of = await served(domain);
    await observeDomain(world.deps, { ...of, isAsked: false }, at(2));
    return of;
  }
  const ofShop = (domain: string) => ({ domain, serviceId: world.shop, by: 'usr_ada', requestId: 'req_1' });

  it('an attempt that was paused in the middle of its write leaves no route of a name that was removed meanwhile', async () => {
    const { domain, holderId } = await served('shop.paused.com');
    const { hosts } = world.deps;
    let isFirst = true;
    const paused: EdgeHosts = {
      ...hosts,
      async put(host, target) {
        if (isFirst) {
          isFirst = false;
          await beginRemoval(world.deps, ofShop(domain), at(2));
          await removeDomain(world.deps, { domain, holderId }, at(2));
        }
        await hosts.put(host, target);
      },
    };
    await settleRoute({ ...world.deps, hosts: paused }, domain);
    assert.deepEqual(await hosts.list(), []);
  });

  /** Its certificate is not seen served for a month; its DNS leads here all the time. */
  async function failForCertificate({ domain, holderId }: { domain: string; holderId: string }): Promise<void> {
    world.certificates.states.set(domain, { state: 'failed', reason: 'its CAA records refuse it' });
    const look = (minute: number) => observeDomain(world.deps, { domain, holderId, isAsked: false }, at(minute));
    for (const minute of [10, 30, 50, 60 + 30 * 1_440]) await look(minute);
    const holder = (await world.deps.domains.find(domain))?.holder;
    assert.deepEqual([holder?.state, holder?.ownedSince != null], ['failed', true]);
  }
  const redirectsToTls = async (domain: string) =>
    (await world.deps.hosts.list()).find(({ host }) => host === domain)?.redirectToTls;

  it('a name that was served and fails for its certificate alone keeps what it has of one: it is redirected to TLS', async () => {
    const of = await active('shop.once.com');
    await failForCertificate(of);
    assert.equal(await redirectsToTls(of.domain), true);
    assert.deepEqual(world.certificates.wishedFor('shop'), [of.domain]);
  });

  it('a name that was never served over TLS and fails for its certificate is ordered none, and serves without TLS', async () => {
    const domain = 'shop.never.com';
    world.certificates.states.set(domain, { state: 'failed', reason: 'its CAA records refuse it' });
    const of = await served(domain);
    await failForCertificate(of);
    assert.equal(await redirectsToTls(domain), false);
    assert.deepEqual(world.certificates.wishedFor('shop'), []);
  });

  it('two names that change at once both end with a certificate of both', async () => {
    await served('a.both.com');
    const wished: (readonly string[])[] = [];
    let isFirst = true;
    const certificates: Certificates = {
      ...world.deps.certificates,
      async set(_place, names) {
        if (isFirst) {
          isFirst = false;
          await served('b.both.com');
        }
        wished.push(names);
      },
    };
    const holder = { serviceId: world.shop, service: 'shop', environment: 'prod' } as const;
    await wishCertificate({ domains: world.deps.domains, certificates }, holder);
    assert.deepEqual(wished.at(-1), ['a.both.com', 'b.both.com']);
  });

  it('the callback is in the OAuth client of the service while the name is, and in no client of another', async () => {
    const { clients, client } = shopClient();
    world = await createCustomDomainsParts({ clients });
    const of = await active('shop.callback.com');
    assert.ok(client.uris.has(callbackOf(of.domain)));
    await beginRemoval(world.deps, ofShop(of.domain), at(3));
    await removeDomain(world.deps, of, at(3));
    assert.deepEqual([...client.uris], [KEPT_CALLBACK]);
    client.service = 'another';
    await active('shop.foreign-client.com');
    assert.equal(client.uris.size, 1);
  });

  it('a claim that came to nothing leaves a callback that was added by hand', async () => {
    const { clients, client } = shopClient();
    world = await createCustomDomainsParts({ clients });
    const request = world.request('shop.by-hand.com');
    client.uris.add(callbackOf(request.domain));
    const { holderId } = await claimDomain(world.deps, request, at(0));
    await beginRemoval(world.deps, ofShop(request.domain), at(1));
    await removeDomain(world.deps, { domain: request.domain, holderId }, at(1));
    assert.ok(client.uris.has(callbackOf(request.domain)));
  });

  it('nobody is sent to a name after signing in before its certificate is served', async () => {
    const { clients, client } = shopClient();
    world = await createCustomDomainsParts({ clients });
    world.certificates.states.set('shop.uncertified.com', { state: 'waiting', reason: null });
    const { domain } = await active('shop.uncertified.com');
    assert.equal((await world.deps.domains.find(domain))?.holder?.state, 'pending-certificate');
    assert.deepEqual([...client.uris], [KEPT_CALLBACK]);
  });

  it('an attempt that was paused while it adds a callback leaves none of a name that was removed meanwhile', async () => {
    const { clients, client } = shopClient();
    let isPaused = true;
    const domain = 'shop.late-callback.com';
    const paused: typeof clients = {
      ...clients,
      async addRedirectUri(clientId, uri, by) {
        if (isPaused) {
          isPaused = false;
          const { holder } = (await world.deps.domains.find(domain)) ?? assert.fail();
          await beginRemoval(world.deps, ofShop(domain), at(3));
          await removeDomain(world.deps, { domain, holderId: holder?.id ?? '' }, at(3));
        }
        return await clients.addRedirectUri(clientId, uri, by);
      },
    };
    world = await createCustomDomainsParts({ clients: paused });
    await active(domain).catch(() => undefined);
    assert.equal(isPaused, false);
    assert.deepEqual([...client.uris], [KEPT_CALLBACK]);
  });

  it('a name that leads elsewhere loses its callback, and after 30 days its route, its certificate and its protection', async () => {
    const { clients, client } = shopClient();
    world = await createCustomDomainsParts({ clients });
    const of = await active('shop.lapsed.com');
    const later = (minute: number) => observeDomain(world.deps, { ...of, isAsked: false }, at(minute));
    assert.ok(client.uris.has(callbackOf(of.domain)));
    world.dns.lead(of.domain, { type: 'A', content: '198.51.100.9' });
    for (const minute of [60, 75, 91]) await later(minute);
    assert.equal((await world.deps.domains.find(of.domain))?.holder?.state, 'pending-dns');
    assert.deepEqual([...client.uris], [KEPT_CALLBACK]);
    assert.equal((await world.deps.hosts.list()).length, 1, 'the route stays');
    await later(91 + 30 * 24 * 60);
    const record = await world.deps.domains.find(of.domain);
    assert.deepEqual([record?.holder?.state, record?.holder?.ownedSince], ['failed', null]);
    assert.deepEqual([await world.deps.hosts.list(), world.certificates.wishedFor('shop')], [[], []]);
    assert.equal(record?.former?.org, 'acme', 'records beside it may lead here still');
    // Its holder comes back to it, and needs no proof: it was theirs.
    world.dns.lead(of.domain, HERE);
    for (const isAsked of [true, false]) {
      await observeDomain(world.deps, { ...of, isAsked }, at(100 + 30 * 24 * 60));
    }
    assert.equal((await world.deps.domains.find(of.domain))?.holder?.state, 'active');
    assert.ok(client.uris.has(callbackOf(of.domain)));
  });

  it('who makes a zone of a domain that is not theirs gets nothing of it once its owner delegates it', async () => {
    const { deps, provider, dns } = world;
    const managed = { mode: 'cloudflare' } as const;
    const observe = async (domain: string, holderId: string, minute: number) =>
      await observeDomain(deps, { domain, holderId, isAsked: false }, at(minute));
    const squatter = world.request('victim.com', { ...managed, ...world.ofBlog });
    await claimDomain(deps, squatter, at(0));
    await observe('victim.com', squatter.id, 1);
    const owner = world.request('www.victim.com', managed);
    const proof = ownershipProof(owner);
    dns.setText(proof.name, proof.value);
    await claimDomain(deps, owner, at(2));
    await observe('www.victim.com', owner.id, 3);
    // The zone moves here, and the text with which the owner proved it is gone.
    provider.activate('victim.com');
    dns.setText(proof.name);
    const [theirs, own] = [await observe('victim.com', squatter.id, 4), await observe('www.victim.com', owner.id, 5)];
    assert.deepEqual(
      [theirs, own].map((seen) => ('state' in seen ? seen.state : seen.kind)),
      ['pending-proof', 'active'],
    );
    assert.deepEqual(
      (await deps.hosts.list()).map(({ host, service }) => [host, service]),
      [['www.victim.com', 'shop']],
    );
  });

  it('a second name in a zone that the first one made needs no proof', async () => {
    const managed = { mode: 'cloudflare' } as const;
    const names = ['own.com', 'www.own.com'].map((domain) => world.request(domain, managed));
    for (const [index, { domain, id }] of names.entries()) {
      await claimDomain(world.deps, names[index] ?? assert.fail(), at(0));
      await observeDomain(world.deps, { domain, holderId: id, isAsked: false }, at(1));
    }
    const states = await Promise.all(
      names.map(async ({ domain }) => (await world.deps.domains.find(domain))?.holder?.state),
    );
    assert.deepEqual(states, ['pending-delegation', 'pending-delegation']);
  });

  it('a name whose certificate alone was not served for 30 days goes on being led to its service', async () => {
    world.certificates.states.set('shop.unserved.com', { state: 'issued', reason: 'nobody answers' });
    const of = await served('shop.unserved.com');
    const seen = await observeDomain(world.deps, { ...of, isAsked: false }, at(2 + 30 * 24 * 60));
    assert.equal(seen.kind === 'seen' && seen.state, 'failed');
    assert.deepEqual(
      (await world.deps.hosts.list()).map(({ host }) => host),
      ['shop.unserved.com'],
    );
    assert.deepEqual(world.certificates.wishedFor('shop'), []);
    world.certificates.states.delete('shop.unserved.com');
    for (const [isAsked, minute] of [
      [true, 3],
      [false, 4],
    ] as const)
      await observeDomain(world.deps, { ...of, isAsked }, at(minute + 30 * 24 * 60));
    assert.equal((await world.deps.domains.find('shop.unserved.com'))?.holder?.state, 'active');
  });

  it('a name that fails by an asked look has no certificate ordered any more', async () => {
    world.certificates.states.set('shop.asked.com', { state: 'issued', reason: 'nobody answers' });
    const of = await served('shop.asked.com');
    assert.deepEqual(world.certificates.wishedFor('shop'), ['shop.asked.com']);
    const seen = await observeDomain(world.deps, { ...of, isAsked: true }, at(2 + 30 * 24 * 60));
    assert.equal(seen.kind === 'seen' && seen.state, 'failed');
    assert.deepEqual(world.certificates.wishedFor('shop'), []);
  });

  it('apex and www: the other is led to the canonical one once both are served, and no more once that is gone', async () => {
    const redirects = async () =>
      (await world.deps.hosts.list()).map(({ host, redirectTo, hsts }) => [host, redirectTo ?? null, hsts ?? false]);
    const www = await active('www.canon.com');
    const request = { ...world.request('canon.com'), canonical: true, hsts: true };
    const { holderId } = await claimDomain(world.deps, request, at(3));
    world.dns.lead('canon.com', HERE);
    const apex = { domain: 'canon.com', holderId };
    await observeDomain(world.deps, { ...apex, isAsked: false }, at(4));
    assert.deepEqual(await redirects(), [
      ['canon.com', null, false],
      ['www.canon.com', null, false],
    ]);
    await observeDomain(world.deps, { ...apex, isAsked: false }, at(5));
    assert.deepEqual(await redirects(), [
      ['canon.com', null, true],
      ['www.canon.com', 'canon.com', false],
    ]);
    // Added again, it is said otherwise; what is not said stays.
    const again = { ...world.request('canon.com'), id: 'dom_again', canonical: false };
    assert.deepEqual(await claimDomain(world.deps, again, at(6)), { holderId, isNew: false });
    await observeDomain(world.deps, { ...apex, isAsked: true }, at(6));
    assert.deepEqual((await redirects()).at(-1), ['www.canon.com', null, false]);
    await claimDomain(world.deps, { ...again, canonical: true }, at(7));
    await observeDomain(world.deps, { ...apex, isAsked: true }, at(7));
    assert.deepEqual((await redirects()).at(-1), ['www.canon.com', 'canon.com', false]);
    await beginRemoval(world.deps, ofShop('canon.com'), at(8));
    await removeDomain(world.deps, apex, at(8));
    assert.deepEqual(await redirects(), [['www.canon.com', null, false]]);
    assert.equal(www.domain, 'www.canon.com');
  });

  it('www.com, whose other name is no host, is served and removed like any other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'routes-of-names-'));
    after(() => rm(folder, { recursive: true, force: true }));
    world = await createCustomDomainsParts({ hosts: createEdgeHosts(folder) });
    const of = await active('www.com');
    assert.deepEqual(
      (await world.deps.hosts.list()).map(({ host }) => host),
      ['www.com'],
    );
    await beginRemoval(world.deps, ofShop(of.domain), at(3));
    await removeDomain(world.deps, of, at(3));
    assert.deepEqual(await world.deps.hosts.list(), []);
    assert.equal((await world.deps.domains.find(of.domain))?.holder, null);
  });

  it('a name that is being removed is attached by no look', async () => {
    const { domain, holderId } = await served('shop.leaving.com');
    await beginRemoval(world.deps, ofShop(domain), at(2));
    assert.deepEqual(await observeDomain(world.deps, { domain, holderId, isAsked: true }, at(3)), { kind: 'leaving' });
  });

  it('a claim that is repeated is the same claim', async () => {
    const request = world.request('shop.repeated.com');
    const claims = [await claimDomain(world.deps, request, at(0)), await claimDomain(world.deps, request, at(1))];
    assert.deepEqual(claims, Array(2).fill({ holderId: request.id, isNew: true }));
  });
});
