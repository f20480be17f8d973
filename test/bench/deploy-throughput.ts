import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { mostBuilds } from '../../domain/deploys/build-slots.ts';
import { buildRequest } from '../ports/records.ts';
import { describeCalls } from './parts/count-calls.ts';
import { finishedByShares } from './parts/fair-shares.ts';
import { SLOTS, startNoOpDeploys } from './parts/no-op-deploys.ts';
import { createSlotPool } from './parts/slot-pool.ts';

/**
 * Builds a minute while 200 services of ten orgs each want three deploys, one after the other, whose every effect is a
 * no-op; against bare workflows that call as many no-op activities, with inputs and results as large, for the same
 * services, on the same worker and server: half as many before the deploys, and as many after them, since the server gets
 * slower as its database grows. A bare workflow waits for its slot in the memory of this process, by the rule that builds
 * wait by: an org whose services are alone has BUILD_CONCURRENCY slots, several orgs have up to twice as many.
 *
 * Besides: how long each org took for all of its builds, in multiples of what it would take had every org with work got an
 * equal share (at most 2), and the memory of the worker early and late.
 */
export const needsStack = true;

const DEPLOYS = 3;
/** Services of each org: most belong to one, whose builds are not to keep the others waiting. */
const SERVICES: readonly number[] = [110, 10, 10, 10, 10, 10, 10, 10, 10, 10];
const BUILDS = DEPLOYS * SERVICES.reduce((sum, count) => sum + count, 0);
const BARE_BUILDS = BUILDS / 2;
const noOp = await startNoOpDeploys('deploy-throughput');
const commands = createDeployCommands(noOp.client);

const alone = buildRequest();
await commands.request(alone);
await noOp.ended(alone);
const calls = await noOp.callsOf(alone);

const bareBefore = await timeBare('before');
const rss = { early: 0, late: 0 };
let done = 0;
const startedAt = performance.now();
const finishedAt = await Promise.all(SERVICES.map((services, org) => deployAll(`org-${org}`, services)));
const seconds = secondsSince(startedAt);
const shares = finishedByShares(
  SERVICES.map((services) => services * DEPLOYS),
  BUILDS / seconds,
);
const waits = finishedAt.map((at, org) => at / (shares[org] ?? Number.NaN));

const bareAfter = await timeBare('after');
await noOp.stop();

const perMinute = (builds: number, taken: number): number => (60 * builds) / taken;
const rate = perMinute(BUILDS, seconds);
const bareRates = [bareBefore, bareAfter].map((taken) => perMinute(BARE_BUILDS, taken));
const bareRate = perMinute(2 * BARE_BUILDS, bareBefore + bareAfter);
console.log('database: none; activities without effects');
console.log(`a deploy calls ${describeCalls(calls)}; ${SLOTS} to ${mostBuilds(SLOTS)} builds at once`);
console.log(`${BUILDS} builds of ${SERVICES.length} orgs: ${rate.toFixed(0)} a minute`);
console.log(
  `as many bare workflows: ${bareRate.toFixed(0)} a minute (${bareRates.map((each) => each.toFixed(0)).join(' before, ')} after)`,
);
console.log(`time of each org in multiples of an equal share: ${waits.map((wait) => wait.toFixed(2)).join(' ')}`);
console.log(`memory of the worker after a third of the builds ${rss.early} MB, at their end ${rss.late} MB`);
console.log(`deploy-throughput: ${(rate / bareRate).toFixed(2)}`);
process.exit(0);

/** @returns seconds until the last build of the org had ended */
async function deployAll(org: string, services: number): Promise<number> {
  await Promise.all(Array.from({ length: services }, (_, index) => deployOneByOne(org, `${org}-service-${index}`)));
  return secondsSince(startedAt);
}

async function deployOneByOne(org: string, service: string): Promise<void> {
  for (let deploy = 0; deploy < DEPLOYS; deploy += 1) {
    // Each of a commit of its own: one of the commit that is being built would attach to that build.
    const source = {
      kind: 'git',
      url: `https://git.example/${service}.git`,
      branch: null,
      commit: commitOf(deploy),
    } as const;
    const request = buildRequest({ org, service, serviceId: `svc_${service}`, source });
    const { deduplicated } = await commands.request(request);
    if (deduplicated) throw new Error(`deploy ${deploy} of ${service} was attached to another build`);
    await noOp.ended(request);
    done += 1;
    if (done === BUILDS / DEPLOYS) rss.early = megabytes();
    if (done === BUILDS) rss.late = megabytes();
  }
}

/** @returns seconds for half as many bare workflows as there are builds */
async function timeBare(when: string): Promise<number> {
  const from = performance.now();
  const pool = createSlotPool(SLOTS);
  await Promise.all(
    SERVICES.flatMap((services, org) =>
      Array.from({ length: services }, async (_, service) => {
        for (let deploy = 0; deploy < deploysOf(service); deploy += 1) {
          const id = `bare/${when}/org-${org}/${service}/${deploy}`;
          await pool.run({ id, org: `org-${org}` }, () => noOp.runBare(id, calls));
        }
      }),
    ),
  );
  return secondsSince(from);
}

/** One or two bare workflows by turns: half of the three deploys of each service. */
function deploysOf(service: number): number {
  return 1 + (service % 2);
}

function commitOf(deploy: number): string {
  return String(deploy).padStart(40, '0');
}

function secondsSince(from: number): number {
  return (performance.now() - from) / 1000;
}

function megabytes(): number {
  return Math.round(process.memoryUsage().rss / 1024 ** 2);
}
