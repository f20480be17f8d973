import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { certificateKeyContext } from '../../../domain/custom-domains/certificates/certificate.ts';
import { CERTIFICATE_REVOKED } from '../../../domain/custom-domains/certificates/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activity, useCertificates } from './use-certificates.ts';

const APEX = 'shop.example.com';
const WWW = 'www.shop.example.com';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('keepCertificate', { timeout: 800_000 }, () => {
  const { world, handle, setNames, state, states, until, waitFor, end, env } = useCertificates();

  it('issues one certificate for apex and www, delivers it, and says that it was seen served', async () => {
    await setNames(APEX, WWW);
    await until(APEX, 'served');
    await until(WWW, 'served');
    assert.deepEqual(
      world.parts.ca.orders().map(({ names, status }) => [names, status]),
      [[[APEX, WWW], 'valid']],
    );
    const [first] = await state();
    assert.ok(first?.servedAt != null && first.notAfter !== null && first.reason === null);
    assert.equal(world.parts.shown(APEX)?.fingerprint, world.parts.shown(WWW)?.fingerprint);
    await end();
  });

  it('removing www keeps the certificate of the apex; another name is ordered with it', async () => {
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    await setNames(APEX);
    await waitFor('the file of www is gone', () => world.parts.shown(WWW) === null);
    assert.deepEqual(await states(), { [APEX]: 'served' });
    assert.equal(world.parts.ca.orders().length, 1);
    await setNames(APEX, 'new.example.com');
    await until('new.example.com', 'served');
    assert.equal(world.parts.ca.orders().length, 2);
    await end();
  });

  it('a name that fails keeps no other from its certificate, says why, and is ordered again later', async () => {
    world.parts.astray.add(WWW);
    await setNames(APEX, WWW);
    await until(APEX, 'served');
    await until(WWW, 'failed');
    assert.match((await state())[1]?.reason ?? '', /www\.shop\.example\.com does not answer/);
    world.parts.astray.clear();
    await env().sleep('1 hour');
    assert.deepEqual(await states(), { [APEX]: 'served', [WWW]: 'served' });
    await end();
  });

  it('a name whose CAA records refuse the authority costs no order', async () => {
    world.parts.closed.add('example.com');
    await setNames(APEX);
    await until(APEX, 'failed');
    assert.match((await state())[0]?.reason ?? '', /CAA records of example\.com/);
    await env().sleep('1 day');
    assert.equal(world.parts.ca.orders().length, 0);
    world.parts.closed.clear();
    await env().sleep('1 day');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  it('keeps certificates of six days: none ends while it is shown', async () => {
    world.parts.ca.state.lifetimeDays = 6;
    await setNames(APEX);
    await until(APEX, 'served');
    for (let day = 0; day < 13; day += 1) {
      await env().sleep('1 day');
      const left = (world.parts.shown(APEX)?.notAfter.getTime() ?? 0) - (await env().currentTimeMs());
      assert.ok(left > 1.5 * DAY, `${left / DAY} days are left on day ${day}`);
    }
    const { length } = world.parts.ca.orders();
    assert.equal(length, 4);
    assert.ok(
      world.parts.ca
        .orders()
        .slice(1)
        .every(({ replaces }) => replaces !== null),
    );
    await end();
  });

  it('renews when the authority moves its window, within hours', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    await env().sleep('2 days');
    const before = world.parts.shown(APEX)?.fingerprint ?? '';
    const now = await env().currentTimeMs();
    world.parts.ca.moveRenewal(before, { start: new Date(now - 2 * HOUR), end: new Date(now - HOUR) });
    await env().sleep('7 hours');
    assert.notEqual(world.parts.shown(APEX)?.fingerprint, before);
    assert.equal(world.parts.ca.orders().length, 2);
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  /** As an earlier run of the workflow left it. */
  const issuedBefore = async (days: number): Promise<void> => {
    const key = 'key-of-before';
    const notBefore = new Date((await env().currentTimeMs()) - days * DAY);
    const facts = { fingerprint: 'f'.repeat(64), notBefore, notAfter: new Date(notBefore.getTime() + 90 * DAY) };
    const certificate = {
      ...{
        ...facts,
        names: [APEX],
        directoryUrl: world.parts.deps.authority.directoryUrl,
        renewalId: 'aki.before',
        orderUrl: null,
      },
      ...{ chain: JSON.stringify({ ...facts, key, names: [APEX] }), issuedAt: notBefore },
      key: world.parts.deps.cipher.seal(key, certificateKeyContext(world.owner)),
    };
    await world.parts.deps.records.keepOrder(world.owner, { ...certificate, url: 'before', placedAt: notBefore });
    await world.parts.deps.records.keepCertificate(world.owner, certificate, 'before');
  };

  it('outlives an authority that is away for 10 of 90 days, and says that it is', async () => {
    await issuedBefore(59);
    await setNames(APEX);
    await until(APEX, 'served');
    const first = world.parts.shown(APEX)?.fingerprint;
    world.parts.ca.state.isAway = true;
    await env().sleep('10 days');
    assert.equal(world.parts.shown(APEX)?.fingerprint, first);
    assert.ok((world.parts.shown(APEX)?.notAfter.getTime() ?? 0) - (await env().currentTimeMs()) > 20 * DAY);
    assert.deepEqual(await states(), { [APEX]: 'served' });
    assert.equal(world.parts.ca.orders().length, 0);
    world.parts.ca.state.isAway = false;
    await env().sleep('3 hours');
    assert.notEqual(world.parts.shown(APEX)?.fingerprint, first);
    assert.equal(world.parts.ca.orders().length, 1);
    await end();
  });

  it('orders once an hour at most, though its authority would have each one renewed at once', async () => {
    await issuedBefore(10);
    const now = await env().currentTimeMs();
    const past = { start: new Date(now - 2 * DAY), end: new Date(now - DAY) };
    for (const serial of ['1', '2', '3', '4', '5'].map((digit) => digit.padStart(64, '0')))
      world.parts.ca.moveRenewal(serial, past);
    world.parts.ca.moveRenewal('before', past);
    await setNames(APEX);
    await env().sleep('150 minutes');
    assert.equal(world.parts.ca.orders().length, 3);
    await end();
  });

  it('says of a new name why it waits while the authority is away', async () => {
    world.parts.ca.state.isAway = true;
    await setNames(APEX);
    await env().sleep('2 hours');
    const [waiting] = await state();
    assert.deepEqual(
      [waiting?.state, waiting?.reason],
      ['waiting', 'The certificate authority at ca.example cannot be reached'],
    );
    world.parts.ca.state.isAway = false;
    await env().sleep('2 hours');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  it('leaves an authority alone for as long as it asks for', async () => {
    world.parts.ca.state.limitedForSeconds = 86_400;
    await setNames(APEX);
    await env().sleep('1 hour');
    world.parts.ca.state.limitedForSeconds = 0;
    assert.equal((await state())[0]?.reason, 'too many orders');
    await env().sleep('22 hours');
    assert.equal(world.calls.filter((name) => name === 'placeCertificateOrder').length, 1);
    await env().sleep('2 hours');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  it('alarms once, five minutes after what was issued is not served, and delivers it again', async () => {
    world.parts.unserved.add(APEX);
    await setNames(APEX);
    await until(APEX, 'issued');
    await env().sleep('4 minutes');
    assert.deepEqual(world.parts.alarms, []);
    assert.match((await state())[0]?.reason ?? '', /another certificate is shown/);
    const before = world.calls.filter((name) => name === 'deliverCertificate').length;
    await env().sleep('3 hours');
    assert.equal(world.parts.alarms.length, 1);
    assert.equal(world.calls.filter((name) => name === 'deliverCertificate').length, before + 1);
    world.parts.unserved.clear();
    await env().sleep('2 hours');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  it('sees within hours that what was served is not any more', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    world.parts.unserved.add(APEX);
    await env().sleep('7 hours');
    assert.deepEqual(await states(), { [APEX]: 'issued' });
    assert.equal(world.parts.alarms.length, 1);
    await end();
  });

  it('replaces a certificate that was revoked at once', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    const before = world.parts.shown(APEX)?.fingerprint;
    await handle().signal(CERTIFICATE_REVOKED);
    await waitFor('another one is shown', () => world.parts.shown(APEX)?.fingerprint !== before);
    await until(APEX, 'served');
    await env().sleep('1 day');
    assert.equal(world.parts.ca.orders().length, 2);
    await end();
  });

  it('replaces a certificate that was revoked no sooner than its authority lets it', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    const before = world.parts.shown(APEX)?.fingerprint;
    world.calls.length = 0;
    world.parts.ca.state.limitedForSeconds = 7_200;
    await handle().signal(CERTIFICATE_REVOKED);
    await waitFor('it is asked for', () => world.calls.includes('placeCertificateOrder'));
    await env().sleep('1 hour');
    assert.equal(world.calls.filter((name) => name === 'placeCertificateOrder').length, 1);
    world.parts.ca.state.limitedForSeconds = 0;
    await env().sleep('2 hours');
    assert.notEqual(world.parts.shown(APEX)?.fingerprint, before);
    await end();
  });

  it('a name that is not served for weeks alarms once, whatever is renewed meanwhile', async () => {
    world.parts.ca.state.lifetimeDays = 6;
    world.parts.unserved.add(APEX);
    await setNames(APEX);
    await until(APEX, 'issued');
    await env().sleep('9 days');
    assert.ok(world.parts.ca.orders().length > 2);
    assert.equal(world.parts.alarms.length, 1);
    world.parts.unserved.clear();
    await env().sleep('1 day');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    world.parts.unserved.add(APEX);
    await env().sleep('1 day');
    assert.equal(world.parts.alarms.length, 2);
    await end();
  });

  it('a look that could not be made says nothing of a name, and is made again after pauses that grow', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    world.faults.before.checkServed = () => {
      throw new FairleadError('UNAVAILABLE', 'others are looked at', { retryable: true });
    };
    world.calls.length = 0;
    await env().sleep('8 hours');
    // Five attempts a look, of which there are some ten in two hours.
    const { length } = world.calls.filter((name) => name === 'checkServed');
    assert.ok(length >= 20 && length <= 80, `${length} attempts`);
    assert.deepEqual([await states(), world.parts.alarms], [{ [APEX]: 'served' }, []]);
    world.parts.unserved.add(APEX);
    world.faults.before = {};
    await env().sleep('30 minutes');
    assert.deepEqual([await states(), world.parts.alarms.length], [{ [APEX]: 'issued' }, 1]);
    await end();
  });

  it('is cancelled without taking anything away, and goes on with what there is', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    const before = world.parts.shown(APEX)?.fingerprint;
    const first = handle();
    await first.cancel();
    // Who awaits the result of a workflow that has no timer any more lets years pass here.
    await waitUntil('it is cancelled', async () => (await first.describe()).status.name === 'CANCELLED');
    assert.equal(world.parts.shown(APEX)?.fingerprint, before);
    await setNames(APEX);
    await until(APEX, 'served');
    assert.deepEqual([world.parts.shown(APEX)?.fingerprint, world.parts.ca.orders().length], [before, 1]);
    await end();
  });

  it('takes nothing away where nobody said which names are wished for', async () => {
    await setNames(APEX);
    await until(APEX, 'served');
    await handle().terminate();
    const tooMany = Array.from({ length: 101 }, (_, index) => `n${index}.example.com`);
    await assert.rejects(setNames(...tooMany));
    await env().sleep('2 minutes');
    assert.equal((await handle().describe()).status.name, 'COMPLETED');
    assert.ok(world.parts.shown(APEX) !== null);
    assert.ok((await world.parts.deps.records.find(world.owner))?.current);
    await setNames(APEX);
    await until(APEX, 'served');
    await end();
  });

  for (const when of ['before', 'after'] as const) {
    it(`a worker that is killed ${when} each step leaves one order, one certificate and nothing else`, async () => {
      const died = new Set<string>();
      const die = (name: Activity) => (): void => {
        if (died.has(name)) return;
        died.add(name);
        throw new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
      };
      const steps: readonly Activity[] = [
        ...(['readCertificate', 'placeCertificateOrder', 'fulfilCertificateOrder', 'deliverCertificate'] as const),
        ...(['checkServed', 'readRenewalTime', 'removeCertificateFiles', 'forgetCertificate'] as const),
      ];
      world.faults[when] = Object.fromEntries(steps.map((name) => [name, die(name)]));
      await setNames(APEX, WWW);
      await env().sleep('10 minutes');
      assert.deepEqual(await states(), { [APEX]: 'served', [WWW]: 'served' });
      assert.equal(world.parts.ca.orders().length, 1);
      await end();
      assert.deepEqual([...died].sort(), [...steps].sort());
      assert.equal(await world.parts.deps.records.find(world.owner), null);
    });
  }

  it('keeps to the limits of authorities, and says until when', async () => {
    for (let count = 0; count < 5; count += 1) {
      const [id, at] = [`earlier-${count}`, new Date((await env().currentTimeMs()) - DAY)];
      await world.parts.deps.orders.note({
        claimants: ['acme'],
        orgs: ['acme'],
        id,
        at,
        names: [APEX],
        failed: [],
        domains: ['example.com'],
      });
    }
    await setNames(APEX);
    await waitFor('it is held back', async () => /exactly these names/.test((await state())[0]?.reason ?? ''));
    assert.equal(world.parts.ca.orders().length, 0);
    await env().sleep('7 days');
    assert.deepEqual(await states(), { [APEX]: 'served' });
    await end();
  });

  it('takes a hundred names and no more', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `n${index}.example.com`);
    await setNames(APEX);
    await assert.rejects(setNames(...names), /WorkflowUpdateFailed|at most 100 names|failed/i);
    await until(APEX, 'served');
    await end();
  });
});
