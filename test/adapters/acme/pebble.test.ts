import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fulfilCertificateOrder } from '../../../activities/custom-domains/certificates/fulfil-order.ts';
import {
  checkServed,
  deliverCertificate,
  readCertificate,
  readRenewalTime,
} from '../../../activities/custom-domains/certificates/keep-served.ts';
import { placeCertificateOrder } from '../../../activities/custom-domains/certificates/place-order.ts';
import { certificateAuthoritySuite } from '../../ports/certificate-authority.ts';
import { type CertificateWorld, startCertificateWorld } from '../../support/certificate-world.ts';
import { patience } from '../../support/patience.ts';

const owner = (service: string) => ({ service, environment: 'prod' as const });

describe('certificates of a real authority, which refuses a third of all nonces', () => {
  let world: CertificateWorld;
  before(async () => {
    world = await startCertificateWorld();
  });
  after(() => world.stop());

  let hosts = 0;
  certificateAuthoritySuite(() => ({
    ...{ authority: world.deps.authority, keys: world.deps.keys, answers: world.deps.answers },
    newHost: () => {
      hosts += 1;
      return world.customer(`suite-${hosts}`, 'suite');
    },
  }));

  const issue = async (service: string, names: readonly string[]) => {
    const placed = await placeCertificateOrder(world.deps, { ...owner(service), names }, patience());
    assert.equal(placed.kind, 'placed');
    return await fulfilCertificateOrder(world.deps, owner(service), patience());
  };
  const challengesLeft = async () =>
    await readdir(join(world.edge.edge.directory, 'challenges')).catch((): string[] => []);

  it('are issued for an apex and its www, served, and leave no answer behind', async () => {
    const names = [await world.customer('', 'shop'), await world.customer('www', 'shop')];
    const issued = await issue('shop', names);
    assert.ok(issued.kind === 'issued');
    assert.deepEqual(issued.certificate.names, names);
    assert.deepEqual(await challengesLeft(), []);
    const unserved = await checkServed(world.deps, { ...owner('shop'), host: names[0] ?? '' }, patience());
    assert.match(unserved.kind === 'not served' ? unserved.reason : '', /does not complete a TLS handshake/);
    await deliverCertificate(world.deps, { ...owner('shop'), hosts: names });
    for (const host of names) {
      assert.deepEqual(await checkServed(world.deps, { ...owner('shop'), host }, patience()), { kind: 'served' });
    }
    assert.deepEqual(await readCertificate(world.deps, owner('shop')), issued.certificate);
  });

  it('with a wildcard are issued by records in DNS, which are gone afterwards', async () => {
    await world.customer('', 'wild');
    const name = `*.${world.zone}`;
    const issued = await issue('wild', [name]);
    assert.ok(issued.kind === 'issued');
    await assert.rejects(world.dns.resolver().resolveTxt(`_acme-challenge.${world.zone}`));
    const again = await placeCertificateOrder({ ...world.deps }, { ...owner('wild'), names: [name] }, patience());
    assert.equal(again.kind, 'placed');
    const without = await fulfilCertificateOrder({ ...world.deps, challengeRecords: null }, owner('wild'), patience());
    assert.match(without.kind === 'failed' ? (without.failures[0]?.reason ?? '') : '', /DNS that the platform manages/);
  });

  it('name those that failed, with what the authority saw, and not the others', async () => {
    const good = await world.customer('good', 'mixed');
    const bad = `bad.${world.zone}`;
    const failed = await issue('mixed', [bad, good]);
    assert.ok(failed.kind === 'failed');
    assert.deepEqual(
      failed.failures.map(({ host }) => host),
      [bad],
    );
    assert.match(failed.failures[0]?.reason ?? '', /bad\.customer\.example/);
    assert.deepEqual(await challengesLeft(), []);
    assert.equal((await world.deps.records.find(owner('mixed')))?.order, null);
    assert.equal((await issue('mixed', [good])).kind, 'issued');
  });

  it('are refused for names that the authority does not certify, which it names', async () => {
    const names = ['blocked.example', await world.customer('free', 'blocked')];
    const refused = await placeCertificateOrder(world.deps, { ...owner('blocked'), names }, patience());
    assert.ok(refused.kind === 'refused');
    assert.deepEqual(
      refused.failures.map(({ host }) => host),
      names.slice(0, 1),
    );
  });

  it('are asked for again only after CAA records let this authority issue', async () => {
    const host = await world.customer('caa', 'caa');
    const setCaa = (contents: readonly string[]) =>
      world.dns.setRecords(world.zone, { name: world.zone, type: 'CAA', contents });
    await setCaa(['0 issue "other.example"']);
    const orders = world.pebble.orders();
    const refused = await placeCertificateOrder(world.deps, { ...owner('caa'), names: [host] }, patience());
    assert.ok(refused.kind === 'refused');
    assert.match(refused.failures[0]?.reason ?? '', /CAA records of customer\.example .* 0 issue "ca\.example"/);
    assert.equal(world.pebble.orders(), orders, 'nothing was asked of the authority');
    await setCaa(['0 issue "other.example"', '0 issue "ca.example"']);
    assert.equal((await issue('caa', [host])).kind, 'issued');
    await setCaa([]);
  });

  it('an order of a worker that was killed is gone on with by the next one', async () => {
    const host = await world.customer('resumed', 'resumed');
    await placeCertificateOrder(world.deps, { ...owner('resumed'), names: [host] }, patience());
    const placed = (await world.deps.records.find(owner('resumed')))?.order;
    // Another worker has none of what the first one had in memory.
    const deps = { ...world.deps, authority: world.newAuthority() };
    const resumed = await placeCertificateOrder(deps, { ...owner('resumed'), names: [host] }, patience());
    assert.deepEqual(resumed, { kind: 'placed', url: placed?.url });
    assert.equal((await deps.records.find(owner('resumed')))?.order?.url, placed?.url);
    const issued = await fulfilCertificateOrder(deps, owner('resumed'), patience());
    const again = await fulfilCertificateOrder(deps, owner('resumed'), patience());
    assert.deepEqual(again, issued, 'an answer that was lost is given again');
  });

  it('are renewed when the authority says, in place of the one before', async () => {
    const host = await world.customer('renewed', 'renewed');
    await issue('renewed', [host]);
    const current = (await world.deps.records.find(owner('renewed')))?.current;
    assert.ok(current);
    assert.match(current.renewalId ?? '', /^[^.]+\.[^.]+$/);
    const before = await readRenewalTime(world.deps, owner('renewed'), patience());
    // Pebble takes any of its profiles, of six days or ninety, where it is asked for none.
    assert.ok(Date.parse(before.renewAt) > Date.now() + 3 * 86_400_000);
    const hour = 3_600_000;
    const window = { start: new Date(Date.now() - 2 * hour), end: new Date(Date.now() - hour) };
    await world.pebble.moveRenewal(current.chain, window);
    const moved = await readRenewalTime(world.deps, owner('renewed'), patience());
    assert.ok(Date.parse(moved.renewAt) >= window.start.getTime() && Date.parse(moved.renewAt) <= window.end.getTime());
    assert.equal((await issue('renewed', [host])).kind, 'issued');
    const next = (await world.deps.records.find(owner('renewed')))?.current;
    assert.notEqual(next?.fingerprint, current.fingerprint);
    assert.ok(next !== undefined && new X509Certificate(next?.chain ?? '').checkHost(host));
    // The one before is replaced already: an order that says so again is refused, and placed without it.
    await placeCertificateOrder(
      {
        ...world.deps,
        records: { ...world.deps.records, find: async () => ({ ...owner('renewed'), order: null, current }) },
      },
      { ...owner('renewed'), names: [host] },
      patience(),
    );
  });

  it('all workers have one account', async () => {
    const [one, other] = await Promise.all(
      [world.newAuthority(), world.newAuthority()].map((ca) => ca.describe(patience())),
    );
    assert.equal(one?.accountUrl, other?.accountUrl);
    assert.deepEqual(one?.caaIdentities, ['ca.example']);
  });

  it('keys are in no place but sealed, and in the files of the router', async () => {
    const text = JSON.stringify([
      await world.deps.records.find(owner('shop')),
      await world.accounts.find(world.pebble.directoryUrl),
    ]);
    assert.doesNotMatch(text, /PRIVATE KEY/);
  });
});

