import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';
import { median } from './parts/median.ts';
import { processCpu } from './parts/process-cpu.ts';

/**
 * Requests that the public status page answers in a second of CPU time, against a bare express that sends the same bytes: in
 * turns, in one process apart from this one. The page has 20 services with 90 days each, and is read anew as often as it is
 * for visitors.
 */
export const needsStack = false;

const AT_ONCE = 16;
const REQUESTS = 3_000;
const WARM_UPS = 1;
const ROUNDS = 5;

const path = fileURLToPath(new URL('parts/status-page-process.ts', import.meta.url));
const child = fork(path, [], {
  execArgv: [...SERVICE_FLAGS],
  env: { ...process.env, ...residentVariables(process.env) },
});
const [served] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [Served];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

interface Served {
  readonly page: string;
  readonly bare: string;
  readonly bytes: number;
}

const ratios: number[] = [];
for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
  const [bare, page] = [await perSecond(served.bare), await perSecond(served.page)];
  if (round < 0) continue;
  ratios.push(page / bare);
  console.log(`${page.toFixed(0)} pages/s, express ${bare.toFixed(0)}/s of CPU time`);
}
console.log(`${served.bytes} bytes a page`);
console.log(`status-page: ${median(ratios).toFixed(2)}`);
child.kill();
process.exit();

/** Answers in a second of the CPU time of their process. */
async function perSecond(address: string): Promise<number> {
  const before = await processCpu(child.pid ?? 0);
  let left = REQUESTS;
  const visitor = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await visit(address);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));
  return REQUESTS / (((await processCpu(child.pid ?? 0)) - before) / 1_000_000);
}

function visit(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${address} answered ${response.statusCode}`));
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}
