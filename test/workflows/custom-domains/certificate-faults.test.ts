import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCertificates } from '../../../adapters/temporal/certificates.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { useCertificates } from './use-certificates.ts';

const APEX = 'shop.example.com';
const WWW = 'www.shop.example.com';

describe('a certificate while other parts fail', { timeout: 400_000 }, () => {
  const { world, handle, hold, setNames, setNamesOf, state, states, until, waitFor, end, env } = useCertificates();
  const isRunning = async () => (await handle().describe()).status.name === 'RUNNING';
  const fail = (code: 'INTERNAL' | 'UNAVAILABLE' | 'CONFLICT', retryable: boolean) => () => {
    throw new FairleadError(code, 'the part fails', { retryable });
  };

  for (const retryable of [true, false]) {
    it(`is kept while the alarm that it is not served cannot be mailed${retryable ? '' : ', for good'}`, async () => {
      world.parts.unserved.add(APEX);
      world.faults.before.tellNotServed = fail('UNAVAILABLE', retryable);
      await setNames(APEX);
      await until(APEX, 'issued');
      await env().sleep('1 hour');
      assert.equal(await isRunning(), true);
      const looks = world.calls.filter((name) => name === 'checkServed').length;
      world.faults.before = {};
      world.parts.unserved.clear();
      await env().sleep('2 hours');
      assert.ok(world.calls.filter((name) => name === 'checkServed').length > looks);
      assert.deepEqual(await states(), { [APEX]: 'served' });
      world.parts.alarms.length = 0;
      world.parts.unserved.add(APEX);
      await env().sleep('8 hours');
      assert.equal(world.parts.alarms.length, 1);
      await end();
    });
  }

  for (const retryable of [false, true]) {
    it(`says why the router could not be given it, tells operators, and is given to it once that works${retryable ? ', although it may work soon' : ''}`, async () => {
      world.faults.before.deliverCertificate = fail('INTERNAL', retryable);
      await setNames(APEX);
      await until(APEX, 'issued');
      await env().sleep(retryable ? '2 hours' : '30 minutes');
      assert.equal(await isRunning(), true);
      assert.equal((await state())[0]?.reason, 'it could not be given to the router: the part fails');
      assert.equal(world.parts.alarms.length, 1);
      world.faults.before = {};
      await env().sleep('10 minutes');
      assert.deepEqual([await states(), world.parts.ca.orders().length], [{ [APEX]: 'served' }, 1]);
      await end();
    });
  }

  it('answers who takes a name away before they stop waiting, although its file cannot be removed', async () => {
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    world.faults.before.removeCertificateFiles = fail('UNAVAILABLE', true);
    const asked = await env().currentTimeMs();
    await setNames(APEX);
    const waitedMs = (await env().currentTimeMs()) - asked;
    // What the workflow may wait for before is to be added; the caller waits for 25 seconds.
    assert.ok(waitedMs < 13_000, `${waitedMs} ms`);
    world.faults.before = {};
    await waitFor('the file is removed', () => world.parts.shown(WWW) === null);
    await end();
  });

  it('is ordered anew where nothing is kept of it', async () => {
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    await setNames(APEX);
    await world.parts.deps.records.remove(world.owner, world.parts.shown(APEX)?.fingerprint ?? null);
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    assert.equal(world.parts.ca.orders().length, 2);
    await end();
  });

  it('is no certificate for readers once its workflow has ended by force', async () => {
    const { read } = createCertificates(env().client, () => 'an-id');
    await setNames(APEX);
    await until(APEX, 'served');
    assert.deepEqual(
      (await read(world.owner)).map(({ state: is }) => is),
      ['served'],
    );
    await handle().terminate();
    await waitUntil('nothing is read of it', async () => (await read(world.owner)).length === 0);
    assert.deepEqual(await read({ service: 'none', environment: 'prod' }), []);
    await setNames(APEX);
    await until(APEX, 'served');
    await end();
  });

  it('leaves no file of a name that is taken away when the update answers, also while an order is under way', async () => {
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    const { promise, resolve } = Promise.withResolvers<void>();
    world.faults.before.placeCertificateOrder = () => promise;
    await setNames(APEX, WWW, 'new.example.com');
    await waitFor('it is ordered', () => world.calls.filter((name) => name === 'placeCertificateOrder').length > 1);
    await setNames(APEX, 'new.example.com');
    assert.equal(world.parts.shown(WWW), null);
    resolve();
    await until('new.example.com', 'served');
    await end();
  });

  it('leaves no file of a name when the update answers that begins its workflow anew', async () => {
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    await handle().terminate();
    await setNames(APEX);
    assert.equal(world.parts.shown(WWW), null);
    await end();
  });

  it('of a former holder is removed, and that of the new one stays', async () => {
    const [former, next] = [world.owner, { ...world.owner, service: `${world.owner.service}-next` }];
    await setNames(APEX, WWW);
    await until(WWW, 'served');
    const before = world.parts.shown(WWW)?.fingerprint;
    hold(former, [APEX]);
    await setNamesOf(next, WWW);
    await waitFor('the next holder is served', () => world.parts.shown(WWW)?.fingerprint !== before);
    const shown = world.parts.shown(WWW)?.fingerprint;
    await setNames(APEX);
    assert.equal(world.parts.shown(WWW)?.fingerprint, shown);
    await env().sleep('1 hour');
    assert.equal(world.parts.shown(WWW)?.fingerprint, shown);
    await setNamesOf(next);
    await handle(next).result();
    await end();
  });
});
