import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { AddressRecord, DnsRecords } from '../../domain/deploys/dns-records.ts';

/** Records as the zone has them, of any type. */
export interface ShownRecord {
  readonly type: AddressRecord['type'] | 'TXT' | 'MX';
  readonly content: string;
}

export interface DnsRecordsUnderTest {
  readonly records: DnsRecords;
  /** Has somebody else make a record. */
  put(host: string, record: ShownRecord): Promise<void>;
  /** All records of a host, ordered by type. */
  read(host: string): Promise<readonly ShownRecord[]>;
}

const HOST = 'hello.fairlead.example';
const TARGET = '192.0.2.7';
const A: ShownRecord = { type: 'A', content: TARGET };

/** What every {@link DnsRecords} guarantees. */
export function dnsRecordsSuite(create: (t: TestContext) => Promise<DnsRecordsUnderTest>): void {
  for (const [target, record] of [
    [TARGET, A],
    ['2001:DB8::7', { type: 'AAAA', content: '2001:db8::7' }],
    ['ingress.fairlead.example', { type: 'CNAME', content: 'ingress.fairlead.example' }],
    ['Ingress.Fairlead.example.', { type: 'CNAME', content: 'ingress.fairlead.example' }],
  ] as const) {
    it(`makes a host lead to ${target}, once, however often it is asked`, async (t) => {
      const { records, read } = await create(t);
      assert.deepEqual(await records.ensure(HOST, target), { record, outcome: 'created' });
      assert.deepEqual(await records.ensure(HOST, target), { record, outcome: 'kept' });
      assert.deepEqual(await read(HOST), [record]);
    });
  }

  it('has one record of a host that many ask for at once', async (t) => {
    const { records, read } = await create(t);
    await Promise.all([1, 2, 3, 4].map(() => records.ensure(HOST, TARGET)));
    assert.deepEqual(await read(HOST), [A]);
  });

  it('replaces a record that it made, also by one of another type', async (t) => {
    const { records, read } = await create(t);
    await records.ensure(HOST, '192.0.2.1');
    assert.equal((await records.ensure(HOST, TARGET)).outcome, 'changed');
    assert.deepEqual(await read(HOST), [A]);
    assert.equal((await records.ensure(HOST, 'ingress.fairlead.example')).outcome, 'changed');
    assert.deepEqual(await read(HOST), [{ type: 'CNAME', content: 'ingress.fairlead.example' }]);
  });

  for (const record of [
    { type: 'A', content: '198.51.100.9' },
    { type: 'AAAA', content: '2001:db8::9' },
    { type: 'CNAME', content: 'somewhere.example' },
  ] as const) {
    it(`leaves a record of somebody else that leads elsewhere: ${record.type}`, async (t) => {
      const { records, put, read } = await create(t);
      await put(HOST, record);
      await assert.rejects(records.ensure(HOST, TARGET), { code: 'DNS_RECORD_EXISTS', details: { records: [record] } });
      assert.deepEqual(await read(HOST), [record]);
    });
  }

  it('a record of somebody else that leads to the target is good', async (t) => {
    const { records, put, read } = await create(t);
    await put(HOST, A);
    assert.equal((await records.ensure(HOST, TARGET)).outcome, 'kept');
    assert.deepEqual(await read(HOST), [A]);
  });

  it('texts and mail servers of the host stay', async (t) => {
    const { records, put, read } = await create(t);
    const others: readonly ShownRecord[] = [
      { type: 'MX', content: '10 mail.example' },
      { type: 'TXT', content: 'v=spf1 -all' },
    ];
    for (const record of others) await put(HOST, record);
    await records.ensure(HOST, '192.0.2.1');
    await records.ensure(HOST, TARGET);
    assert.deepEqual(await read(HOST), [A, ...others]);
  });

  it('leaves other hosts alone', async (t) => {
    const { records, put, read } = await create(t);
    await put('www.fairlead.example', { type: 'A', content: '198.51.100.9' });
    await records.ensure(HOST, TARGET);
    assert.deepEqual(await read('www.fairlead.example'), [{ type: 'A', content: '198.51.100.9' }]);
  });

  it('changes nothing when it is told to stop', async (t) => {
    const { records, read } = await create(t);
    const reason = new Error('cancelled');
    await assert.rejects(records.ensure(HOST, TARGET, AbortSignal.abort(reason)), (error) => error === reason);
    assert.deepEqual(await read(HOST), []);
  });
}
