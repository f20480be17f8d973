import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { LedgerSource } from '../../../domain/audit/ports.ts';
import type { Receipt } from '../../../domain/audit-ledger/receipt.ts';
import type { EventQueue } from '../../../sdk/audit/audit-event.ts';
import { createForwarder, type Forwarder, type ForwarderOptions, MOST_FAULTS } from '../../../sdk/audit/forwarder.ts';
import { connectLedger } from '../../../sdk/audit/ledger-connection.ts';
import { openOutbox } from '../../../sdk/audit/outbox.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startTestLedger } from './test-ledger.ts';

/** A patient forwarder of an outbox, and a ledger whose answers each test chooses. */
describe('the forwarder', () => {
  let ledger: Awaited<ReturnType<typeof startTestLedger>>;
  let folder: string;
  let outbox: EventQueue;
  let forwarder: Forwarder;
  const results: (readonly [string, Receipt | Error])[] = [];
  const troubles: Error[] = [];
  beforeEach(async () => {
    ledger = await startTestLedger();
    folder = mkdtempSync(join(tmpdir(), 'forwarder-'));
    outbox = openOutbox({ folder });
    results.length = 0;
    troubles.length = 0;
  });
  afterEach(async () => {
    await forwarder.stop();
    await outbox.close();
    await ledger.stop();
    rmSync(folder, { recursive: true });
  });

  const connect = (options: { url?: string; requestLimitMs?: number; fetch?: typeof globalThis.fetch } = {}) =>
    connectLedger({ url: ledger.url, credential: { kind: 'key', key: 'key' }, fetch, ...options });
  function forward(changes: Partial<ForwarderOptions> = {}): void {
    forwarder = createForwarder({
      source: outbox,
      ledger: connect(),
      patient: true,
      delaysMs: [5, 10],
      onResult: ({ key }, result) => results.push([key, result]),
      onTrouble: (error) => troubles.push(error),
      ...changes,
    });
    forwarder.wake();
  }
  async function put(...names: string[]): Promise<void> {
    for (const name of names) {
      await outbox.add({ key: name, body: JSON.stringify({ eventType: 'order.placed', entityId: name }) });
    }
  }
  const untilResults = (count: number) => waitUntil(`${count} results`, () => results.length >= count);
  const sent = () => ledger.received.map(({ key }) => key);
  const numbered = (count: number) => Array.from({ length: count }, (_, number) => `event-${number}`);

  it('tells all in order, each under its key, with a batch at most in memory', async () => {
    const limits: number[] = [];
    const counting: LedgerSource = {
      ...outbox,
      readNext: async (limit) => {
        const events = await outbox.readNext(limit);
        limits.push(events.length);
        return events;
      },
    };
    await put(...numbered(25));
    forward({ source: counting, batch: 10 });
    await untilResults(25);
    await forwarder.drained(AbortSignal.timeout(5_000));
    assert.deepEqual(sent(), numbered(25));
    assert.deepEqual(limits, [10, 10, 5, 0]);
    assert.equal(outbox.size, 0);
  });

  it('sends events that come while it sends, and events that come while it is idle', async () => {
    forward();
    await forwarder.drained(AbortSignal.timeout(5_000));
    await put('first');
    forwarder.wake();
    await put('second');
    forwarder.wake();
    await untilResults(2);
    assert.deepEqual(sent(), ['first', 'second']);
  });

  it('finds waiting events after a while, without being called', async () => {
    forward({ pollMs: 20 });
    await forwarder.drained(AbortSignal.timeout(5_000));
    await put('unheard');
    await untilResults(1);
    assert.deepEqual(sent(), ['unheard']);
  });

  it('waits out a ledger that is away, in order, and says once that events wait', async () => {
    await ledger.stop();
    await put('first', 'second');
    let attempts = 0;
    const counting: typeof fetch = (...args) => {
      attempts += 1;
      return fetch(...args);
    };
    forward({ ledger: connect({ fetch: counting }) });
    await waitUntil('a few attempts', () => attempts > 3);
    assert.deepEqual([results, troubles.length], [[], 1]);
    const port = Number(new URL(ledger.url).port);
    ledger = await startTestLedger(port);
    await untilResults(2);
    assert.deepEqual(sent(), ['first', 'second']);
  });

  it('asks again, under the same key, a ledger that takes too long', async () => {
    await put('slow', 'next');
    const held = Promise.withResolvers<void>();
    ledger.gate = held.promise;
    forward({ ledger: connect({ requestLimitMs: 100 }) });
    await waitUntil('a second attempt', () => ledger.received.length > 1);
    await forwarder.stop();
    held.resolve();
    forward();
    await untilResults(2);
    assert.deepEqual([...new Set(sent())], ['slow', 'next']);
    assert.deepEqual(
      results.map(([key]) => key),
      ['slow', 'next'],
    );
  });

  it('keeps events when an answer is not the ledger’s', async () => {
    const page = '<html>it works</html>';
    for (const status of [200, 201, 404, 403, 400, 502]) ledger.statuses.push({ status, page });
    ledger.statuses.push(429, 401, 500);
    await put('first', 'second');
    forward();
    await untilResults(2);
    assert.deepEqual(sent(), [...Array.from({ length: 10 }, () => 'first'), 'second']);
    assert.ok(results.every(([, result]) => !(result instanceof Error)));
  });

  it('sets aside an event that the ledger refuses, and sends the next', async () => {
    ledger.statuses.push(201, 400);
    await put('first', 'refused', 'last');
    forward();
    await untilResults(3);
    const outcomes = results.map(([key, result]) => [key, result instanceof Error]);
    assert.deepEqual(outcomes, [
      ['first', false],
      ['refused', true],
      ['last', false],
    ]);
    assert.deepEqual(sent(), ['first', 'refused', 'last']);
    assert.equal(outbox.size, 0);
  });

  it('sets aside an event that fails at the ledger many times, and sends the next', async () => {
    ledger.statuses.push(...Array.from({ length: MOST_FAULTS }, () => 500));
    await put('poisoned', 'next');
    forward({ delaysMs: [1] });
    await untilResults(2);
    assert.deepEqual([...new Set(sent())], ['poisoned', 'next']);
    assert.deepEqual(
      results.map(([key, result]) => [key, result instanceof Error]),
      [
        ['poisoned', true],
        ['next', false],
      ],
    );
    assert.match(readFileSync(join(folder, 'refused.jsonl'), 'utf8'), /"poisoned".*"INTERNAL"/);
  });

  it('waits for a ledger without its database, however long', async () => {
    ledger.statuses.push(...Array.from({ length: MOST_FAULTS + 10 }, () => 503));
    await put('first');
    forward({ delaysMs: [1] });
    await untilResults(1);
    assert.ok(!(results[0]?.[1] instanceof Error));
  });

  it('sets aside an event that cannot be sent: too large for a proxy, or with a key that no header may have', async () => {
    ledger.statuses.push({ status: 413, page: '<html>too large</html>' });
    await put('large', 'two\nlines', '€', 'next');
    forward();
    await untilResults(4);
    assert.deepEqual(sent(), ['large', 'next']);
    assert.deepEqual(
      results.map(([key, result]) => [key, result instanceof Error]),
      [
        ['large', true],
        ['two\nlines', true],
        ['€', true],
        ['next', false],
      ],
    );
  });

  it('tells an event again when it could not be marked, under the same key', async () => {
    await put('first', 'second');
    let marks = 0;
    const forgetful: LedgerSource = {
      ...outbox,
      markDelivered: async (event) => {
        marks += 1;
        if (marks === 1) throw new Error('the database is away');
        await outbox.markDelivered(event);
      },
    };
    forward({ source: forgetful });
    await waitUntil('nothing waits', () => outbox.size === 0);
    assert.deepEqual(sent(), ['first', 'first', 'second']);
    assert.match(troubles[0]?.message ?? '', /the database is away/);
  });

  it('continues when a source that could not be read can be read again', async () => {
    await put('first');
    let reads = 0;
    const away: LedgerSource = {
      ...outbox,
      readNext: async (limit) => {
        reads += 1;
        if (reads < 4) throw new Error('the database is away');
        return await outbox.readNext(limit);
      },
    };
    forward({ source: away });
    await untilResults(1);
    assert.equal(troubles.length, 1);
  });

  it('stops after the event that is on its way; the rest waits for the next', async () => {
    await put(...numbered(3));
    const held = Promise.withResolvers<void>();
    ledger.gate = held.promise;
    forward();
    await waitUntil('one is on its way', () => ledger.received.length === 1);
    const stopped = forwarder.stop();
    held.resolve();
    await stopped;
    assert.deepEqual(sent(), ['event-0']);
    assert.equal(outbox.size, 2);
  });

  it('finishes with all told, or at the first failure, or when the time is up', async () => {
    await put(...numbered(5));
    forward();
    await forwarder.finish({ timeoutMs: 60_000 });
    assert.equal(outbox.size, 0);
    await put('failing', 'after');
    ledger.statuses.push(503);
    forward({ delaysMs: [60_000] });
    await waitUntil('it waits', () => troubles.length > 0);
    await forwarder.finish({ timeoutMs: 60_000 });
    forward({ delaysMs: [60_000], ledger: connect({ url: 'http://127.0.0.1:1' }) });
    await forwarder.finish({ timeoutMs: 60_000 });
    assert.equal(outbox.size, 2);
    ledger.gate = new Promise(() => undefined);
    forward({ ledger: connect({ requestLimitMs: 200 }) });
    await forwarder.finish({ timeoutMs: 20 });
    assert.equal(outbox.size, 2);
  });

  it('gives an event up after its delays when it is not patient', async () => {
    ledger.statuses.push(503, 503, 503);
    await put('given-up', 'next');
    forward({ patient: false });
    await untilResults(2);
    assert.deepEqual(sent(), ['given-up', 'given-up', 'given-up', 'next']);
    assert.ok(results[0]?.[1] instanceof Error);
  });
});
