import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { isReceiptSigned, type Receipt } from '../../../domain/audit-ledger/receipt.ts';
import { verifyChain } from '../../../domain/audit-ledger/verify-chain.ts';
import { collect } from '../../ports/audit-ledger/collect.ts';
import { type LedgerProcess, startLedgerProcess } from '../../support/ledger-process.ts';
import { startMongo } from '../../support/start-mongo.ts';

const EVENTS = 8_000;
const EMITTERS = 32;
const PROCESSES = 4;
const KILL_AFTER = 2_500;
/** Every fourth emitter sends keys, by which it knows that what it repeats is written once. */
const KEYED_EVERY = 4;

interface Acknowledged {
  readonly entityId: string;
  readonly receipt: Receipt;
}

describe('many emitters, many processes, one of them killed', { timeout: 300_000 }, () => {
  it('leaves no gap and no fork, keeps every acknowledged event, and every receipt verifies', async () => {
    const mongo = await startMongo();
    const seed = randomBytes(32);
    const common = { mongodbUri: mongo.uri, key: randomBytes(32).toString('hex'), signingKey: seed.toString('base64') };
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => startLedgerProcess(common)));
    try {
      const { acknowledged, unanswered } = await emitAll(processes);
      const chain = await collect(createEventStore({ db: mongo.connection.db }).stream('shop', 0));
      const { keys } = createLedgerSigner([seed]);
      assert.equal(acknowledged.length, EVENTS);
      assert.ok(unanswered > 0, 'the kill came too late to cut anything off');
      assert.deepEqual(await holds(chain), { valid: true, count: chain.length });
      for (const { entityId, receipt } of acknowledged) {
        assert.ok(isReceiptSigned(receipt, keys));
        const { eventHash, id, entityId: stored } = chain[receipt.chainIndex] ?? assert.fail('an event is missing');
        assert.deepEqual([eventHash, id, stored], [receipt.eventHash, receipt.eventId, entityId]);
      }
      // What was under way in the killed process may have been written without an answer, and nothing else.
      assert.ok(chain.length >= EVENTS && chain.length <= EVENTS + unanswered, `${chain.length}, ${unanswered}`);
      const keyed = chain.filter(({ idempotency }) => idempotency !== null);
      assert.equal(new Set(keyed.map(({ entityId }) => entityId)).size, keyed.length);
    } finally {
      await Promise.all(processes.map((process) => process.kill('SIGKILL')));
      await mongo.stop();
    }
  });
});

async function holds(chain: readonly LedgerEvent[]) {
  const { valid, count } = await verifyChain(chain);
  return { valid, count };
}

/** Emits until all are acknowledged, killing the first process on the way. Emitters of a dead process go to the next. */
async function emitAll(processes: readonly LedgerProcess[]) {
  const acknowledged: Acknowledged[] = [];
  let next = 0;
  let unanswered = 0;
  let killed: Promise<void> | null = null;

  async function emitter(number: number): Promise<void> {
    let target = number % PROCESSES;
    while (next < EVENTS) {
      const entityId = `e-${next}`;
      next += 1;
      for (;;) {
        const receipt = await emit(processes[target] ?? assert.fail(), entityId, number % KEYED_EVERY === 0);
        if (receipt !== null) {
          acknowledged.push({ entityId, receipt });
          break;
        }
        unanswered += 1;
        target = (target + 1) % PROCESSES;
      }
      if (acknowledged.length >= KILL_AFTER) killed ??= processes[0]?.kill('SIGKILL') ?? null;
    }
  }
  await Promise.all(Array.from({ length: EMITTERS }, (_, number) => emitter(number)));
  await killed;
  return { acknowledged, unanswered };
}

/** Null when no answer came. */
async function emit({ url, key }: LedgerProcess, entityId: string, keyed: boolean): Promise<Receipt | null> {
  const headers = { 'content-type': 'application/json', 'x-internal-key': key };
  const body = JSON.stringify({ namespace: 'shop', eventType: 'load.emitted', entityId, data: { entityId } });
  const request = { method: 'POST', headers: keyed ? { ...headers, 'idempotency-key': entityId } : headers, body };
  const answer = await fetch(`${url}/v1/events/emit`, request).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => null,
  );
  if (answer === null) return null;
  assert.equal(answer.status, 201, answer.text);
  return JSON.parse(answer.text).data.receipt;
}
