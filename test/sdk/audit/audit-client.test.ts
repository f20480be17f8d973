import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type AuditClientOptions, createAuditClient, FairleadError, type LostEvent } from '../../../sdk/index.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Provider, startProvider } from '../auth/test-provider.ts';
import { startTestLedger } from './test-ledger.ts';

type Ledger = Awaited<ReturnType<typeof startTestLedger>>;

describe('the audit client', () => {
  let provider: Provider;
  let ledger: Ledger;
  const folders: string[] = [];
  before(async () => {
    provider = await startProvider();
    provider.tokenReply = { status: 200, body: { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 } };
  });
  beforeEach(async (context) => {
    ledger = await startTestLedger();
    const own = ledger;
    // Every test has a ledger of its own.
    if ('after' in context) context.after(() => own.stop());
  });
  after(async () => {
    await provider.stop();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const lost: { error: Error; event: LostEvent }[] = [];
  function make(changes: Partial<AuditClientOptions> = {}) {
    lost.length = 0;
    return createAuditClient({
      auditUrl: ledger.url,
      idpUrl: provider.url,
      clientId: 'shop-prod',
      clientSecret: 'secret-of-shop',
      retryDelaysMs: [5, 5],
      onError: (error, event) => lost.push({ error, event }),
      ...changes,
    });
  }
  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'audit-outbox-'));
    folders.push(folder);
    return folder;
  }
  const order = (number: number) => ({ eventType: 'order.placed', entityId: `order-${number}` });
  const entities = () => ledger.received.map(({ entityId }) => entityId);

  it('records an event with a token of its own, and hands the receipt out', async () => {
    const receipts: string[] = [];
    const client = make({ onReceipt: ({ eventId }) => receipts.push(eventId) });
    const outcome = await client.emit({ ...order(1), data: { amount: 5 } });
    assert.equal(outcome.status, 'recorded');
    assert.equal(ledger.received[0]?.authorization, 'Bearer token-1');
    assert.deepEqual(receipts, ['evt_0']);
    assert.match(provider.seen.at(-1)?.body ?? '', /audience=audit-ledger/);
    await client.close();
  });

  it('keeps the order of the service, however many emits are under way', async () => {
    const client = make();
    await Promise.all(Array.from({ length: 50 }, (_, number) => client.emit(order(number))));
    assert.deepEqual(
      entities(),
      Array.from({ length: 50 }, (_, number) => `order-${number}`),
    );
    await client.close();
  });

  it('never rejects: not for what is no event, nor when a listener throws', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const client = make({
      onError: () => {
        throw new Error('a bad listener');
      },
    });
    assert.equal((await client.emit({ ...order(1), data: circular })).status, 'lost');
    ledger.statuses.push(400);
    assert.equal((await client.emit(undefined as never)).status, 'lost');
    await client.close();
  });

  it('does not retry after a 429, and sends the next event', async () => {
    ledger.statuses.push(429);
    const client = make();
    const [first, second] = await Promise.all([client.emit(order(1)), client.emit(order(2))]);
    assert.deepEqual([first.status, second.status], ['lost', 'recorded']);
    assert.deepEqual(entities(), ['order-1', 'order-2']);
    assert.deepEqual(lost[0]?.event, { eventType: 'order.placed', entityId: 'order-1', lostSoFar: 1 });
    await client.close();
  });

  it('tries again under the same key when the ledger fails, and gives the event up after two more attempts', async () => {
    ledger.statuses.push(503, 500, 201, 503, 503, 503);
    const client = make();
    assert.equal((await client.emit(order(1))).status, 'recorded');
    assert.equal((await client.emit(order(2))).status, 'lost');
    assert.deepEqual(entities(), ['order-1', 'order-1', 'order-1', 'order-2', 'order-2', 'order-2']);
    assert.equal(new Set(ledger.received.map(({ key }) => key)).size, 2);
    await client.close();
  });

  it('sends what is emitted twice under one key under that key, in memory and from an outbox', async () => {
    for (const changes of [{}, { outbox: { folder: newFolder() } }]) {
      ledger.received.length = 0;
      const client = make(changes);
      const twice = [1, 2].map(() => client.emit(order(1), { idempotencyKey: 'order-1/placed' }));
      const [first, second] = await Promise.all(twice);
      assert.equal(first?.status, second?.status);
      await client.close();
      assert.deepEqual([...new Set(ledger.received.map(({ key }) => key))], ['order-1/placed']);
      assert.equal(lost.length, 0);
    }
  });

  it('gets a new token when the one it has is refused', async () => {
    ledger.statuses.push(401);
    const before = provider.count('/api/oauth/token');
    const client = make();
    assert.equal((await client.emit(order(1))).status, 'recorded');
    assert.equal(provider.count('/api/oauth/token'), before + 2);
    await client.close();
  });

  it('drops the oldest waiting events of a full queue, and counts them', async () => {
    let open = (): void => {};
    ledger.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const client = make({ queueLimit: 3 });
    const outcomes = Array.from({ length: 6 }, (_, number) => client.emit(order(number)));
    await Promise.all(outcomes.slice(1, 3));
    open();
    const statuses = (await Promise.all(outcomes)).map(({ status }) => status);
    assert.deepEqual(statuses, ['recorded', 'lost', 'lost', 'recorded', 'recorded', 'recorded']);
    assert.equal(lost.at(-1)?.event.lostSoFar, 2);
    await client.close();
  });

  it('loses events, and never more than those, without configuration; assertConfigured names what is missing', async () => {
    const client = make({ clientSecret: undefined, idpUrl: '' });
    assert.equal((await client.emit(order(1))).status, 'lost');
    assert.throws(
      () => client.assertConfigured(),
      (error) =>
        error instanceof FairleadError &&
        error.code === 'VALIDATION_FAILED' &&
        /IDP_URL, IDP_CLIENT_SECRET/.test(error.message),
    );
    make().assertConfigured();
    make({ apiKey: 'key', idpUrl: undefined, clientSecret: undefined }).assertConfigured();
    await client.close();
  });

  it('close waits for running requests, reports events it could not send, and accepts no more', async () => {
    ledger.gate = new Promise((resolve) => setTimeout(resolve, 50));
    const client = make();
    const pending = client.emit(order(1));
    await client.close();
    assert.equal((await pending).status, 'recorded');
    assert.equal((await client.emit(order(2))).status, 'lost');
    assert.deepEqual(entities(), ['order-1']);
  });

  it('an outbox keeps events over a ledger that is away, and a later client sends them once each', async () => {
    const folder = newFolder();
    const away = make({ auditUrl: 'http://127.0.0.1:1', outbox: { folder } });
    for (const number of [1, 2, 3]) assert.equal((await away.emit(order(number))).status, 'kept');
    await away.close({ timeoutMs: 20 });
    assert.equal(lost.length, 0);
    // A crash in the middle of a line, which was promised to nobody.
    appendFileSync(join(folder, 'events.jsonl'), '{"key":"torn","bo');
    const back = make({ outbox: { folder } });
    assert.equal((await back.emit(order(4))).status, 'kept');
    assert.equal(await back.flush(), 0);
    assert.deepEqual(entities(), ['order-1', 'order-2', 'order-3', 'order-4']);
    await back.close();
    const idle = make({ outbox: { folder } });
    assert.equal(await idle.flush(), 0);
    assert.equal(ledger.received.length, 4);
    await idle.close();
  });

  it('an outbox waits a 429 and a refused token out, and gives up what the ledger refuses for good', async () => {
    ledger.statuses.push(429, 401, 401, 201, 400);
    const client = make({ outbox: { folder: newFolder() } });
    await client.emit(order(1));
    await client.emit(order(2));
    assert.equal(await client.flush(), 0);
    assert.deepEqual(new Set(entities()), new Set(['order-1', 'order-2']));
    assert.deepEqual(
      lost.map(({ event }) => event.entityId),
      ['order-2'],
    );
    await client.close();
  });

  it('a full outbox takes no more, and keeps what it took', async () => {
    const folder = newFolder();
    const client = make({ auditUrl: 'http://127.0.0.1:1', outbox: { folder, maxEvents: 2 } });
    const statuses = [];
    for (const number of [1, 2, 3]) statuses.push((await client.emit(order(number))).status);
    assert.deepEqual(statuses, ['kept', 'kept', 'lost']);
    await client.close({ timeoutMs: 10 });
    const later = make({ outbox: { folder } });
    await later.flush();
    assert.deepEqual(entities(), ['order-1', 'order-2']);
    await later.close();
  });

  it('an outbox that cannot be written says kept of no event, also of several at once, and keeps the next', async () => {
    const folder = newFolder();
    const client = make({ auditUrl: 'http://127.0.0.1:1', outbox: { folder } });
    mkdirSync(join(folder, 'events.jsonl.new'));
    const emitted = [1, 2, 3, 1].map((number) => client.emit(order(number), { idempotencyKey: `order-${number}` }));
    const outcomes = await Promise.all(emitted);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['lost', 'lost', 'lost', 'lost'],
    );
    rmdirSync(join(folder, 'events.jsonl.new'));
    assert.equal((await client.emit(order(4))).status, 'kept');
    await client.close({ timeoutMs: 10 });
    const later = make({ outbox: { folder } });
    assert.equal(await later.flush(), 0);
    assert.deepEqual(entities(), ['order-4']);
    await later.close();
  });

  it('an outbox stays small, however many events went through it', async () => {
    const folder = newFolder();
    const client = make({ outbox: { folder } });
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, number) => client.emit(order(number))));
    }
    assert.equal(await client.flush({ timeoutMs: PATIENCE_MS }), 0);
    const lines = readFileSync(join(folder, 'events.jsonl'), 'utf8').split('\n').length;
    assert.ok(lines < 2_500, `${lines} lines after 1500 events`);
    await client.close();
  });

  it('two clients do not use one outbox', async () => {
    const folder = newFolder();
    const first = make({ outbox: { folder } });
    assert.throws(
      () => make({ outbox: { folder } }),
      (error) => error instanceof FairleadError && error.code === 'CONFLICT',
    );
    await first.close();
    await make({ outbox: { folder } }).close();
  });

  it('no event that was said to be kept is lost when the service is killed, and its outbox is free at once', async () => {
    const folder = newFolder();
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'outbox-child.ts'), folder, 'http://127.0.0.1:1'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    while (said.split('\n').length < 60) {
      const [chunk] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(20_000) });
      said += String(chunk);
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    const kept = said.split('\n').filter((line) => line.endsWith(' kept'));
    const client = make({ outbox: { folder } });
    assert.equal(await client.flush({ timeoutMs: 20_000 }), 0);
    const seen = new Set(entities());
    for (const line of kept) assert.ok(seen.has(`order-${line.split(' ')[0]}`), line);
    assert.ok(kept.length >= 58);
    await client.close();
  });
});