describe('certificates of an authority that binds accounts', () => {
  const hmacKey = Buffer.from('a key of thirty-two bytes length').toString('base64url');

  it('are issued to an account that is bound, by the profile that is asked for', async () => {
    const externalAccount = { keyId: 'kid-1', hmacKey };
    await using stack = new AsyncDisposableStack();
    const options = { externalAccounts: { 'kid-1': hmacKey }, externalAccount, profile: 'shortlived' };
    const world = stack.adopt(await startCertificateWorld(options), ({ stop }) => stop());
    const host = await world.customer('bound', 'bound');
    await placeCertificateOrder(world.deps, { ...owner('bound'), names: [host] }, patience());
    const issued = await fulfilCertificateOrder(world.deps, owner('bound'), patience());
    assert.ok(issued.kind === 'issued');
    const days = (Date.parse(issued.certificate.notAfter) - Date.now()) / 86_400_000;
    assert.ok(days > 5.9 && days < 6.1, `${days} days`);
  });

  it('are refused to one that is not', async () => {
    await using stack = new AsyncDisposableStack();
    const world = stack.adopt(await startCertificateWorld({ externalAccounts: { 'kid-1': hmacKey } }), ({ stop }) =>
      stop(),
    );
    const host = await world.customer('unbound', 'unbound');
    await assert.rejects(placeCertificateOrder(world.deps, { ...owner('unbound'), names: [host] }, patience()), {
      ...{ code: 'CERTIFICATE_REFUSED', retryable: false },
    });
  });
});
