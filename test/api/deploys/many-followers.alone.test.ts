import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import { linesOf, TARGET } from '../../ports/service-logs.ts';
import { KEY } from '../../support/start-api.ts';
import { waitUntil } from '../../support/wait-until.ts';

const FOLLOWERS = 200;
/** Of these, so many take nothing. */
const SLOW = 20;
const WARM_UP = 500;
const LINES = 2_000;
const GROWTH_BYTES = 12 * 1024 ** 2;
const PATIENCE = { withinMs: 120_000, everyMs: 100 };

it('200 followers of a log, 20 of which read nothing, keep the memory of the builder flat', {
  timeout: 500_000,
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-followers-'));
  const child = fork(join(import.meta.dirname, 'log-api-child.ts'), [directory], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
  });
  const agent = new Agent({ maxSockets: FOLLOWERS });
  try {
    const [{ address }] = (await once(child, 'message')) as [{ address: string }];
    const log = await (await createServiceLogs({ directory }).takeOver()).open(TARGET);
    await log.append(linesOf(1, 1));
    const followers = await Promise.all(
      Array.from({ length: FOLLOWERS }, (_, index) => follow(address, agent, index < SLOW)),
    );
    const readers = followers.slice(SLOW);
    const written = async (from: number, to: number) => {
      for (let at = from; at <= to; at += 100) {
        const lines = linesOf(at, Math.min(to, at + 99));
        await log.append(lines.map((line) => ({ ...line, text: `${line.text} ${'x'.repeat(200)}` })));
      }
      await waitUntil('all lines at each follower', () => readers.every(({ lines }) => lines() >= to), PATIENCE);
    };
    await waitUntil('the first line at each follower', () => readers.every(({ lines }) => lines() > 0), PATIENCE);
    await written(2, WARM_UP);
    const before = await heldBytes(child);
    await written(WARM_UP + 1, LINES);
    const after = await heldBytes(child);
    t.diagnostic(`held after ${WARM_UP} lines ${before} bytes, after ${LINES} ${after}`);
    assert.ok(readers.every(({ lines }) => lines() === LINES));
    assert.ok(after - before < GROWTH_BYTES, `${before} bytes became ${after}`);
    await log.close();
  } finally {
    agent.destroy();
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
});

/** Follows the log of the service, and counts its lines. */
async function follow(address: string, agent: Agent, isSlow: boolean) {
  const headers = { 'x-internal-key': KEY, accept: 'text/event-stream' };
  const request = get(`${address}/services/shop/logs`, { agent, headers });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.on('error', () => undefined);
  let lines = 0;
  let rest = '';
  if (isSlow) response.pause();
  else
    response.setEncoding('utf8').on('data', (text: string) => {
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      lines += events.filter((event) => event.includes('event: line')).length;
    });
  return { lines: () => lines };
}

async function heldBytes(child: ChildProcess): Promise<number> {
  child.send('memory');
  const [{ heldBytes: held }] = (await once(child, 'message')) as [{ heldBytes: number }];
  return held;
}
