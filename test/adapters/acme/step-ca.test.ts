import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { fulfilCertificateOrder } from '../../../activities/custom-domains/certificates/fulfil-order.ts';
import {
  checkServed,
  deliverCertificate,
  readRenewalTime,
} from '../../../activities/custom-domains/certificates/keep-served.ts';
import { placeCertificateOrder } from '../../../activities/custom-domains/certificates/place-order.ts';
import { certificateAuthoritySuite } from '../../ports/certificate-authority.ts';
import { startCertificateWorldAt } from '../../support/certificate-world.ts';
import { patience } from '../../support/patience.ts';
import { startStepCa, stepCaMissing } from '../../support/start-step-ca.ts';

const owner = (service: string) => ({ service, environment: 'prod' as const });
const start = () => startCertificateWorldAt(startStepCa);

describe('certificates of another authority, step-ca', { skip: await stepCaMissing() }, () => {
  let world: Awaited<ReturnType<typeof start>>;
  before(async () => {
    world = await start();
  });
  after(() => world?.stop());

  let hosts = 0;
  certificateAuthoritySuite(() => ({
    ...{ authority: world.deps.authority, keys: world.deps.keys, answers: world.deps.answers },
    newHost: () => {
      hosts += 1;
      return world.customer(`suite-${hosts}`, 'suite');
    },
  }));

  const place = async (service: string, names: readonly string[]) => {
    const placed = await placeCertificateOrder(world.deps, { ...owner(service), names }, patience());
    assert.equal(placed.kind, 'placed');
  };
  const issue = async (service: string, names: readonly string[]) => {
    await place(service, names);
    return await fulfilCertificateOrder(world.deps, owner(service), patience());
  };
  const currentOf = async (service: string) => (await world.deps.records.find(owner(service)))?.current;

  it('are issued for an apex and its www, served by the router, and renewed at two thirds of their day', async () => {
    const names = [await world.customer('', 'shop'), await world.customer('www', 'shop')];
    const seen: (string | undefined)[] = [];
    for (const _ of ['the first', 'and its renewal']) {
      assert.equal((await issue('shop', names)).kind, 'issued');
      await deliverCertificate(world.deps, { ...owner('shop'), hosts: names });
      for (const host of names) {
        assert.deepEqual(await checkServed(world.deps, { ...owner('shop'), host }, patience()), { kind: 'served' });
      }
      const current = await currentOf('shop');
      seen.push(current?.fingerprint);
      assert.ok(new X509Certificate(current?.chain ?? '').checkHost(names[1] ?? ''));
      assert.ok(current?.chain.match(/BEGIN CERTIFICATE/g)?.length === 2, 'the chain is served with it');
      const { renewAt } = await readRenewalTime(world.deps, owner('shop'), patience());
      const share = (Date.parse(renewAt) - current.notBefore.getTime()) / (+current.notAfter - +current.notBefore);
      assert.ok(share > 0.6 && share < 0.7, `${share} of the lifetime`);
    }
    assert.notEqual(seen[0], seen[1]);
  });

  it('with a wildcard are issued by records in DNS', async () => {
    await world.customer('', 'wild');
    assert.equal((await issue('wild', [`*.${world.zone}`])).kind, 'issued');
  });

  it('a name that it keeps asking for is given up with what it saw, and the others are issued without it', async () => {
    const [good, bad] = [await world.customer('good', 'mixed'), `bad.${world.zone}`];
    const failed = await issue('mixed', [bad, good]);
    assert.ok(failed.kind === 'failed');
    assert.deepEqual(
      failed.failures.map(({ host }) => host),
      [bad],
    );
    assert.notEqual(failed.failures[0]?.reason ?? '', '');
    assert.equal((await issue('mixed', [good])).kind, 'issued');
  });

  it('an order is gone on with after the authority was killed, and by another worker', async () => {
    const host = await world.customer('resumed', 'resumed');
    await place('resumed', [host]);
    const url = (await world.deps.records.find(owner('resumed')))?.order?.url;
    await world.running.restart();
    const deps = { ...world.deps, authority: world.newAuthority() };
    const resumed = await placeCertificateOrder(deps, { ...owner('resumed'), names: [host] }, patience());
    assert.deepEqual(resumed, { kind: 'placed', url });
    assert.equal((await fulfilCertificateOrder(deps, owner('resumed'), patience())).kind, 'issued');
  });
});
