import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { buildRequest } from '../ports/records.ts';
import { describeCalls } from './parts/count-calls.ts';
import { median } from './parts/median.ts';
import { startNoOpDeploys } from './parts/no-op-deploys.ts';
import { deployPhases } from './parts/phases.ts';

/**
 * What orchestration costs: a deploy whose every effect is a no-op (request to end of the build, through coordinator,
 * build and slots), against one bare workflow that calls as many no-op activities, with inputs and results as large, on the
 * same worker and server. How many and how large is read in the histories of a deploy's workflows.
 */
export const needsStack = true;

const ROUNDS = 10;

const noOp = await startNoOpDeploys('deploy-overhead');
const commands = createDeployCommands(noOp.client);

const deploys: number[] = [];
const bare: number[] = [];
let last = buildRequest();
await timeDeploy(last);
const calls = await noOp.callsOf(last);
for (let round = -2; round < ROUNDS; round += 1) {
  last = buildRequest();
  const times = { deploy: await timeDeploy(last), bare: await time(() => noOp.runBare(`bare/${round}`, calls)) };
  if (round < 0) continue; // warm-up
  deploys.push(times.deploy);
  bare.push(times.bare);
}
const phases = await deployPhases(noOp.client, last);
await noOp.stop();

const [deploy, baseline] = [median(deploys), median(bare)];
console.log(`database: none; activities without effects`);
console.log(`a deploy calls ${describeCalls(calls)}`);
console.log(`deploy with no effects: ${deploy.toFixed(0)} ms (${deploys.map(Math.round).join(' ')})`);
console.log(`bare workflow: ${baseline.toFixed(0)} ms (${bare.map(Math.round).join(' ')})`);
for (const { name, ms } of phases) console.log(`  last deploy, ${name}: ${ms} ms`);
console.log(`deploy-overhead: ${(deploy / baseline).toFixed(2)}`);
process.exit(0);

async function timeDeploy(request: BuildRequest): Promise<number> {
  return await time(async () => {
    await commands.request(request);
    await noOp.ended(request);
  });
}

/** Milliseconds. */
async function time(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
