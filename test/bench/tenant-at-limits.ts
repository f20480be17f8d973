import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { api, type Build, completed, ended, visit } from '../e2e/harness.ts';
import { type AppOptions, type SampleService, sampleService, temporalClient } from '../e2e/sample-service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { median } from './parts/median.ts';

/**
 * What a tenant at all its limits costs another one: a deploy of changed source, from the request to `completed`, while
 * the builds of the other org take all build slots and more wait, a fork bomb runs in one build after another, one of its
 * workloads is busy and floods its log, and it uploads without an end; against the same deploys before that. Arguments
 * leave the other kinds of noise out: `busy`, `bomb`, `flood`, `upload`.
 */
export const needsStack = true;

const ROUNDS = 5;
const KINDS = new Set(process.argv.length > 2 ? process.argv.slice(2) : ['busy', 'bomb', 'flood', 'upload']);
/** More than there are slots: the others wait. */
const BUSY_BUILDS = 4;
const UPLOAD_BYTES = 90 * 1024 ** 2;
const PAUSE_MS = 1_000;
const DEPLOY_MS = 600_000;

const BUSY = 'for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; sleep 900';
const BOMB = 'b() { b | b & }; b; sleep 900';
const FLOOD = "setInterval(() => { for (let i = 0; i < 500; i += 1) console.log('x'.repeat(200)); }, 1) && 0";

await using temporal = await temporalClient();
const commands = createDeployCommands(temporal.client);
await using quiet = await sampleService('quiet');
const noisy: SampleService[] = [];
const told = { bombs: 0, taken: 0, refused: 0 };
const alone: number[] = [];
const beside: number[] = [];

await timeDeploy(); // fills the caches
for (let round = 0; round < ROUNDS; round += 1) alone.push(await timeDeploy());
const stopped = new AbortController();
let noise: readonly Promise<void>[] = [];
try {
  noise = await makeNoise(stopped.signal);
  for (let round = 0; round < ROUNDS; round += 1) beside.push(await timeDeploy());
} finally {
  stopped.abort();
  await Promise.allSettled(noise);
  for (const service of noisy) await service[Symbol.asyncDispose]();
}

console.log(`deploy with nothing else: ${seconds(alone)}`);
console.log(`deploy beside a tenant at its limits: ${seconds(beside)}`);
console.log(`fork bombs that were ended: ${told.bombs}; uploads taken: ${told.taken}, refused: ${told.refused}`);
console.log(`tenant-at-limits: ${(median(beside) / median(alone)).toFixed(2)}`);

async function timeDeploy(): Promise<number> {
  await quiet.commit();
  const startedAt = performance.now();
  await completed(await request(quiet.name, 'quiet'), DEPLOY_MS);
  return performance.now() - startedAt;
}

/** Asks for a build as a person of that org does: the key of the tests is the platform's. */
async function request(service: string, org: string): Promise<string> {
  const { data } = await api<{ id: string; gitUrl: string }>('GET', `/services/${service}`);
  const outcome = await commands.request({
    ...{ buildId: newId('build'), kind: 'deploy', serviceId: data.id, service, environment: 'prod', org },
    source: { kind: 'git', url: data.gitUrl, branch: 'main', commit: null },
    ...{ requestedBy: 'bench', requestId: 'bench', requestedAt: new Date().toISOString() },
    ...{ resume: null, releaseId: null },
  });
  return outcome.buildId;
}

/** @returns what goes on until the signal aborts */
async function makeNoise(signal: AbortSignal): Promise<readonly Promise<void>[]> {
  if (KINDS.has('flood')) {
    const { name } = await noisyService({ computes: FLOOD });
    await completed(await request(name, 'noisy'), DEPLOY_MS);
    await visit(name); // starts the flood
  }
  const [bomb, uploads] = [await noisyService({ instructions: `RUN ${BOMB}` }), await noisyService()];
  if (KINDS.has('busy')) await makeBusy();
  return [
    ...(KINDS.has('bomb') ? [explode(bomb, signal)] : []),
    ...(KINDS.has('upload') ? [upload(uploads, signal)] : []),
  ];
}

async function makeBusy(): Promise<void> {
  for (let index = 0; index < BUSY_BUILDS; index += 1) {
    const { name } = await noisyService({ instructions: `RUN ${BUSY} # ${unique(index)}` });
    await request(name, 'noisy');
  }
  const building = async () => (await api<{ items: Build[] }>('GET', '/builds?status=building')).data.items.length > 1;
  await waitUntil('busy builds', building, { withinMs: DEPLOY_MS });
}

/** No two instructions are the same, so the cache answers none. */
function unique(index: number): string {
  return `${index} ${randomBytes(4).toString('hex')}`;
}

async function noisyService(options: AppOptions = {}): Promise<SampleService> {
  const service = await sampleService('noisy', options);
  noisy.push(service);
  return service;
}

/** In an org of their own: those of the noisy one would wait for its busy builds. */
async function explode({ name, commit }: SampleService, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await commit({ instructions: `RUN ${BOMB} # ${unique(told.bombs)}` });
    const { failure } = await ended(await request(name, 'bombs'), DEPLOY_MS);
    if (failure?.code === 'BUILD_LIMIT_EXCEEDED') told.bombs += 1;
    await delay(PAUSE_MS);
  }
}

async function upload({ name }: SampleService, signal: AbortSignal): Promise<void> {
  const archive = gzipSync(randomBytes(UPLOAD_BYTES), { level: 1 });
  while (!signal.aborted) {
    const { status } = await api('POST', `/builds/upload?service=${name}`, archive);
    if (status === 202) told.taken += 1;
    else told.refused += 1;
    await delay(PAUSE_MS);
  }
}

function seconds(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(2)} s (${values.map((ms) => (ms / 1000).toFixed(2)).join(' ')})`;
}
