import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredCertificate, StoredOrder } from '../../domain/custom-domains/certificates/certificate.ts';
import type { AcmeAccounts, CertificateRecords, OrderLog } from '../../domain/custom-domains/certificates/stores.ts';

const AUTHORITY = { directoryUrl: 'https://ca.example/directory', names: ['example.com'] } as const;
const KEY = { keyId: '01234567', sealed: 'c2VhbGVk' } as const;

export const storedOrder = (url: string): StoredOrder => {
  return { ...AUTHORITY, key: KEY, url, placedAt: new Date('2026-01-01T00:00:00Z') };
};

export const storedCertificate = (fingerprint: string): StoredCertificate => ({
  ...{ ...AUTHORITY, key: KEY, fingerprint, renewalId: 'aki.serial', chain: 'PEM' },
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2026-04-01T00:00:00Z'),
  issuedAt: new Date('2026-01-01T00:01:00Z'),
  orderUrl: '1',
});

let made = 0;
const newOwner = () => {
  made += 1;
  return { service: `certified-${made}`, environment: 'prod' } as const;
};

/** What every {@link CertificateRecords} guarantees. */
export function certificateRecordsSuite(open: () => CertificateRecords): void {
  describe('CertificateRecords', () => {
    it('an order is kept until it is dropped or has come to a certificate', async () => {
      const [records, owner] = [open(), newOwner()];
      assert.equal(await records.find(owner), null);
      assert.deepEqual(await records.keepOrder(owner, storedOrder('1')), storedOrder('1'));
      assert.deepEqual(await records.find(owner), { ...owner, order: storedOrder('1'), current: null });
      await records.dropOrder(owner, '1');
      assert.deepEqual(await records.find(owner), { ...owner, order: null, current: null });
      await records.keepOrder(owner, storedOrder('2'));
      await records.keepCertificate(owner, storedCertificate('aa'), '2');
      assert.deepEqual(await records.find(owner), { ...owner, order: null, current: storedCertificate('aa') });
    });

    it('an order in hand is not replaced, and what belongs to another order changes nothing', async () => {
      const [records, owner] = [open(), newOwner()];
      const kept = await Promise.all(['1', '2', '3'].map((url) => records.keepOrder(owner, storedOrder(url))));
      assert.equal(new Set(kept.map(({ url }) => url)).size, 1);
      await records.dropOrder(owner, 'another');
      await records.keepCertificate(owner, storedCertificate('aa'), 'another');
      const found = await records.find(owner);
      assert.deepEqual([found?.order?.url, found?.current], [kept[0]?.url, null]);
    });

    it('the certificate stays while the next one is ordered', async () => {
      const [records, owner] = [open(), newOwner()];
      await records.keepOrder(owner, storedOrder('1'));
      await records.keepCertificate(owner, storedCertificate('aa'), '1');
      await records.keepOrder(owner, storedOrder('2'));
      assert.deepEqual((await records.find(owner))?.current, storedCertificate('aa'));
    });

    it('keys are sealed anew in their places, and only there where they still are', async () => {
      const [records, owner] = [open(), newOwner()];
      await records.keepOrder(owner, storedOrder('1'));
      await records.keepCertificate(owner, storedCertificate('aa'), '1');
      await records.keepOrder(owner, storedOrder('2'));
      const to = { keyId: '89abcdef', sealed: 'bmV3' };
      await records.reseal(owner, 'current', { from: KEY, to });
      await records.reseal(owner, 'current', { from: KEY, to: { ...to, sealed: 'late' } });
      const found = await records.find(owner);
      assert.deepEqual([found?.order?.key, found?.current?.key], [KEY, to]);
      await records.reseal(owner, 'order', { from: KEY, to });
      assert.deepEqual((await records.find(owner))?.order, { ...storedOrder('2'), key: to });
      const listed: string[] = [];
      for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
        const page = await records.list({ cursor, limit: 1 });
        listed.push(...page.items.map(({ service }) => service));
        cursor = page.nextCursor;
      }
      assert.equal(listed.filter((service) => service === owner.service).length, 1);
    });

    it('is removed once or twice, and by itself', async () => {
      const [records, owner, other] = [open(), newOwner(), newOwner()];
      await records.keepOrder(owner, storedOrder('1'));
      await records.keepOrder(other, storedOrder('1'));
      await records.remove(owner, null);
      await records.remove(owner, null);
      assert.equal(await records.find(owner), null);
      assert.equal(await records.find({ ...other, environment: 'uat' }), null);
      assert.ok((await records.find(other)) !== null);
    });

    it('is removed only while its certificate is the one that is named', async () => {
      const [records, owner] = [open(), newOwner()];
      await records.keepOrder(owner, storedOrder('1'));
      await records.keepCertificate(owner, storedCertificate('aa'), '1');
      await records.remove(owner, null);
      await records.remove(owner, 'bb');
      assert.deepEqual((await records.find(owner))?.current, storedCertificate('aa'));
      await records.remove(owner, 'aa');
      assert.equal(await records.find(owner), null);
    });
  });
}

