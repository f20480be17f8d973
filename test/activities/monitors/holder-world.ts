import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFaultWatch } from '../../../activities/monitors/fault-watch.ts';
import { type HoldShardDeps, holdShard } from '../../../activities/monitors/hold-shard.ts';
import { createOpenedSecrets } from '../../../activities/monitors/opened-secrets.ts';
import { openShardRecorder } from '../../../activities/monitors/shard-recorder.ts';
import { createCheckSecretStore } from '../../../adapters/mongo/monitors/check-secrets.ts';
import { createProber } from '../../../adapters/prober/prober.ts';
import { createResultSpool } from '../../../adapters/prober/result-spool.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { HttpCheck, MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import type { Transition } from '../../../domain/monitors/condition.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { platformHosts } from '../../../domain/monitors/platform-host.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { createDatabase } from '../../support/in-memory/database/database.ts';
import { createMemoryHeartbeats } from '../../support/in-memory/heartbeats.ts';
import { createMemoryResults } from '../../support/in-memory/monitor-history.ts';
import { createMemoryConditions, createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

/** A site of a test, on the loopback. */
export async function startSite() {
  const state = { status: 200, requests: 0 };
  const server = createServer((_request, response) => {
    state.requests += 1;
    response.writeHead(state.status).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { state, port, url: `http://127.0.0.1:${port}/health`, close, [Symbol.asyncDispose]: close };
}

export const httpCheck = (url: string): HttpCheck => ({
  ...{ kind: 'http', url, method: 'GET', expectStatus: null, expectBodyContains: null, json: null },
  latencyBudgetMs: null,
});

/** Holders of shards on a real prober, over stores in memory that may be away. */
export async function startHolderWorld({ controls = [] as readonly { host: string; port: number }[] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-holder-'));
  const [monitors, conditions, results] = [createMemoryMonitors(), createMemoryConditions(), createMemoryResults()];
  const heartbeats = createMemoryHeartbeats();
  const { db } = createDatabase().connection;
  const secrets = createCheckSecretStore({ db });
  const told: (Transition & { readonly monitorId: string })[] = [];
  const notices: Notification[] = [];
  const holders: { stop(): Promise<unknown> }[] = [];
  const warnings: string[] = [];
  const database = { isAway: false };
  const unlessAway = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => (name in target ? guarded(target[name as keyof T], database) : undefined),
    });
  const prober = createProber({
    networks: { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null },
    nameServers: [],
    controls,
  });
  const now = () => new Date();
  const warn = (_problem: object, message: string): void => void warnings.push(message);
  const outbox = { tell: async (notice: Notification) => void notices.push(notice) };
  const recording = {
    monitors: unlessAway(monitors),
    conditions: unlessAway(conditions),
    results: unlessAway(results),
    listener: {
      announce: async () => undefined,
      tell: async ({ id }: Monitor, transition: Transition) => void told.push({ ...transition, monitorId: id }),
    },
    ...{ now, onFailure: () => undefined },
  };
  const deps: HoldShardDeps = {
    openRecorder: (shard) => openShardRecorder(recording, shard),
    monitors: recording.monitors,
    heartbeats: unlessAway(heartbeats),
    openSecrets: () =>
      createOpenedSecrets({ secrets: unlessAway(secrets), openSecret: (_org, { sealed }) => sealed.sealed, warn }),
    ...{ prober, now, warn, isPlatformHost: platformHosts('localhost') },
    faults: createFaultWatch({ prober, outbox, now, warn, proberName: 'test' }),
    spool: createResultSpool({ folder, onDrop: () => undefined }),
  };
  return {
    ...{ db, monitors, conditions, results, heartbeats, secrets, told, notices, warnings, database, deps },
    add: async (number: number, check: MonitorCheck, changes: Partial<Monitor> = {}) => {
      const monitor = monitorRecord(number, {
        check,
        intervalSeconds: 5,
        createdAt: now(),
        updatedAt: now(),
        ...changes,
      });
      await monitors.insert(monitor);
      return monitor;
    },
    change: async (id: string, changes: Partial<Monitor>) => {
      const monitor = await monitors.find(id);
      if (monitor === null) throw new Error(`no monitor ${id}`);
      await monitors.replace({ ...monitor, ...changes, updatedAt: now(), revision: monitor.revision + 1 });
    },
    verdict: async (id: string) => (await conditions.find([id])).get(id)?.verdict.verdict,
    /** Begins to hold a shard. */
    hold: (shard: number) => {
      const stop = new AbortController();
      const ended = holdShard(deps, shard, stop.signal).catch((error: unknown) => error);
      const holder = {
        ended,
        stop: async () => {
          stop.abort(new Error('the test is over'));
          return await ended;
        },
      };
      holders.push(holder);
      return holder;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(holders.map((holder) => holder.stop()));
      await prober.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function guarded(method: unknown, database: { readonly isAway: boolean }): unknown {
  if (typeof method !== 'function') return method;
  return async (...given: unknown[]) => {
    if (database.isAway) throw new FairleadError('UNAVAILABLE', 'The database is away', { retryable: true });
    return await method(...given);
  };
}
