import { setTimeout as delay } from 'node:timers/promises';
import { createProber } from '../../../adapters/prober/prober.ts';
import { phaseOf } from '../../../domain/monitors/check-phase.ts';
import { SHARDS, shardOf } from '../../../domain/monitors/monitor.ts';
import type { ProberStatus } from '../../../domain/monitors/prober-ports.ts';
import { httpCheck, startHolderWorld } from '../../activities/monitors/holder-world.ts';
import { startBareChecks } from './bare-checks.ts';
import { type CheckerFigures, HANGING, INTERVAL_SECONDS, MONITORS } from './monitor-loads.ts';

/** One checker of the benches: `checker-process.ts <checker> <port> <ms to warm up> <ms measured>` says its figures. */
const [checker = '', port = '', warmMs = '', measuredMs = ''] = process.argv.slice(2);
const INTERVAL_MS = INTERVAL_SECONDS * 1_000;
const numbers = Array.from({ length: MONITORS }, (_, index) => index + 1);
const pathOf = (number: number): string => (number <= HANGING ? '/hang' : '/');
/** Names of their own: only so many checks of one host run at once. */
const checkOf = (number: number) => httpCheck(`http://site-${number}.localhost:${port}${pathOf(number)}`);
const outcomeOf = (number: number) => (number <= HANGING ? ('failed' as const) : ('ok' as const));
const counted = { checks: 0 };

/** @returns what says how late checks were since the last minute began, or since `reset` */
function startBare() {
  let late: number[] = [];
  const targets = numbers.map((number) => ({ phaseMs: phaseOf(`mon_${number}`, INTERVAL_MS), path: pathOf(number) }));
  startBareChecks(targets, { port: Number(port), intervalMs: INTERVAL_MS }, (lateMs) => {
    counted.checks += 1;
    late.push(lateMs);
  });
  return async () => {
    const sorted = late.sort((a, b) => a - b);
    late = [];
    return { p50Ms: at(sorted, 0.5), p99Ms: at(sorted, 0.99), skipped: 0 };
  };
}

function startProber() {
  const networks = { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null };
  const prober = createProber({ networks, nameServers: [], controls: [] });
  const onResults = (results: readonly unknown[]): void => {
    counted.checks += results.length;
  };
  const session = prober.open(
    { onResults, onHeartbeatsDue: () => undefined, onEnd: () => process.exit(1) },
    Date.now() - prober.nowMs(),
  );
  session.set(
    numbers.map((number) => ({
      ...{ id: `mon_${number}`, check: checkOf(number), intervalSeconds: INTERVAL_SECONDS },
      ...{ lastOutcome: outcomeOf(number), org: 'acme', isOfPlatform: true },
    })),
  );
  return async () => figuresOf(await prober.status());
}

/** As in production, but for the database: results are decided on and recorded in memory. */
async function startHolders() {
  const world = await startHolderWorld();
  for (const number of numbers) await world.add(number, checkOf(number), { intervalSeconds: INTERVAL_SECONDS });
  const fences = await Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => [shard, await world.results.claim(shard)] as const),
  );
  // They were checked before: a start says and confirms nothing.
  for (const [shard, fence] of fences) {
    const own = numbers.filter((number) => shardOf({ number }) === shard);
    const claimed = await world.conditions.claim(
      own.map((number) => `mon_${number}`),
      fence,
    );
    const conditions = own.flatMap((number) => {
      const condition = claimed.get(`mon_${number}`);
      const last = { monitorId: `mon_${number}`, at: 0, outcome: outcomeOf(number), durationMs: 1 };
      const bare = { ...last, problem: null, status: null, message: null };
      return condition === undefined ? [] : [{ ...condition, last: bare, seenAt: 0 }];
    });
    await world.conditions.write(conditions, fence);
  }
  for (let shard = 0; shard < SHARDS; shard += 1) void world.hold(shard);
  return async () => {
    const status = await world.deps.prober.status();
    counted.checks = status.checks;
    return figuresOf(status);
  };
}

function figuresOf({ lateness, skipped: { overdue, crowded, overlapping } }: ProberStatus) {
  const { p50Ms = Number.NaN, p99Ms = Number.NaN } = lateness ?? {};
  return { p50Ms, p99Ms, skipped: overdue + crowded + overlapping };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const read = checker === 'bare' ? startBare() : checker === 'prober' ? startProber() : await startHolders();
await delay(Number(warmMs));
await read();
counted.checks = 0;
const before = process.cpuUsage();
await delay(Number(measuredMs));
const { user, system } = process.cpuUsage(before);
const late = await read();
const figures: CheckerFigures = {
  ...{ ...late, checks: counted.checks, cpuMs: (user + system) / 1_000 },
  rssMb: process.memoryUsage.rss() / 1e6,
};
process.send?.(figures);
