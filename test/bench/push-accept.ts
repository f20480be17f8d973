import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { Pool } from 'undici';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createBuilderIndexes } from '../../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { createGitConnectionStore } from '../../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../../adapters/mongo/git-hooks/heads.ts';
import { createGitHookCommands } from '../../adapters/temporal/git-hook-commands.ts';
import { hookRoute } from '../../api/git-hooks/hook-routes.ts';
import { createApp } from '../../api/http/create-app.ts';
import { createHealthRoute } from '../../api/http/health.ts';
import { sealingContext } from '../../domain/git-hooks/connection.ts';
import { GIT_HOOKS_WORKFLOWS } from '../../domain/git-hooks/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { connectionRecord, ruleRecord } from '../ports/git-hooks/records.ts';
import { pushBody, signDelivery } from '../support/sign-delivery.ts';
import { startMongo } from '../support/start-mongo.ts';
import { startTemporal } from '../support/start-temporal.ts';
import { databaseServer } from './parts/database-server.ts';
import { median } from './parts/median.ts';
import { ratePerSecond } from './parts/rate.ts';

/**
 * Deliveries of a git host that are answered 202 in a second, by 16 clients: each of a branch of its own, so that each
 * starts a workflow. Against a bare Express route in this process that checks the same HMAC over the same body and starts
 * such a workflow, in turns. The figure is the median of the rounds' own ratios. No worker runs beside either.
 */
export const needsStack = false;

const CLIENTS = 16;
const WARM_UPS = 2;
const ROUNDS = 7;
const ROUND_MS = 2_000;
const SECRET = randomBytes(32).toString('base64url');

const mongo = await startMongo();
const { db } = mongo.connection;
await createBuilderIndexes(db);
const temporal = await startTemporal();
const now = () => new Date();
const cipher = createSecretCipher([randomBytes(32)]);
const deps = {
  services: createServiceStore({ db, now }),
  builds: createBuildStore({ db, now }),
  gitConnections: createGitConnectionStore({ db }),
  gitDeliveries: createGitDeliveryStore({ db, now }),
  gitHeads: createHeadStore({ db }),
  gitHookCommands: createGitHookCommands(temporal.client),
  ...{ gitHost: null, cipher, audit: null, newId, now, platformGitUrl: null, localSourcesRoot: null },
  randomSecret: () => randomBytes(32),
  hooksUrl: 'https://builder.example',
};
const { service: record } = await deps.services.upsert({ id: 'svc_bench', name: 'bench', org: 'acme' }, {});
const sealed = cipher.seal(SECRET, sealingContext('gcn_bench', 'ghs_bench'));
const connection = connectionRecord({
  id: 'gcn_bench',
  secrets: [{ id: 'ghs_bench', sealed, createdAt: now() }],
  services: [{ serviceId: record.id, service: record.name, rules: [ruleRecord({ pattern: '*' })] }],
  verifiedAt: now(),
});
await deps.gitConnections.insert(connection);
const log = createLogger({ name: 'bench', level: 'warn', secrets: [] });
const ours = createApp({
  ...{ title: 'bench', version: '0', newId, log, requestsPerMinute: 1_000_000, stopping: new AbortController().signal },
  authenticate: async () => null,
  health: createHealthRoute({ commit: 'bench', version: '0', now, checks: {} }),
  routes: [hookRoute(deps, { perMinute: Number.POSITIVE_INFINITY, branchesPerMinute: Number.POSITIVE_INFINITY })],
});

const bare = express().post(
  '/hooks/git/:id',
  express.raw({ type: () => true, limit: '25mb' }),
  async (request, response) => {
    const expected = createHmac('sha256', SECRET).update(request.body).digest();
    const given = Buffer.from(String(request.headers['x-gitea-signature']), 'hex');
    if (given.length !== 32 || !timingSafeEqual(given, expected)) return void response.sendStatus(401);
    const { ref } = JSON.parse(String(request.body));
    const args = [{ connectionId: request.params.id, ref }];
    const workflowId = `bare/${ref}`;
    await temporal.client.workflow.start(GIT_HOOKS_WORKFLOWS.deployPushes, { workflowId, taskQueue: TASK_QUEUE, args });
    response.sendStatus(202);
  },
);

async function listen(app: Express) {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: CLIENTS });
  let made = 0;
  const deliver = async (): Promise<number> => {
    made += 1;
    // As long as a push of a few commits.
    const body = pushBody({ ref: `refs/heads/branch-${made}`, commits: 'x'.repeat(8_000) });
    const { headers } = signDelivery('gitea', SECRET, { body });
    const reply = await pool.request({ method: 'POST', path: '/hooks/git/gcn_bench', headers, body });
    const text = await reply.body.text();
    if (reply.statusCode === 202) return 1;
    throw new Error(text);
  };
  return {
    deliver,
    async close() {
      await pool.close();
      server.close();
    },
  };
}

const sides = { ours: await listen(ours), bare: await listen(bare) };
const load = { clients: CLIENTS, forMs: ROUND_MS };
const rounds: { readonly ours: number; readonly bare: number }[] = [];
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  const figures = {
    bare: await ratePerSecond(sides.bare.deliver, load),
    ours: await ratePerSecond(sides.ours.deliver, load),
  };
  if (round >= WARM_UPS) rounds.push(figures);
}
const database = await databaseServer(db);
await sides.ours.close();
await sides.bare.close();
await temporal.stop();
await mongo.stop();

const list = (values: readonly number[]): string => values.map(Math.round).join(' ');
console.log(`database: ${database}`);
console.log(`a bare route: ${list(rounds.map((round) => round.bare))} a second`);
console.log(`deliveries: ${list(rounds.map((round) => round.ours))} a second`);
console.log(`push-accept: ${median(rounds.map((round) => round.ours / round.bare)).toFixed(2)}`);
