import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createBuildLog } from '../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { createTokenVerifier } from '../../sdk/index.ts';
import { logLine } from '../ports/build-log.ts';
import { buildRecord } from '../ports/records.ts';
import { AUDIENCE, startProvider } from '../sdk/auth/test-provider.ts';
import { startApi } from '../support/start-api.ts';
import { startMongo } from '../support/start-mongo.ts';
import { createStoredBuilderParts } from '../support/stored-builder-parts.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * Database reads of the builder while 200 people follow a build, against one person who follows one, in turns. Each is let
 * in by a token of their own and asked about again every second. Counted are the commands that the driver sends, from when
 * all have the first line until all have the last; what it takes to let one in is printed beside it. On the embedded
 * stand-in unless FAIRLEAD_TEST_MONGODB_URI names a real server.
 */
export const needsStack = false;

const WATCHERS = 200;
const ROUNDS = 3;
const LINES = 60;
const LINE_MS = 100;
const READS: ReadonlySet<string> = new Set(['find', 'getMore', 'aggregate', 'count', 'distinct']);

const mongo = await startMongo();
const client = new MongoClient(mongo.uri, { monitorCommands: true });
const db = client.db();
let reads = 0;
client.on('commandStarted', ({ commandName }: CommandStartedEvent) => {
  if (READS.has(commandName)) reads += 1;
});
const stores = { db, now: () => new Date() };
const parts = await createStoredBuilderParts();
const provider = await startProvider();
const verifier = createTokenVerifier({
  idpUrl: provider.url,
  audience: AUDIENCE,
  revocations: { internalKey: 'bench' },
});
const api = await startApi({ verifier, issuer: provider.url }, null, {
  ...parts,
  builds: createBuildStore(stores),
  log: createBuildLog(stores),
  services: createServiceStore(stores),
});
const people = await Promise.all(
  Array.from({ length: WATCHERS }, (_, index) =>
    provider.sign({ sub: `usr_bench${index}`, orgSlug: 'acme', orgRoles: ['member'] }),
  ),
);
await api.services.upsert({ id: 'svc_bench', name: 'bench', org: 'acme' }, {});

const rounds: { readonly one: Round; readonly many: Round }[] = [];
for (let round = -1; round < ROUNDS; round += 1) {
  const figures = { one: await follow(`one${round + 1}`, 1), many: await follow(`many${round + 1}`, WATCHERS) };
  if (round >= 0) rounds.push(figures);
}
const database = await databaseServer(db);
await api.stop();
verifier.close();
await provider.stop();
await client.close();
await mongo.stop();

console.log(`database: ${database}`);
console.log(`reads while one follows: ${rounds.map(({ one }) => one.following).join(' ')}`);
console.log(`reads while ${WATCHERS} follow: ${rounds.map(({ many }) => many.following).join(' ')}`);
console.log(`reads to let one in: ${median(rounds.map(({ many }) => many.opening / WATCHERS)).toFixed(1)}`);
console.log(`console-follow: ${median(rounds.map(({ one, many }) => many.following / one.following)).toFixed(2)}`);
process.exit();

interface Round {
  readonly opening: number;
  readonly following: number;
}

/** Has so many people follow a new build, from its first line to its end. */
async function follow(name: string, watchers: number): Promise<Round> {
  const build = buildRecord({ id: `bld_${name}`, serviceId: 'svc_bench', service: 'bench', org: 'acme' });
  await api.builds.create(build);
  await api.log.append(build.id, [logLine('0')]);
  const before = reads;
  const streams = people.slice(0, watchers).map((token) => openStream(build.id, token));
  await Promise.all(streams.map(({ began }) => began));
  const opened = reads;
  for (let line = 1; line < LINES; line += 1) {
    await api.log.append(build.id, [logLine(`${line}`)]);
    await delay(LINE_MS);
  }
  const end = { reason: null, failure: null, supersededBy: null, finishedAt: new Date() };
  await api.builds.finish(build.id, { status: 'completed', ...end });
  for (const { done } of streams) {
    const lines = await done;
    const isWhole = lines.length === LINES && lines.every((text, index) => text === `${index}`);
    if (!isWhole) throw new Error(`a watcher has ${lines.length} lines of ${LINES}, or in another order`);
  }
  return { opening: opened - before, following: reads - opened };
}

function openStream(build: string, token: string) {
  const began = Promise.withResolvers<void>();
  const lines: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event !== 'line') return;
      lines.push(JSON.parse(data).text);
      began.resolve();
    },
  });
  const read = async (): Promise<readonly string[]> => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const response = await fetch(`${api.address}/builds/${build}/logs`, { headers });
    if (!response.ok) throw new Error(await response.text());
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(chunk);
    return lines;
  };
  const done = read();
  done.catch(began.reject);
  return { began: began.promise, done };
}
