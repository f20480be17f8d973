import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCertificatesActivities } from '../../../../activities/custom-domains/certificates/index.ts';
import { createCustomDomainsActivities } from '../../../../activities/custom-domains/index.ts';
import { createCustomDomainsParts } from '../../../support/custom-domains-parts.ts';
import { createCertificateParts } from '../../../support/in-memory/certificate-parts.ts';

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const run = <A extends readonly unknown[], R>(activity: (...args: A) => Promise<R>, ...args: A): Promise<R> =>
  new MockActivityEnvironment({}, { logger: SILENT }).run(activity as never, ...(args as never)) as Promise<R>;
/** More than an org has places. */
const MANY = Array.from({ length: 6 }, (_, index) => index);
const REFUSED = { code: 'UNAVAILABLE', retryable: true };

it('hosts that never answer hold the places of their own org, and none of another', async () => {
  const parts = createCertificateParts(() => new Date());
  const { promise, reject } = Promise.withResolvers<never>();
  const orgOf = async ({ service }: { readonly service: string }) => (service.startsWith('tarpit') ? 'globex' : 'acme');
  const activities = createCertificatesActivities({
    ...{ ...parts.deps, orgOf },
    claimantsOf: async (_owner, hosts) => hosts.map((host) => (host.startsWith('tarpit') ? 'globex' : 'acme')),
    records: { ...parts.deps.records, find: async () => ({ current: { fingerprint: 'f' } }) as never },
    servedCheck: { look: ({ host }) => (host.startsWith('tarpit') ? promise : Promise.resolve({ kind: 'served' })) },
  });
  const look = (service: string, host: string) =>
    run(activities.checkServed, { service, environment: 'prod', host } as const);
  const held = MANY.map((index) => look(`tarpit-${index}`, `tarpit${index}.com`));
  const refused = await Promise.allSettled(held.slice(4));
  for (const one of refused) assert.ok(one.status === 'rejected' && one.reason.code === REFUSED.code);
  assert.deepEqual(await look('shop', 'shop.com'), { kind: 'served' });
  reject(new Error('the end'));
  await Promise.allSettled(held);
  assert.deepEqual(await look('tarpit-1', 'shop.com'), { kind: 'served' });
});

it('DNS servers that never answer hold the places of the org whose names they are of, and none of another', async () => {
  const world = await createCustomDomainsParts();
  const { promise, reject } = Promise.withResolvers<never>();
  const { dns } = world.deps;
  const slow: typeof dns = {
    ...dns,
    lookUpAddresses: (question, wanted) =>
      question.name.includes('tarpit') ? promise : dns.lookUpAddresses(question, wanted),
  };
  const activities = createCustomDomainsActivities({ ...world.deps, dns: slow });
  const at = new Date().toISOString();
  const add = async (domain: string, service = {}) => {
    const { holderId } = await run(activities.claimDomain, world.request(domain, service), at);
    return { domain, holderId, isAsked: false };
  };
  const names = await Promise.all(MANY.map((index) => add(`tarpit${index}.com`, world.ofBlog).catch(() => null)));
  const waiting = names.filter((one) => one !== null);
  const own = await add('shop.own.com');
  const held = waiting.map((one) => run(activities.observeDomain, one, at));
  world.dns.lead('shop.own.com', { type: 'A', content: '203.0.113.7' });
  const seen = await run(activities.observeDomain, own, at);
  assert.deepEqual([waiting.length >= 4, seen.kind], [true, 'seen']);
  const another = world.request('tarpit.another.com', world.ofBlog);
  // At once: who holds the name, or wants it as well, waits for none of this org's places.
  await assert.rejects(run(activities.claimDomain, another, at), { code: 'RATE_LIMITED', retryable: false });
  const [first] = waiting;
  assert.equal((await run(activities.observeDomain, first ?? assert.fail(), at)).kind, 'put off');
  reject(new Error('the end'));
  await Promise.allSettled(held);
});
