import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { z } from 'zod';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { createHeartbeatStore } from '../../../adapters/mongo/monitors/heartbeats.ts';
import { HEARTBEAT_SIGNALS, type HeartbeatSignal } from '../../../domain/monitors/heartbeat.ts';
import { mongoUri } from '../../../infra/dev/mongo-uri.ts';
import { runtimeVariables } from '../../../infra/dev/runtime-variables.ts';
import { startStandIn } from '../../../infra/dev/stand-in-process.ts';
import { freePort } from '../../support/free-port.ts';
import { toolPath } from '../../support/tool-path.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The whole proof is of 100,000: FAIRLEAD_TEST_HEARTBEATS=100000. */
const IS_WHOLE = process.env.FAIRLEAD_TEST_HEARTBEATS !== undefined;
const HEARTBEATS = Number(process.env.FAIRLEAD_TEST_HEARTBEATS ?? 800);
/** As many as each org may make in a minute. */
const [ORGS, MONITORS_OF_ORG] = [IS_WHOLE ? 8 : 3, 100];
const MONITORS = ORGS * MONITORS_OF_ORG;
const CLIENTS = 20;
const KILLS = IS_WHOLE ? 20 : 3;
/** The service goes by the database's clock, as near as it knows it; one signal of a job comes again later than that. */
const CLOCKS_MS = 1_500;
const KEY = 'internal-key-of-this-test-0123456789';
const START_MS = 120_000;
/** Between two kills. */
const BEATS_WITHIN_MS = 120_000;
const made = z.object({ data: z.object({ id: z.string(), heartbeatUrl: z.string() }) });

/** A process that is killed and started again at the same address. */
interface Mortal {
  kill(): Promise<void>;
  start(): Promise<void>;
}

let folder: string;
let database: Mortal;
let service: Mortal;
let uri: string;
let address: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-heartbeats-'));
  const [password, databasePort, port] = [randomBytes(32).toString('base64url'), await freePort(), await freePort()];
  uri = mongoUri(databasePort, password, 'monitor');
  address = `http://127.0.0.1:${port}`;
  const program = await toolPath('mongo-stand-in');
  const place = { port: databasePort, password };
  database = mortal(() => startStandIn(program, join(folder, 'data.mv'), place));
  service = mortal(async () => {
    const child = fork(fileURLToPath(new URL('../../../api/main.ts', import.meta.url)), ['--only', 'monitor'], {
      env: {
        ...{ ...runtimeVariables(process.env), PATH: process.env.PATH, LOG_LEVEL: 'fatal', DATA_DIR: folder },
        ...{ INTERNAL_SERVICE_KEY: KEY, MONITOR_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
        ...{ MONITOR_PORT: String(port), MONITOR_URL: address, MONITOR_MONGODB_URI: uri, MONGODB_URI: uri },
        // Nothing listens there: heartbeats need no Temporal.
        ...{ TEMPORAL_ADDRESS: '127.0.0.1:1', PLATFORM_DOMAIN: 'example.com', REQUESTS_PER_MINUTE: '10000000' },
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'message', { signal: AbortSignal.timeout(START_MS) });
    return { kill: () => killed(child) };
  });
  await database.start();
  await service.start();
});
after(async () => {
  await service?.kill();
  await database?.kill();
  await rm(folder, { recursive: true, force: true });
});

function mortal(begin: () => Promise<{ kill(signal: 'SIGKILL'): Promise<unknown> }>): Mortal {
  let running: Awaited<ReturnType<typeof begin>> | null = null;
  return {
    async start() {
      running = await begin();
    },
    async kill() {
      const killing = running;
      running = null;
      await killing?.kill('SIGKILL');
    },
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

interface Job {
  readonly id: string;
  readonly path: string;
  /** When the last one of each signal was sent that was answered. */
  readonly kept: Map<HeartbeatSignal, number>;
}

async function makeJobs(pool: Pool): Promise<readonly Job[]> {
  const headers = { 'content-type': 'application/json', 'x-internal-key': KEY };
  const make = async (index: number): Promise<Job> => {
    const check = { kind: 'heartbeat', periodSeconds: 60 };
    const body = JSON.stringify({ name: `job-${index}`, org: `org-${index % ORGS}`, check });
    const reply = await pool.request({ method: 'POST', path: '/api/monitors', headers, body });
    const text = await reply.body.text();
    assert.equal(reply.statusCode, 201, text);
    const { id, heartbeatUrl } = made.parse(JSON.parse(text)).data;
    return { id, path: new URL(heartbeatUrl).pathname, kept: new Map() };
  };
  return await Promise.all(Array.from({ length: MONITORS }, (_, index) => make(index)));
}

const ENDS: Readonly<Record<HeartbeatSignal, string>> = { start: '/start', done: '', fail: '/fail' };

it(`of ${HEARTBEATS} heartbeats none that was answered is lost, whenever service and database are killed`, async () => {
  const pool = new Pool(address, { connections: CLIENTS });
  const jobs = await makeJobs(pool);
  const done = { answered: 0, refused: 0 };
  let open = Promise.withResolvers<void>();
  open.resolve();

  const beat = async ({ path, kept }: Job, signal: HeartbeatSignal): Promise<boolean> => {
    const sentAt = Date.now();
    const reply = await pool.request({ method: 'POST', path: path + ENDS[signal] }).catch(() => null);
    await reply?.body.dump();
    if (reply?.statusCode !== 200) return false;
    kept.set(signal, sentAt);
    return true;
  };
  const inFlight = new Set<Promise<boolean>>();
  const client = async (first: number): Promise<void> => {
    for (let round = first; done.answered < HEARTBEATS; round += CLIENTS) {
      await open.promise;
      const job = jobs[round % MONITORS];
      const signal = HEARTBEAT_SIGNALS[Math.floor(round / MONITORS) % HEARTBEAT_SIGNALS.length];
      if (job === undefined || signal === undefined) return;
      const asking = beat(job, signal);
      inFlight.add(asking);
      const isKept = await asking.finally(() => inFlight.delete(asking));
      done[isKept ? 'answered' : 'refused'] += 1;
      if (!isKept) await delay(20);
    }
  };
  /** What the database has of all that was answered until now. Nobody writes meanwhile. */
  const check = async (): Promise<void> => {
    const connection = await connectMongo(uri, 'fairlead-test');
    try {
      const stored = await createHeartbeatStore(connection).find(jobs.map(({ id }) => id));
      const lost = jobs.flatMap(({ id, kept }) =>
        [...kept].filter(([signal, sentAt]) => !((stored.get(id)?.[signal]?.getTime() ?? 0) >= sentAt - CLOCKS_MS)),
      );
      assert.deepEqual(lost, []);
    } finally {
      await connection.close();
    }
  };

  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const at = ((kill + 1) / (KILLS + 1)) * HEARTBEATS;
    await waitUntil(`${at} heartbeats`, () => done.answered >= at, { withinMs: BEATS_WITHIN_MS, everyMs: 5 });
    const victims = [[service], [database], [service, database]][kill % 3] ?? [];
    // In the middle of what they answer; then nobody sends until both are back and what they kept was read.
    await Promise.all(victims.map((victim) => victim.kill()));
    open = Promise.withResolvers<void>();
    for (const victim of [...victims].reverse()) await victim.start();
    await Promise.all(inFlight);
    await check();
    open.resolve();
  }
  await clients;
  await check();
  assert.ok(done.answered >= HEARTBEATS);
  assert.ok(done.refused > 0, 'no kill met a heartbeat');
  await pool.close();
});
