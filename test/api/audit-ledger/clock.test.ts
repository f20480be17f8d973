import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { collect } from '../../ports/audit-ledger/collect.ts';
import { type LedgerProcess, startLedgerProcess } from '../../support/ledger-process.ts';
import { startMongo } from '../../support/start-mongo.ts';

const YEAR_MS = 365 * 86_400_000;

describe('processes of one ledger whose clocks are wrong', { timeout: 300_000 }, () => {
  it('one that is a year ahead or behind writes nothing, and the events of the others keep the right time', async () => {
    const mongo = await startMongo();
    const common = { mongodbUri: mongo.uri, key: randomBytes(32).toString('hex') };
    const [right, ...wrong] = await Promise.all([
      startLedgerProcess(common),
      startLedgerProcess({ ...common, aheadMs: YEAR_MS }),
      startLedgerProcess({ ...common, aheadMs: -YEAR_MS }),
    ]);
    try {
      const before = Date.now();
      assert.equal((await emit(right)).status, 201);
      for (const process of wrong) {
        const { status, text } = await emit(process);
        assert.equal(status, 503, text);
        assert.match(text, /UNAVAILABLE/);
      }
      for (let times = 0; times < 3; times += 1) assert.equal((await emit(right)).status, 201);
      const events = await collect(createEventStore({ db: mongo.connection.db }).stream('shop', 0));
      assert.equal(events.length, 4);
      for (const { createdAt } of events) {
        assert.ok(createdAt.getTime() >= before - 60_000 && createdAt.getTime() <= Date.now() + 60_000, `${createdAt}`);
      }
    } finally {
      await Promise.all([right, ...wrong].map((process) => process.kill('SIGKILL')));
      await mongo.stop();
    }
  });
});

async function emit({ url, key }: LedgerProcess): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/v1/events/emit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-key': key },
    body: JSON.stringify({ namespace: 'shop', eventType: 'clock.read', entityId: 'clock', data: {} }),
  });
  return { status: answer.status, text: await answer.text() };
}
