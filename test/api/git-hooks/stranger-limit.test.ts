import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAILURES_PER_MINUTE } from '../../../api/git-hooks/stranger-limit.ts';
import { deliveringTo } from './delivering-to.ts';

const { pair, address, connection } = FAILURES_PER_MINUTE;
const GIT_HOST = '192.0.2.1';

describe('deliveries that nothing proves genuine', () => {
  /** Delivers one after the other, each as `sendingOf` says; how often each status was answered. */
  async function flood(
    on: Awaited<ReturnType<typeof deliveringTo>>,
    count: number,
    sendingOf: (index: number) => object,
  ) {
    const statuses: Record<number, number> = {};
    for (let index = 0; index < count; index += 1) {
      const status = await on.deliver('a guess', sendingOf(index));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  }

  async function started() {
    const on = await deliveringTo();
    on.letReadsEnd();
    return on;
  }

  it('of one address for one connection cost nothing past the limit, until a minute is over', async () => {
    const on = await started();
    assert.deepEqual(await flood(on, pair + 200, () => ({})), { 401: pair, 429: 200 });
    assert.deepEqual([on.read.connections, on.read.bodies], [pair, pair]);
    on.clock.ms += 60_000;
    assert.deepEqual([await on.deliver('a guess'), await on.deliver('next')], [401, 202]);
  });

  it('of one address for connections that nobody has cost nothing past the limit', async () => {
    const on = await started();
    const guessing = (index: number) => ({ connectionId: `gcn_guessed_${index}`, address: '198.51.100.1' });
    assert.deepEqual(await flood(on, address + 200, guessing), { 401: address, 429: 200 });
    assert.deepEqual([on.read.connections, on.read.bodies], [address, address]);
    assert.equal(await on.deliver('next'), 202, 'at other addresses nobody notices');
  });

  it('of many addresses for one connection cost nothing past the limit', async () => {
    const on = await started();
    const anywhere = (index: number) => ({ address: `198.51.100.${index}` });
    assert.deepEqual(await flood(on, connection + 200, anywhere), { 401: connection, 429: 200 });
    assert.deepEqual([on.read.connections, on.read.bodies], [connection, connection]);
  });

  it('shut no git host out that proved itself, neither from elsewhere nor from its own address', async () => {
    const on = await started();
    assert.equal(await on.deliver('next', { address: GIT_HOST }), 202);
    await flood(on, connection + 1, (index) => ({ address: `198.51.100.${index}` }));
    await flood(on, address + 1, (index) => ({ connectionId: `gcn_guessed_${index}`, address: GIT_HOST }));
    assert.equal(await on.deliver('next', { address: '198.51.100.1' }), 429);
    assert.equal(await on.deliver('next', { address: GIT_HOST }), 202);
  });

  it('are told alike whether there is such a connection', async () => {
    const on = await started();
    const known = await flood(on, pair + 1, () => ({}));
    const unknown = await flood(on, pair + 1, () => ({ connectionId: 'gcn_guessed', address: '198.51.100.1' }));
    assert.deepEqual(unknown, known);
  });

  it('count when they break off half-way', async () => {
    const on = await started();
    await flood(on, pair, () => ({ cutAt: 10 }));
    assert.equal(on.read.bodies, pair);
    assert.equal(await on.deliver('a guess'), 429);
  });

  it('do not count while the database is away', async () => {
    const on = await started();
    const { find } = on.parts.gitConnections;
    on.parts.gitConnections.find = () => Promise.reject(new Error('away'));
    assert.deepEqual(await flood(on, pair + 1, () => ({})), { 500: pair + 1 });
    on.parts.gitConnections.find = find;
    assert.equal(await on.deliver('next'), 202);
  });

  it('take nothing from 1,000 genuine ones at once, however few may fail', async () => {
    const on = await started();
    const statuses = await Promise.all(Array.from({ length: 1_000 }, () => on.deliver('next')));
    assert.deepEqual(new Set(statuses), new Set([202]));
    assert.ok(pair < 1_000);
  });
});