/** What every {@link OrderLog} guarantees. */
export function orderLogSuite(open: () => OrderLog): void {
  describe('OrderLog', () => {
    it('finds orders of a domain, and of an org, since a time, each once, and whether they failed', async () => {
      const log = open();
      const at = new Date(Date.now() - 60_000);
      const ofAcme = { claimants: ['acme'], orgs: ['acme'] };
      const order = { ...ofAcme, names: ['a.one.example'], at, failed: [], domains: ['one.example'] };
      await log.note({ ...order, id: 'order-1' });
      await log.note({ ...order, id: 'order-1' });
      await log.note({ ...order, id: 'order-2', claimants: ['globex'], orgs: [], domains: ['two.example'] });
      await log.note({ ...order, id: 'order-3', at: new Date(at.getTime() - 60_000) });
      await log.noteFailure('order-1', order.names);
      await log.noteFailure('unknown', order.names);
      const since = new Date(at.getTime() - 1);
      const found = (org: string, ...domains: readonly string[]) => log.since(since, { orgs: [org], domains });
      const first = { ...ofAcme, names: order.names, at, failed: order.names };
      assert.deepEqual(await found('nobody', 'one.example'), [first]);
      assert.deepEqual(await found('acme', 'one.example'), [first]);
      assert.deepEqual(await found('acme', 'three.example'), [first]);
      assert.equal((await found('acme', 'two.example')).length, 2);
      assert.deepEqual(await found('nobody', 'three.example'), []);
      assert.equal((await found('globex', 'three.example')).length, 1);
    });
  });
}

/** What every {@link AcmeAccounts} guarantees. */
export function acmeAccountsSuite(open: () => AcmeAccounts): void {
  describe('AcmeAccounts', () => {
    it('of many that open one at once, all have the same', async () => {
      const accounts = open();
      const directoryUrl = 'https://ca.example/directory';
      assert.equal(await accounts.find(directoryUrl), null);
      const keys = ['a', 'b', 'c'].map((sealed) => ({ keyId: '01234567', sealed }));
      const kept = await Promise.all(keys.map((key) => accounts.keep({ directoryUrl, key, url: null })));
      assert.equal(new Set(kept.map(({ key }) => key.sealed)).size, 1);
      await accounts.noteUrl(directoryUrl, 'https://ca.example/account/1');
      assert.equal((await accounts.find(directoryUrl))?.url, 'https://ca.example/account/1');
      assert.equal(await accounts.find('https://other.example/directory'), null);
      const [from, to] = [kept[0]?.key ?? KEY, { keyId: '89abcdef', sealed: 'bmV3' }];
      await accounts.reseal(directoryUrl, { from, to });
      await accounts.reseal(directoryUrl, { from, to: { ...to, sealed: 'late' } });
      const { items } = await accounts.list({ cursor: null, limit: 10 });
      assert.deepEqual(items, [{ directoryUrl, key: to, url: 'https://ca.example/account/1' }]);
    });
  });
}
