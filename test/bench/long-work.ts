import { ensureSearchAttributes } from '../../adapters/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import { startWorkerWithLongWork } from '../support/long-work.ts';
import { startTemporal } from '../support/start-temporal.ts';
import { median } from './parts/median.ts';

/**
 * Whether long work holds deploys up: milliseconds from the start of a build to the start of its first step while 30
 * activities of an hour run and 100 wait, more than on the same worker and server before (median of each; to be below 300).
 */
const ROUNDS = 15;

const temporal = await startTemporal();
await ensureSearchAttributes(temporal.client, Object.values(SEARCH_ATTRIBUTES));
const worker = await startWorkerWithLongWork(temporal.client, { address: temporal.address, namespace: 'default' });

async function measure(): Promise<number> {
  const times: number[] = [];
  for (let round = -3; round < ROUNDS; round += 1) {
    const ms = await worker.firstStep();
    if (round >= 0) times.push(ms); // before: warm-up
  }
  return median(times);
}

const idle = await measure();
await worker.hold(100);
const busy = await measure();
await worker.stop();
await temporal.stop();
console.log(`first step on an idle worker: ${idle.toFixed(0)} ms; beside long work: ${busy.toFixed(0)} ms`);
console.log(`long-work: ${(busy - idle).toFixed(0)}`);
process.exit(0);
