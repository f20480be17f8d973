import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fulfilCertificateOrder } from '../../../../activities/custom-domains/certificates/fulfil-order.ts';
import { placeCertificateOrder } from '../../../../activities/custom-domains/certificates/place-order.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { createCertificateParts } from '../../../support/in-memory/certificate-parts.ts';

const owner = { service: 'shop', environment: 'prod' } as const;
const [OWN, GUEST] = ['shop.acme.com', 'shop.globex.com'];
const now = new Date('2026-11-01T10:00:00Z');
const { signal } = new AbortController();

/** A service of acme, of which globex has a name as well. */
function start() {
  const parts = createCertificateParts(() => now);
  const deps = {
    ...parts.deps,
    orgOf: async () => 'acme',
    claimantsOf: async (_owner: unknown, hosts: readonly string[]) =>
      hosts.map((host) => (host.endsWith('.globex.com') ? 'globex' : 'acme')),
  };
  const place = (...names: readonly string[]) => placeCertificateOrder(deps, { ...owner, names }, signal);
  const fulfil = async (...names: readonly string[]) => {
    const placed = await place(...names);
    assert.ok(placed.kind === 'placed');
    return await fulfilCertificateOrder(deps, { ...owner, url: placed.url }, signal);
  };
  return { ...parts, deps, place, fulfil };
}

const hostsOf = (fulfilled: Awaited<ReturnType<typeof fulfilCertificateOrder>>) => {
  assert.ok(fulfilled.kind === 'failed');
  return fulfilled.failures.map(({ host }) => host);
};

describe('an order that the authority refuses when it is finalized', () => {
  it('fails the names that the refusal is about, and the others are ordered without them', async () => {
    const { ca, deps, fulfil } = start();
    ca.refusedAtEnd.add(OWN);
    assert.deepEqual(hostsOf(await fulfil(OWN, GUEST)), [OWN]);
    assert.equal((await deps.records.find(owner))?.order, null);
    assert.equal((await fulfil(GUEST)).kind, 'issued');
    const [first] = await deps.orders.since(new Date(0), { orgs: ['acme'], domains: [] });
    assert.deepEqual(first?.failed, [OWN]);
  });

  it('keeps no name of the service itself from its certificate for a guest, where the refusal names nobody', async () => {
    const { ca, fulfil } = start();
    ca.state.namesRefused = false;
    ca.refusedAtEnd.add(GUEST);
    assert.deepEqual(hostsOf(await fulfil(OWN, GUEST)), [GUEST]);
    assert.equal((await fulfil(OWN)).kind, 'issued');
    assert.deepEqual(hostsOf(await fulfil(GUEST)), [GUEST]);
  });

  it('is tried again as it is where the refusal is about the account', async () => {
    const { deps, place } = start();
    const placed = await place(OWN);
    assert.ok(placed.kind === 'placed');
    const details = { status: 403, type: 'userActionRequired', names: [] };
    const refuse = async () => {
      throw new FairleadError('CERTIFICATE_REFUSED', 'there are new terms', { details });
    };
    const authority = { ...deps.authority, finalize: refuse };
    const order = { ...owner, url: placed.url };
    await assert.rejects(fulfilCertificateOrder({ ...deps, authority }, order, signal), {
      message: 'there are new terms',
    });
    assert.equal((await fulfilCertificateOrder(deps, order, signal)).kind, 'issued');
  });

  it('blames no name when it is placed for an account that is not valid any more', async () => {
    const { deps, place } = start();
    const { placeOrder } = deps.authority;
    deps.authority.placeOrder = async () => {
      const details = { status: 403, type: 'unauthorized', names: [] };
      throw new FairleadError('CERTIFICATE_REFUSED', 'the account is deactivated', { details });
    };
    await assert.rejects(place(OWN, GUEST), { message: 'the account is deactivated' });
    deps.authority.placeOrder = placeOrder;
    assert.equal((await place(OWN, GUEST)).kind, 'placed');
  });

  it('and ends by itself fails the names that its problem is about', async () => {
    const { deps, place } = start();
    const placed = await place(OWN, GUEST);
    assert.ok(placed.kind === 'placed');
    const authority = {
      ...deps.authority,
      readOrder: async (url: string) => {
        return { url, status: 'invalid', problem: 'CAA forbids issuance', problemNames: [OWN] } as const;
      },
    };
    const fulfilled = await fulfilCertificateOrder({ ...deps, authority }, { ...owner, url: placed.url }, signal);
    assert.deepEqual(hostsOf(fulfilled), [OWN]);
  });
});

