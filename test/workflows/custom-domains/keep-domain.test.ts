import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { domainWorkflowId } from '../../../domain/custom-domains/messages.ts';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { INGRESS } from '../../support/custom-domains-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { DAY_MS, type Domains, HOUR_MS, MINUTE_MS, startDomains } from './harness.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const ELSEWHERE = { type: 'A', content: '198.51.100.9' } as const;

describe('keepDomain', { timeout: 300_000 }, () => {
  let run: Domains;
  before(async () => {
    run = await startDomains();
  });
  after(() => run.stop());

  const hostOf = async (domain: string) => (await run.deps.hosts.list()).find(({ host }) => host === domain) ?? null;
  const stateOf = async (domain: string) => (await run.holderOf(domain))?.state ?? null;
  /** Until the name is in a state, by looks that the server's time brings. */
  async function reach(domain: string, state: string, withinMs = HOUR_MS): Promise<void> {
    for (let passed = 0; (await stateOf(domain)) !== state; passed += 10_000) {
      assert.ok(passed < withinMs, `${domain} is ${await stateOf(domain)}, not ${state}`);
      await run.pass(10_000);
    }
  }
  async function addActive(): Promise<string> {
    const domain = run.newName();
    await run.add(run.request(domain));
    run.dns.lead(domain, HERE);
    await reach(domain, 'active');
    return domain;
  }

  // The first: while other names are looked at, a month of theirs passes as well.
  it('fails after 30 days with what each server said; verify revives it', async () => {
    const domain = run.newName();
    await run.add(run.request(domain));
    await waitUntil('a look', async () => (await run.holderOf(domain))?.reason ?? null);
    await run.age(domain, 30 * DAY_MS - 2 * HOUR_MS);
    await run.pass(HOUR_MS);
    assert.equal(await stateOf(domain), 'pending-dns');
    await run.pass(2 * HOUR_MS);
    const failed = await run.holderOf(domain);
    assert.equal(failed?.state, 'failed');
    assert.match(failed.reason ?? '', /^30 days have passed: .*ns1\.registrar\.net has no address record/);
    const description = await run.env.client.workflow.getHandle(domainWorkflowId(domain)).describe();
    assert.notEqual(description.status.name, 'RUNNING');
    run.dns.lead(domain, HERE);
    await run.commands.verify(run.of(domain, run.shop));
    await reach(domain, 'active');
  });

  it('a name whose DNS leads here: routed, with a certificate, active, and told', async () => {
    const domain = await addActive();
    const holder = await run.holderOf(domain);
    assert.deepEqual([holder?.dnsVerified, holder?.reason, holder?.proof], [true, null, null]);
    assert.ok(holder?.ownedSince && holder.verifiedAt && holder.observedAt);
    assert.deepEqual(await hostOf(domain), {
      ...{ host: domain, service: 'shop', environment: 'prod', serves: 'everything', redirectToTls: true },
    });
    assert.ok(run.certificates.wishedFor('shop').includes(domain));
    const told = run.audit.told().filter(({ entityId }) => entityId === domain);
    assert.deepEqual(
      told.map(({ eventType, orgSlug }) => [eventType, orgSlug]),
      [
        ['domain.added', 'acme'],
        ['domain.verified', 'acme'],
      ],
    );
  });

  it('a name whose DNS leads elsewhere is not routed, and says what each server has', async () => {
    const domain = run.newName();
    run.dns.lead(domain, ELSEWHERE);
    await run.add(run.request(domain));
    await waitUntil('a look', async () => (await run.holderOf(domain))?.reason ?? null);
    const holder = await run.holderOf(domain);
    assert.equal(holder?.state, 'pending-dns');
    assert.match(holder.reason ?? '', /set A shop\.name\d+\.com to 203\.0\.113\.7 .*ns1\.registrar\.net has A 198/);
    assert.deepEqual([await hostOf(domain), holder.ownedSince], [null, null]);
    assert.ok(!run.certificates.wishedFor('shop').includes(domain));
    run.dns.lead(domain, HERE);
    await reach(domain, 'active');
  });

  it('a name whose certificate is not served yet waits, and goes on at once when it is told', async () => {
    const domain = run.newName();
    run.certificates.states.set(domain, { state: 'waiting', reason: 'the authority is away' });
    await run.add(run.request(domain));
    run.dns.lead(domain, HERE);
    await reach(domain, 'pending-certificate');
    assert.equal((await hostOf(domain))?.redirectToTls, false);
    await run.pass(MINUTE_MS);
    assert.match((await run.holderOf(domain))?.reason ?? '', /its certificate is waiting: the authority is away/);
    run.certificates.states.delete(domain);
    await run.signal(domain);
    await waitUntil('the name is active', async () => ((await stateOf(domain)) === 'active' ? true : null));
    assert.equal((await hostOf(domain))?.redirectToTls, true);
  });

  it('of many who add one name at once, one has it, and the others are told nothing of whose it is', async () => {
    const domain = run.newName();
    const services = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => ({
        ...{ service: `rival-${index}`, org: `org-${index}` },
        serviceId: await run.newService(`rival-${index}`, `org-${index}`),
      })),
    );
    const all = services.map((service) => run.add(run.request(domain, service)));
    const ended = await Promise.allSettled(all);
    const refused = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, services.length - 1);
    const holder = await run.holderOf(domain);
    for (const error of refused) {
      assert.equal(error.code, 'DOMAIN_TAKEN');
      assert.ok(!JSON.stringify([error.message, error.details]).includes(holder?.service ?? 'rival'));
      assert.ok(!JSON.stringify([error.message, error.details]).includes(holder?.serviceId ?? 'svc'));
    }
  });

  it('removing undoes the route and the certificate before the name is free, and leaves the other names alone', async () => {
    const [apart, domain] = [await addActive(), await addActive()];
    assert.equal(await run.commands.remove(run.of(domain, run.shop)), 'removed');
    assert.deepEqual([await hostOf(domain), await run.holderOf(domain)], [null, null]);
    const wished = run.certificates.wishedFor('shop');
    assert.deepEqual([wished.includes(domain), wished.includes(apart)], [false, true]);
    assert.ok(
      run.audit.told().some(({ eventType, entityId }) => eventType === 'domain.removed' && entityId === domain),
    );
  });

  it('takeover after removal: DNS that still leads here gives the name to nobody without a proof', async () => {
    const domain = await addActive();
    await run.commands.remove(run.of(domain, run.shop));
    const attack = run.request(domain, run.ofBlog);
    await run.add(attack);
    await run.pass(2 * HOUR_MS);
    const holder = await run.holderOf(domain);
    assert.equal(holder?.state, 'pending-proof');
    assert.equal(await hostOf(domain), null);
    // Who had it comes back without one, although another claims it: the claim gives way to the proof.
    const proof = ownershipProof(run.request(domain));
    run.dns.setText(proof.name, proof.value);
    await run.add(run.request(domain));
    await reach(domain, 'active');
    assert.equal((await hostOf(domain))?.service, 'shop');
    assert.ok(!run.certificates.wishedFor('blog').includes(domain));
  });

  it('a name that left a service goes to another one with a proof, and the proof of a third helps nobody', async () => {
    const domain = await addActive();
    await run.commands.remove(run.of(domain, run.shop));
    const claim = run.request(domain, run.ofBlog);
    const proof = ownershipProof(claim);
    run.dns.setText(proof.name, ownershipProof(run.request(domain)).value);
    await run.add(claim);
    await run.pass(MINUTE_MS);
    assert.equal(await stateOf(domain), 'pending-proof');
    assert.deepEqual((await run.holderOf(domain))?.proof, proof);
    run.dns.setText(proof.name, 'v=spf1 -all', proof.value);
    await reach(domain, 'active');
    assert.equal((await hostOf(domain))?.service, 'blog');
  });

  it('a record that is lost alarms, and pends again after three looks over half an hour; the route stays', async () => {
    const domain = await addActive();
    const alarmed = () => run.alarms.filter((subject) => subject.endsWith(domain));
    run.dns.lead(domain, ELSEWHERE);
    await run.pass(HOUR_MS + MINUTE_MS);
    assert.equal(await stateOf(domain), 'active');
    assert.deepEqual(alarmed(), [`A custom domain leads elsewhere: ${domain}`]);
    await run.pass(31 * MINUTE_MS);
    assert.deepEqual([await stateOf(domain), (await run.holderOf(domain))?.dnsVerified], ['pending-dns', false]);
    assert.deepEqual(alarmed().slice(1), [`A custom domain is lost: ${domain}`]);
    assert.equal((await hostOf(domain))?.service, 'shop');
    run.dns.lead(domain, HERE);
    await reach(domain, 'active');
  });

  it('servers that fail say nothing about a record: the name stays active for hours', async () => {
    const domain = await addActive();
    run.dns.fail(domain, 'ESERVFAIL');
    await run.pass(4 * HOUR_MS);
    assert.deepEqual([await stateOf(domain), (await run.holderOf(domain))?.lost], ['active', null]);
    run.dns.heal(domain);
  });

  it('a service that was deleted loses its names by itself', async () => {
    const serviceId = await run.newService('short', 'acme');
    const domain = run.newName();
    await run.add(run.request(domain, { serviceId, service: 'short' }));
    run.dns.lead(domain, HERE);
    await reach(domain, 'active');
    await run.services.remove(serviceId);
    await run.pass(2 * HOUR_MS);
    assert.deepEqual([await run.holderOf(domain), await hostOf(domain)], [null, null]);
    assert.equal((await run.deps.domains.find(domain))?.former?.serviceId, serviceId);
  });

  it('nobody verifies or removes the name of another service, and it says that there is none', async () => {
    const domain = await addActive();
    await assert.rejects(run.commands.remove(run.of(domain, run.blog)), { code: 'DOMAIN_NOT_FOUND' });
    await assert.rejects(run.commands.verify(run.of(domain, run.blog)), { code: 'DOMAIN_NOT_FOUND' });
    assert.equal(await stateOf(domain), 'active');
  });
});
