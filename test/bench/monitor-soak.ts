import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { createConditionStore } from '../../adapters/mongo/monitors/conditions.ts';
import { registerServices } from '../support/register-services.ts';
import { startMongo } from '../support/start-mongo.ts';
import { startTemporal } from '../support/start-temporal.ts';
import { startWorker } from '../support/start-worker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';
import { HANGING, INTERVAL_SECONDS, MONITORS, startSites } from './parts/monitor-loads.ts';
import { residentMib } from './parts/resident-memory.ts';

/**
 * An hour (MINUTES) of the worker with 5,000 monitors at 30 s, of which 1,000 hang: by how much its resident memory grows from the
 * second sixth of that time to the last, in MiB, as medians. Real database, Temporal and worker; the sites are a process of their own.
 */
export const needsStack = false;

const MINUTES = Number(process.env.MINUTES ?? 60);
const SAMPLE_MS = 5_000;
const SIXTHS = 6;
const ALL_KNOWN_MS = 180_000;

const [mongo, temporal, sites] = await Promise.all([startMongo(), startTemporal(), startSites()]);
const { db } = mongo.connection;
await createMonitorIndexes(db);
const ids = await registerServices(db, MONITORS, {
  ...{ org: 'acme', intervalSeconds: INTERVAL_SECONDS },
  urlOf: (name, number) => `http://${name}.localhost:${sites.port}${number < HANGING ? '/hang' : '/'}`,
});
const worker = await startWorker({
  ...{ MONGODB_URI: mongo.uri, MONITOR_MONGODB_URI: mongo.uri, TEMPORAL_ADDRESS: temporal.address },
  ...{ LOG_LEVEL: 'silent', MONITOR_URL: 'http://monitor.example.org' },
  ...{ PLATFORM_DOMAIN: 'localhost', EDGE_PORT: String(sites.port) },
  MONITOR_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
});
try {
  console.log(`database: ${await databaseServer(db)}`);
  const conditions = createConditionStore({ db });
  const verdicts = async (): Promise<readonly string[]> =>
    [...(await conditions.find(ids)).values()].map(({ verdict }) => verdict.verdict);
  const areKnown = async () => (await verdicts()).filter((verdict) => verdict !== 'pending').length === MONITORS;
  await waitUntil('a verdict on each', areKnown, { withinMs: ALL_KNOWN_MS, everyMs: 1_000 });

  const sixths: number[] = [];
  for (let sixth = 1; sixth <= SIXTHS; sixth += 1) {
    sixths.push(median(await sampleFor((MINUTES * 60_000) / SIXTHS)));
    console.log(`after ${((MINUTES * sixth) / SIXTHS).toFixed(0)} min: ${sixths.at(-1)?.toFixed(0)} MiB`);
  }
  const ended = await verdicts();
  const up = ended.filter((verdict) => verdict === 'up').length;
  console.log(`at the end ${up} are up, ${ended.filter((verdict) => verdict === 'down').length} down`);
  if (up !== MONITORS - HANGING) throw new Error(`${MONITORS - HANGING} sites answer, and ${up} are up`);
  const [, second = 0] = sixths;
  console.log(`monitor-soak: ${((sixths.at(-1) ?? 0) - second).toFixed(0)} MiB`);
} finally {
  await worker.kill('SIGKILL');
  sites.stop();
  await Promise.all([temporal.stop(), mongo.stop()]);
}
process.exit();

/** Resident memory of the worker, looked at again and again. */
async function sampleFor(ms: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    samples.push(await residentMib(worker.pid));
    await delay(SAMPLE_MS);
  }
  return samples;
}