describe('the limits of an authority', () => {
  const renew = async (hasRenewalInfo: boolean) => {
    const { ca, place, fulfil } = start();
    ca.state.hasRenewalInfo = hasRenewalInfo;
    for (let count = 0; count < 5; count += 1) assert.equal((await fulfil(OWN)).kind, 'issued');
    return { kind: (await place(OWN)).kind, replaces: ca.orders().map(({ replaces }) => replaces !== null) };
  };

  it('count each order where it takes no word of what is replaced', async () => {
    const { kind, replaces } = await renew(false);
    assert.deepEqual([kind, replaces], ['held back', [false, false, false, false, false]]);
  });

  it('count no order for what it is told to replace', async () => {
    const { kind, replaces } = await renew(true);
    assert.deepEqual([kind, replaces], ['placed', [false, true, true, true, true, true]]);
  });

  it('count an order whose replacement it does not take, before that is placed as a new one', async () => {
    const { ca, deps, place, fulfil } = start();
    for (let count = 0; count < 5; count += 1) await fulfil(OWN);
    const placed = ca.orders().length;
    const asked: (string | null)[] = [];
    deps.authority.placeOrder = async ({ replaces }) => {
      asked.push(replaces);
      throw new FairleadError('CERTIFICATE_REFUSED', 'it is replaced already');
    };
    assert.equal((await place(OWN)).kind, 'held back');
    assert.deepEqual([ca.orders().length, asked.length, asked.includes(null)], [placed, 1, false]);
  });

  it('count an order also where the worker was killed that placed it', async () => {
    const { deps, place } = start();
    const { orders } = deps;
    const killed = { ...deps, orders: { ...orders, note: () => Promise.reject(new Error('killed')) } };
    await assert.rejects(placeCertificateOrder(killed, { ...owner, names: [OWN] }, signal), { message: 'killed' });
    assert.equal((await place(OWN)).kind, 'placed');
    const counted = await orders.since(new Date(0), { orgs: ['acme'], domains: [] });
    assert.deepEqual(
      counted.map(({ names, at }) => [names, at]),
      [[[OWN], now]],
    );
  });
});

it('an order that failed is no certificate for the attempt after one that was killed before it said so', async () => {
  const { astray, deps, place, fulfil } = start();
  await fulfil(OWN);
  astray.add(GUEST);
  const placed = await place(OWN, GUEST);
  assert.ok(placed.kind === 'placed');
  const order = { ...owner, url: placed.url };
  assert.equal((await fulfilCertificateOrder(deps, order, signal)).kind, 'failed');
  await assert.rejects(fulfilCertificateOrder(deps, order, signal), { code: 'CONFLICT' });
  astray.clear();
  const next = await place(OWN, GUEST);
  assert.ok(next.kind === 'placed');
  const issued = await fulfilCertificateOrder(deps, { ...owner, url: next.url }, signal);
  assert.deepEqual(await fulfilCertificateOrder(deps, { ...owner, url: next.url }, signal), issued);
});

it('a name that the authority asks for again and again fails after half a minute, and the others are ordered without it', async () => {
  const { deps, fulfil } = start();
  const { readAuthorizations, completeChallenge } = deps.authority;
  const asked = new Map<string, number>();
  const patient = {
    ...deps.authority,
    async completeChallenge(url: string, ended: AbortSignal) {
      if (!url.endsWith(`#${OWN}`)) return await completeChallenge(url, ended);
      asked.set(url, (asked.get(url) ?? 0) + 1);
    },
    async readAuthorizations(url: string, ended: AbortSignal) {
      const all = await readAuthorizations(url, ended);
      return all.map((one) => ({
        ...one,
        challenges: one.challenges.map((challenge) =>
          asked.has(challenge.url) ? { ...challenge, problem: 'it answers with status code 502' } : challenge,
        ),
      }));
    },
  };
  Object.assign(deps.authority, patient);
  const failed = await fulfil(OWN, GUEST);
  assert.ok(failed.kind === 'failed');
  assert.deepEqual(failed.failures, [{ host: OWN, reason: 'it answers with status code 502' }]);
  assert.ok(
    [...asked.values()].every((times) => times > 4),
    'it was asked again before',
  );
  assert.equal((await fulfil(GUEST)).kind, 'issued');
});
