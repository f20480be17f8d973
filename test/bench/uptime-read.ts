import { connectMongo } from '../../adapters/mongo/connect.ts';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { createRollUpStore } from '../../adapters/mongo/monitors/roll-ups.ts';
import type { RollUp, RollUpLength } from '../../domain/monitors/history.ts';
import { createMonitorHistory } from '../../domain/monitors/read-history.ts';
import { startMongo } from '../support/start-mongo.ts';
import { median } from './parts/median.ts';

/** How long the uptime of 50 monitors takes over 90 days, against over one day: in turns, everything warm. */
export const needsStack = false;

const MONITORS = 50;
const DAYS = 90;
const READS = 60;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-01T18:00:00Z');
const TODAY = Date.parse('2026-11-01T00:00:00Z');

const mongo = await startMongo();
const { db, close } = await connectMongo(mongo.uriOf('uptime'), 'bench');
await createMonitorIndexes(db);
const rollUps = createRollUpStore({ db });
const ids = Array.from({ length: MONITORS }, (_, index) => `mon_${index}`);

function rollUp(monitorId: string, length: RollUpLength, startsAt: number): RollUp {
  const time = { upMs: 3_000_000, degradedMs: 0, downMs: 1_000, maintenanceMs: 0 };
  return {
    monitorId,
    length,
    startsAt: new Date(startsAt),
    ...time,
    checks: 120,
    failed: 1,
    latency: [0, 0, 0, 9, 80, 31],
  };
}

for (const id of ids) {
  const days = Array.from({ length: DAYS }, (_, index) => rollUp(id, '1d', TODAY - (index + 1) * DAY_MS));
  const hours = Array.from({ length: 18 }, (_, index) => rollUp(id, '1h', TODAY + index * HOUR_MS));
  await rollUps.write([...days, ...hours]);
}

const history = createMonitorHistory({ rollUps });
async function read(days: number): Promise<number> {
  const startedAt = performance.now();
  const figures = await history.uptime(ids, days, NOW);
  if (figures.size !== MONITORS || figures.get('mon_0')?.ratio === null) throw new Error('figures are missing');
  return performance.now() - startedAt;
}

const times: { readonly long: number[]; readonly short: number[] } = { long: [], short: [] };
for (let turn = 0; turn < READS; turn += 1) {
  times.long.push(await read(DAYS));
  times.short.push(await read(1));
}
const [long, short] = [median(times.long.slice(10)), median(times.short.slice(10))];
console.log(`${MONITORS} monitors: ${long.toFixed(1)} ms over ${DAYS} days, ${short.toFixed(1)} ms over one`);
console.log(`uptime-read: ${(long / short).toFixed(2)}`);
await close();
await mongo.stop();
