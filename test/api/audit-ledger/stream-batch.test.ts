import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { streamBatch, streamLines } from '../../../api/audit-ledger/stream-batch.ts';

const LEAVES = 100_000;

describe('the leaves of a batch as a stream', () => {
  const source = { read: 0, closed: 0, failAt: Number.POSITIVE_INFINITY };
  const outcomes: Promise<void>[] = [];
  const server = createServer((_request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const outcome = streamBatch(response, { batchId: '2026-01-05', root: '0x1' }, leaves(), gone.signal);
    outcomes.push(outcome);
    // As the app does with an error after the first byte.
    outcome.catch(() => response.destroy());
  });
  let url = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') url = `http://127.0.0.1:${address.port}`;
  });
  after(() => server.close());

  async function* leaves() {
    try {
      for (source.read = 0; source.read < LEAVES; source.read += 1) {
        if (source.read === source.failAt) throw new Error('the database went away');
        yield { leafIndex: source.read, eventHash: `0x${'ab'.repeat(32)}` };
      }
    } finally {
      source.closed += 1;
    }
  }

  async function open(): Promise<IncomingMessage> {
    const [response] = await once(get(url, { agent: false }), 'response');
    return response;
  }

  it('arrives whole', async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await open()) chunks.push(chunk as Buffer);
    const { success, data } = JSON.parse(Buffer.concat(chunks).toString());
    assert.deepEqual([success, data.batchId, data.leaves.length], [true, '2026-01-05', LEAVES]);
    assert.equal(data.leaves.at(-1).leafIndex, LEAVES - 1);
  });

  it('is read only as fast as the client takes it, and no further once the client is gone', async () => {
    const response = await open();
    response.pause();
    let read = -1;
    while (read !== source.read) {
      read = source.read;
      await delay(100);
    }
    assert.ok(read < LEAVES, `${read} leaves read for a client that takes none`);
    const closed = source.closed;
    response.destroy();
    await assert.rejects(outcomes.at(-1) ?? Promise.resolve());
    assert.equal(source.closed, closed + 1);
    assert.ok(source.read < LEAVES);
  });

  it('that breaks off is no JSON that could pass for a whole batch', async () => {
    source.failAt = LEAVES / 2;
    const response = await open();
    const chunks: Buffer[] = [];
    await assert.rejects(async () => {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    });
    assert.throws(() => JSON.parse(Buffer.concat(chunks).toString()), SyntaxError);
  });

  it('of a client that takes nothing ends', async () => {
    async function* lines() {
      for (;;) yield 'x'.repeat(1_000);
    }
    const ended = Promise.withResolvers<unknown>();
    const stalled = createServer((_request, response) => {
      streamLines(response, 'text/plain', lines(), new AbortController().signal, 100).catch((error: unknown) => {
        response.destroy();
        ended.resolve(error);
      });
    });
    stalled.listen(0, '127.0.0.1');
    await once(stalled, 'listening');
    const address = stalled.address();
    assert.ok(address !== null && typeof address === 'object');
    const [response] = await once(get(`http://127.0.0.1:${address.port}`, { agent: false }), 'response');
    response.pause();
    assert.equal(((await ended.promise) as Error).name, 'AbortError');
    response.destroy();
    stalled.close();
  });
});
