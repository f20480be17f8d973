import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fulfilCertificateOrder } from '../../../../activities/custom-domains/certificates/fulfil-order.ts';
import { createHolderOf } from '../../../../activities/custom-domains/certificates/holder-of.ts';
import {
  deliverCertificate,
  forgetCertificate,
} from '../../../../activities/custom-domains/certificates/keep-served.ts';
import { placeCertificateOrder } from '../../../../activities/custom-domains/certificates/place-order.ts';
import { settleFile } from '../../../../activities/custom-domains/certificates/settle-file.ts';
import { createCertificateParts } from '../../../support/in-memory/certificate-parts.ts';

const HOST = 'shop.example.com';
const [FORMER, NEXT] = ['former', 'next'].map((service) => ({ service, environment: 'prod' as const })) as [
  Owner,
  Owner,
];
interface Owner {
  readonly service: string;
  readonly environment: 'prod';
}
const now = new Date('2026-11-01T10:00:00Z');
const { signal } = new AbortController();

/** A name for which two owners had a certificate issued; each has another name beside it. */
async function start() {
  const parts = createCertificateParts(() => now);
  const { deps } = parts;
  const issue = async (owner: Owner) => {
    const names = [HOST, `${owner.service}.example.com`];
    const placed = await placeCertificateOrder(deps, { ...owner, names }, signal);
    assert.ok(placed.kind === 'placed');
    const fulfilled = await fulfilCertificateOrder(deps, { ...owner, url: placed.url }, signal);
    assert.ok(fulfilled.kind === 'issued');
    return fulfilled.certificate.fingerprint;
  };
  return { ...parts, issue, hold: (owner: Owner) => void parts.holders.set(HOST, owner) };
}

describe('the file of a host', () => {
  it('of another holder is neither replaced nor removed by who had the name before', async () => {
    const { deps, issue, hold, shown } = await start();
    await issue(FORMER);
    const next = await issue(NEXT);
    hold(NEXT);
    await deliverCertificate(deps, { ...NEXT, hosts: [HOST] });
    await deliverCertificate(deps, { ...FORMER, hosts: [HOST] });
    assert.equal(shown(HOST)?.fingerprint, next);
    await settleFile(deps, HOST);
    assert.equal(shown(HOST)?.fingerprint, next);
  });

  it('is that of who holds the name in the end, when an attempt was paused that wrote another', async () => {
    const { deps, issue, hold, shown } = await start();
    await issue(FORMER);
    hold(FORMER);
    const next = await issue(NEXT);
    const { put } = deps.files;
    const paused = Promise.withResolvers<void>();
    const files = { ...deps.files, put: (...put_: Parameters<typeof put>) => paused.promise.then(() => put(...put_)) };
    const late = deliverCertificate({ ...deps, files }, { ...FORMER, hosts: [HOST] });
    hold(NEXT);
    await deliverCertificate(deps, { ...NEXT, hosts: [HOST] });
    paused.resolve();
    await late;
    assert.equal(shown(HOST)?.fingerprint, next);
  });

  it('is that of who holds the name in the end, when an attempt was paused that removed it', async () => {
    const { deps, issue, hold, shown } = await start();
    const next = await issue(NEXT);
    const { remove } = deps.files;
    const paused = Promise.withResolvers<void>();
    const files = { ...deps.files, remove: (host: string) => paused.promise.then(() => remove(host)) };
    const late = settleFile({ ...deps, files }, HOST);
    await new Promise(setImmediate);
    hold(NEXT);
    await deliverCertificate(deps, { ...NEXT, hosts: [HOST] });
    paused.resolve();
    await late;
    assert.equal(shown(HOST)?.fingerprint, next);
  });

  it('is gone once nobody holds the name', async () => {
    const { deps, issue, hold, holders, files } = await start();
    await issue(FORMER);
    hold(FORMER);
    await deliverCertificate(deps, { ...FORMER, hosts: [HOST] });
    holders.clear();
    await settleFile(deps, HOST);
    await settleFile(deps, HOST);
    assert.deepEqual([...files.keys()], []);
  });
});

it('a late attempt to forget a certificate takes nothing from who ordered anew', async () => {
  const { deps, issue } = await start();
  const first = await issue(FORMER);
  assert.equal(await forgetCertificate(deps, { ...FORMER, fingerprint: first }), null);
  const second = await issue(FORMER);
  for (const fingerprint of [first, null]) {
    assert.deepEqual(await forgetCertificate(deps, { ...FORMER, fingerprint }), { fingerprint: second });
  }
  assert.equal((await deps.records.find(FORMER))?.current?.fingerprint, second);
});

it('a name is served with the certificate of who holds it in direct mode, and keeps it', async () => {
  const holder = { service: 'shop', environment: 'prod', mode: 'direct', ownedSince: now, removingSince: null };
  const of = (changes: object | null) => {
    const record = changes === null ? { holder: null } : { holder: { ...holder, state: 'active', ...changes } };
    return createHolderOf({ domains: { find: async () => record as never } })(HOST);
  };
  assert.deepEqual(await of({}), { service: 'shop', environment: 'prod' });
  for (const other of [null, { removingSince: now }, { ownedSince: null }, { mode: 'external' }]) {
    assert.equal(await of(other), null);
  }
});
