import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { pingDeadMan } from '../../../activities/monitors/ping-dead-man.ts';
import { createGuardedFetch } from '../../../adapters/http-fetch/guarded-fetch.ts';
import { createDeadManPing } from '../../../adapters/prober/dead-man-url.ts';
import { emptyCondition } from '../../../domain/monitors/apply-result.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { createMemoryConditions, createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord, resultOf } from '../../support/monitor-records.ts';

const NOW = new Date('2026-11-02T10:00:00Z');
const AGO = (seconds: number): number => NOW.getTime() - seconds * 1_000;
const NEVER = new AbortController().signal;

async function useMonitors() {
  const [monitors, conditions] = [createMemoryMonitors(), createMemoryConditions()];
  const pings: Date[] = [];
  const warnings: string[] = [];
  const deps = {
    ...{ monitors, conditions, now: () => NOW, platformOrg: 'platform' },
    ping: async () => void pings.push(NOW),
    warn: (_problem: object, message: string) => void warnings.push(message),
  };
  /** Of one shard where the numbers are four apart; its last check was so long ago, in seconds. */
  const add = async (number: number, ago: number | null, changes: Partial<Monitor> = {}): Promise<void> => {
    const monitor = monitorRecord(number, changes);
    await monitors.insert(monitor);
    if (ago === null) return;
    await conditions.claim([monitor.id], 1);
    const last = resultOf(monitor.id, AGO(ago), 'failed');
    await conditions.write([{ ...emptyCondition(monitor.id), last }], 1);
  };
  const run = async () => [await pingDeadMan(deps, NEVER), pings.length, warnings.length];
  return { deps, add, run };
}

describe('the address that waits for the uptime monitor', () => {
  it('is called while the checks are on time, whatever they find, and where there is none to make', async () => {
    const { add, run } = await useMonitors();
    assert.deepEqual(await run(), ['pinged', 1, 0]);
    for (const number of [1, 2, 3, 4]) await add(number, 100);
    assert.deepEqual(await run(), ['pinged', 2, 0], '2.5 intervals of 30 s, and the time until a result is on record');
  });

  it('is not called while the checks of one shard are late, or none has come, and all others are on time', async () => {
    for (const ago of [106, null]) {
      const { add, run } = await useMonitors();
      for (const number of [1, 2, 3]) await add(number, 5);
      await add(4, ago);
      assert.deepEqual(await run(), ['late', 0, 1]);
    }
  });

  it('is called where less than half of a shard is late, as by one org, and where what is late is new or paused', async () => {
    const { add, run } = await useMonitors();
    for (const number of [4, 8, 12]) await add(number, 5);
    for (const number of [16, 20]) await add(number, 900);
    await add(1, null, { updatedAt: new Date(AGO(60)) });
    await add(2, 900, { paused: { at: new Date(0), by: 'usr_ada' } });
    await add(3, 900, { intervalSeconds: 600 });
    assert.deepEqual(await run(), ['pinged', 1, 0]);
    await add(24, 900);
    assert.deepEqual(await run(), ['late', 1, 1]);
  });

  it('is called whatever the monitors of one org do, also in a shard that has no others', async () => {
    const { add, run } = await useMonitors();
    await add(1, 5, { org: 'platform' });
    await add(5, 5, { org: 'calm' });
    for (let number = 8; number < 108; number += 1) await add(number, 900, { org: 'hanging' });
    assert.deepEqual(await run(), ['pinged', 1, 0]);
  });

  it('is not called while the checks are late for half of the orgs of a shard, or for the one that runs the installation', async () => {
    const cases: readonly (readonly [string, readonly (readonly [string | null, number])[], string])[] = [
      [
        'one of two',
        [
          ['acme', 5],
          ['hanging', 900],
        ],
        'pinged',
      ],
      [
        'both',
        [
          ['acme', 900],
          ['hanging', 900],
        ],
        'late',
      ],
      [
        'two of three',
        [
          ['acme', 900],
          ['calm', 5],
          ['hanging', 900],
        ],
        'late',
      ],
      [
        'two of five',
        [
          ['acme', 900],
          ['a', 5],
          ['b', 5],
          ['c', 5],
          ['hanging', 900],
        ],
        'pinged',
      ],
      [
        'the platform',
        [
          ['platform', 900],
          ['calm', 5],
        ],
        'late',
      ],
      [
        'of no org',
        [
          [null, 900],
          ['calm', 5],
        ],
        'late',
      ],
      [
        'the platform of three',
        [
          ['platform', 900],
          ['calm', 5],
          ['acme', 5],
        ],
        'pinged',
      ],
    ];
    for (const [what, orgs, answer] of cases) {
      const { add, run } = await useMonitors();
      await add(1, 5, { org: 'elsewhere' });
      for (const [index, [org, ago]] of orgs.entries()) {
        for (const place of [0, 1, 2]) await add(4 + 12 * index + 4 * place, ago, { org });
      }
      assert.equal((await run())[0], answer, what);
    }
  });

  it('is not called while the checks of half of all orgs are late, each of which has a shard of its own', async () => {
    const { add, run } = await useMonitors();
    for (const number of [0, 1, 2, 3]) await add(number, number < 1 ? 900 : 5, { org: `org-${number}` });
    assert.deepEqual(await run(), ['pinged', 1, 0]);
    await add(5, 900, { org: 'org-1' });
    assert.deepEqual(await run(), ['late', 1, 1]);
  });

  it('is not looked for where none is set', async () => {
    const { deps } = await useMonitors();
    const monitors = { list: () => Promise.reject(new Error('nothing is read')) };
    assert.equal(await pingDeadMan({ ...deps, monitors, ping: null }, NEVER), 'unset');
  });

  it('is called by GET by the rules of webhooks of the operators, and nothing but its host is told of it', async () => {
    const paths: string[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      paths.push(`${request.method} ${request.url}`);
      response.writeHead(status).end('OK');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      assert.ok(address !== null && typeof address === 'object');
      const origin = `http://127.0.0.1:${address.port}`;
      const limits = { timeoutMs: 5_000, mostBytes: 1_024 };
      const trusted = createDeadManPing(
        `${origin}/s3cret`,
        createGuardedFetch({ ...limits, trustedOrigins: [origin] }),
      );
      await trusted(NEVER);
      assert.deepEqual(paths, ['GET /s3cret']);
      status = 404;
      await assert.rejects(trusted(NEVER), (error: Error & { code?: string }) => {
        return (
          error.code === 'UNAVAILABLE' && error.message.includes('answered 404') && !error.message.includes('s3cret')
        );
      });
      const untrusted = createDeadManPing(`${origin}/s3cret`, createGuardedFetch(limits));
      await assert.rejects(untrusted(NEVER), { code: 'SOURCE_REFUSED' });
      assert.equal(paths.length, 2);
    } finally {
      server.close();
    }
  });
});
