import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Client } from '@temporalio/client';
import { listRemainder } from '../../../activities/search-pulls/pull-runs.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createLogger } from '../../../adapters/logging/logger.ts';
import { followDatabaseClock } from '../../../adapters/mongo/database-clock.ts';
import { createPropertyStore } from '../../../adapters/mongo/properties/properties.ts';
import { createPulledProperties } from '../../../adapters/mongo/search-pulls/pull-runs.ts';
import { startServer } from '../../../api/http/server.ts';
import type { ServiceParts } from '../../../api/service-definition.ts';
import { siteRegistry } from '../../../api/services/site-registry.ts';
import type { EstateJob, PropertyJob } from '../../../domain/search-pulls/messages.ts';
import { property } from '../../ports/properties/property-store.ts';
import { createSearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

const SYNCER = { kind: 'service', clientId: 'portal', org: 'platform', name: 'portal', scopes: ['webmaster:sync'] };
const AHEAD_MS = 3 * 3_600_000;

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

/** The service as it is composed, on a free port; what it starts is written down. */
async function startComposed() {
  const { connection } = mongo;
  const started: (EstateJob | PropertyJob)[] = [];
  const client = {
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    withAbortSignal: (_signal: AbortSignal, call: () => Promise<unknown>) => call(),
    options: { namespace: 'default' },
    workflowService: { describeTaskQueue: async () => ({ pollers: [{}] }) },
    workflow: {
      start: async (_type: string, { args }: { readonly args: readonly [EstateJob | PropertyJob] }) => {
        started.push(args[0]);
        return { firstExecutionRunId: 'run' };
      },
      getHandle: () => ({ result: async () => ({ days: 0, rows: 0, truncatedDays: 0 }) }),
    },
  } as unknown as Client;
  const [stopping, opened] = [new AbortController(), new AsyncDisposableStack()];
  const log = createLogger({ name: 'test', level: 'silent' });
  const parts = {
    ...{ env: {}, publicUrl: 'http://127.0.0.1', mongo: connection, temporal: () => client, log, opened },
    settings: { urls: {}, platformOrg: 'platform', providerKey: '' },
    app: {
      ...{ authenticate: async () => SYNCER, newId, log, requestsPerMinute: 1_000, stopping: stopping.signal },
      health: { commit: 'c0ffee', version: '1.2.3', now: () => new Date(), checks: {} },
    },
    stopping: stopping.signal,
  } as unknown as ServiceParts<Record<string, never>, 'site-registry'>;
  const { app } = await siteRegistry.compose(parts);
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 1_000 });
  const pull = async (body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.address}/api/search/pull`, init);
    return response.status;
  };
  return { started, pull, [Symbol.asyncDispose]: () => server.stop().then(() => opened.disposeAsync()) };
}

it('leaves the next daily pull all there is to pull, also when its machine is three hours ahead', async (t) => {
  const { db } = mongo.connection;
  const properties = createPropertyStore({ db });
  const bare = property({ domain: 'shop.com' });
  const verification = { ...bare.verification, state: 'verified', verifiedAt: bare.createdAt } as const;
  await properties.insert({ ...bare, verification });
  const worker = await followDatabaseClock({ db, onFailure: () => undefined });
  t.after(worker.close);
  await using service = await startComposed();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + AHEAD_MS });
  assert.equal(await service.pull({}), 202);
  assert.equal(await service.pull({ domain: 'shop.com' }), 200);
  t.mock.timers.reset();

  assert.equal(service.started.length, 2);
  const pulled = createPulledProperties({ db });
  for (const { since } of service.started) await pulled.notePulled('shop.com', new Date(since));
  // Its moments come after those of pulls that ended before.
  const daily = await worker.read();
  const deps = {
    ...createSearchPullsParts().deps,
    properties: { list: async () => ({ items: ['shop.com'], nextCursor: null }), find: async () => null },
    pulled,
  };
  const { properties: left } = await listRemainder(deps, { since: daily.toISOString(), cursor: null });
  assert.deepEqual(left, ['shop.com']);
});
