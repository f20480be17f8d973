import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { NativeConnection } from '@temporalio/worker';
import { createGitHooksActivities } from '../../../activities/git-hooks/index.ts';
import { createServiceStore } from '../../../adapters/mongo/catalog/services.ts';
import { createGitConnectionStore } from '../../../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../../../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../../../adapters/mongo/git-hooks/heads.ts';
import { createGitHookCommands } from '../../../adapters/temporal/git-hook-commands.ts';
import { type Accepted, createAcceptDelivery } from '../../../api/git-hooks/accept-delivery.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { sealingContext } from '../../../domain/git-hooks/connection.ts';
import { connectionRecord } from '../../ports/git-hooks/records.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { pushBody, signDelivery } from '../../support/sign-delivery.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../../support/start-temporal.ts';
import { waitUntil } from '../../support/wait-until.ts';

const SECRET = 'the secret of this hook';

describe('1,000 deliveries at once, on a Temporal server and a database', { timeout: 300_000 }, () => {
  let mongo: TestMongo;
  let temporal: TestTemporal;
  let worker: Awaited<ReturnType<typeof startModuleWorker>>;
  let native: NativeConnection;
  let on: Awaited<ReturnType<typeof connect>>;
  before(async () => {
    mongo = await startMongo();
    temporal = await startTemporal();
    native = await NativeConnection.connect({ address: temporal.address });
    on = await connect();
    worker = await startModuleWorker(native, { module: 'git-hooks', activities: on.activities });
  });
  after(async () => {
    await worker?.stop();
    await native?.close();
    await temporal?.stop();
    await mongo?.stop();
  });

  /** A builder and a worker on stores of the database; git and builds are in this process. */
  async function connect() {
    const { db } = mongo.connection;
    const memory = createGitHooksParts();
    const parts = {
      ...memory,
      services: createServiceStore({ db, now: memory.now }),
      gitConnections: createGitConnectionStore({ db }),
      gitDeliveries: createGitDeliveryStore({ db, now: memory.now }),
      gitHeads: createHeadStore({ db }),
      gitHookCommands: createGitHookCommands(temporal.client),
    };
    const sealed = memory.cipher.seal(SECRET, sealingContext('gcn_many', 'ghs_many'));
    const connection = connectionRecord({
      id: 'gcn_many',
      secrets: [{ id: 'ghs_many', sealed, createdAt: memory.now() }],
      verifiedAt: memory.now(),
    });
    const { repository: gitUrl, org } = connection;
    await parts.services.upsert({ id: 'svc_1', name: 'shop', org }, { gitUrl });
    await parts.gitConnections.insert(connection);
    const accept = createAcceptDelivery({
      ...parts,
      ...{ audit: null, randomSecret: () => Buffer.alloc(32), localSourcesRoot: null },
      hooksUrl: 'https://builder.example',
    });
    /** Delivers a push that names a head; the delivery's own id is `uuid`. What is answered 503 is sent again, as by git hosts. */
    const deliver = async (head: string, uuid: string): Promise<Accepted> => {
      const { body, headers } = signDelivery('gitea', SECRET, { body: pushBody({ after: head }) });
      const sent = { ...headers, 'x-gitea-delivery': uuid };
      for (;;) {
        const stream = Readable.from([Buffer.from(body)]);
        try {
          return await accept('gcn_many', { address: '192.0.2.1', headers: sent, stream });
        } catch (error) {
          if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') throw error;
        }
      }
    };
    return {
      deliver,
      activities: createGitHooksActivities(parts),
      commit: (text: string) => memory.refs.commit(gitUrl, MAIN, { text }),
      requests: memory.deploys.requests,
      /** The reasons of deliveries, once each is decided. */
      reasonsOf: (ids: readonly string[]) =>
        waitUntil('all are decided', async () => {
          const found = await parts.gitDeliveries.findMany(ids);
          const isDecided = found.length === ids.length && found.every(({ state }) => state === 'decided');
          return isDecided && found.flatMap(({ outcomes }) => outcomes.map(({ reason }) => reason));
        }),
    };
  }

  it('are taken, are one build of the head, and each says so', async () => {
    const head = on.commit('first');
    const accepted = await Promise.all(
      Array.from({ length: 1_000 }, (_, number) => on.deliver(head, `first-${number}`)),
    );
    assert.ok(accepted.filter(({ alreadySeen }) => !alreadySeen).length <= 1, 'one is the first');
    const reasons = await on.reasonsOf(accepted.map(({ deliveryId }) => deliveryId));
    assert.equal(reasons.length, 1_000);
    assert.ok(reasons.includes('deployed'));
    assert.ok(reasons.every((reason) => reason === 'deployed' || reason === 'unchanged'));
    assert.equal(on.requests.length, 1);
  });

  it('that are delivered again, with ids of their own, after the branch went on, deploy its head and nothing else', async () => {
    const [request] = on.requests;
    const old = request?.source.kind === 'git' ? String(request.source.commit) : '';
    const head = on.commit('second');
    const accepted = await Promise.all(Array.from({ length: 50 }, (_, number) => on.deliver(old, `again-${number}`)));
    assert.ok(accepted.every(({ alreadySeen }) => alreadySeen));
    await on.reasonsOf(accepted.map(({ deliveryId }) => deliveryId));
    const commits = on.requests.map(({ source }) => (source.kind === 'git' ? source.commit : null));
    assert.deepEqual(commits, [old, head]);
  });
});
