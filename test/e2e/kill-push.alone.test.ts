import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@temporalio/client';
import { type Db, MongoClient } from 'mongodb';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { pushWorkflowId, reportWorkflowId } from '../../domain/git-hooks/messages.ts';
import { isPlayed } from '../support/is-played.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { giteaMissing } from '../support/start-gitea.ts';
import { waitUntil } from '../support/wait-until.ts';
import { completed, dataFolder, parts, visit } from './harness.ts';
import { killPart } from './kill-part.ts';
import { type PushedService, pushedService } from './pushed-service.ts';
import { buildsOf, containersOf, temporalClient } from './sample-service.ts';

/** While the host or the worker is away, what was pending may have ended before it is told. */
const PENDING_THEN_SUCCESS = /^(pending,)*success(,success)*$/;

/** How far a push is, as the database and Temporal know it, whoever is down. */
interface Seen {
  /** The look that the delivery asked for is durable: the git host was answered 202, or is in this moment. */
  readonly isAccepted: boolean;
  readonly isDecided: boolean;
  readonly build: Pick<BuildRecord, 'steps' | 'finishedAt'> | null;
  readonly isTold: boolean;
}

const hasEnded = (key: string) => (seen: Seen) =>
  seen.build?.steps.some((step) => step.key === key && step.state === 'completed') ?? false;

/** What a push goes through; what its look decided is written down while the build runs. */
const STEPS: readonly (readonly [step: string, isReached: (seen: Seen) => boolean])[] = [
  ['its delivery is accepted', ({ isAccepted }) => isAccepted],
  ['its build is opened', ({ build }) => build !== null],
  ['its head was looked at', ({ isDecided }) => isDecided],
  ['the source is fetched', hasEnded('source')],
  ['the image is built', hasEnded('image-build')],
  ['the workload is installed', hasEnded('install')],
  ['the commit shows its end', ({ isTold }) => isTold],
];

interface Victim {
  readonly name: string;
  /** At once; it is back when this resolves. */
  readonly kill: (on: PushedService) => Promise<void>;
}

/** The API is the process of all services, the console among them. */
const VICTIMS: readonly Victim[] = [
  { name: 'API', kill: () => killPart('api') },
  { name: 'worker', kill: () => killPart('worker') },
  { name: 'git host', kill: ({ gitea }) => gitea.kill().then(() => gitea.restart()) },
];

/** In as many pushes as there are victims, each victim is killed at each step once, never two of them at one step. */
describe('pushes during which a process is killed at each step', {
  skip: await giteaMissing(),
  timeout: 800_000,
}, () => {
  let on: PushedService;
  let mongo: MongoClient;
  let db: Db;
  let temporal: Awaited<ReturnType<typeof temporalClient>>;
  before(async () => {
    on = await pushedService('kill-push');
    mongo = await MongoClient.connect(await stackDatabaseUri(dataFolder(), (await parts()).mongo?.address));
    db = mongo.db();
    temporal = await temporalClient();
  });
  after(async () => {
    await temporal?.[Symbol.asyncDispose]();
    await mongo?.close();
    await on?.[Symbol.asyncDispose]();
  });

  // In each of them every victim is killed, and something at every step.
  for (const round of [...VICTIMS.keys()].filter((each) => isPlayed(each))) {
    const victims = STEPS.map((_, step) => VICTIMS[(step + round) % VICTIMS.length] ?? assert.fail());
    it(`make one build and one end on the commit: ${victims.map(({ name }) => name).join(', ')}`, async (t) => {
      const commit = await on.app.commit({ says: `round ${round}` });
      const pushedAt = new Date();
      await on.push();
      const seconds = () => ((Date.now() - pushedAt.getTime()) / 1000).toFixed(1);
      const left = new Map(STEPS.entries());
      const restarts = new Map<Victim, Promise<void>>();
      await waitUntil(
        'every step',
        async () => {
          const seen = await look(commit, pushedAt);
          for (const [index, [step, isReached]] of left) {
            if (!isReached(seen)) continue;
            left.delete(index);
            const victim = victims[index] ?? assert.fail();
            t.diagnostic(`${seconds()} s: ${step}; ${victim.name} killed`);
            // One that is being started again is killed once it is there.
            const restarted = (restarts.get(victim) ?? Promise.resolve()).then(() => victim.kill(on));
            restarts.set(victim, restarted);
          }
          return left.size === 0;
        },
        { everyMs: 10 },
      );
      await Promise.all(restarts.values());
      await assertOneOfEach(commit);
      t.diagnostic(`${seconds()} s: whole again`);
    });
  }

  const pushOf = () => pushWorkflowId({ connectionId: on.connection.id, ref: 'refs/heads/main' });

  async function look(commit: string, since: Date): Promise<Seen> {
    const [delivery, build, push] = await Promise.all([
      db.collection('git_deliveries').findOne({ connectionId: on.connection.id, claimedHead: commit }),
      db.collection<BuildRecord>('builds').findOne({ service: on.app.name, 'source.commit': commit }),
      describeOf(temporal.client, pushOf()),
    ]);
    const isTold =
      build?.finishedAt != null && (await on.statuses(commit).catch(() => [])).at(-1)?.status === 'success';
    const isLooking = push !== null && push.startTime >= since;
    return { isAccepted: delivery !== null && isLooking, isDecided: delivery?.state === 'decided', build, isTold };
  }

  async function assertOneOfEach(commit: string): Promise<void> {
    const builds = await waitUntil('the list of builds', () => buildsOf(on.app.name).catch(() => null));
    const [build, ...others] = builds.filter(({ source }) => source.kind === 'git' && source.commit === commit);
    assert.ok(build);
    assert.deepEqual(others, []);
    await completed(build.id);
    for (const id of [pushOf(), buildWorkflowId(build.id), reportWorkflowId(build.id)]) {
      await waitUntil(`the end of ${id}`, async () => {
        const { status } = (await describeOf(temporal.client, id)) ?? {};
        assert.ok(status?.name === 'RUNNING' || status?.name === 'COMPLETED', `${id}: ${status?.name}`);
        return status.name === 'COMPLETED';
      });
    }
    // By then whoever tells the commit has ended: nothing comes after what it shows.
    const states = (await on.statuses(commit)).map(({ status }) => status);
    assert.match(states.join(), PENDING_THEN_SUCCESS);
    assert.deepEqual(
      (await containersOf(build.id)).map(({ State }) => State),
      ['running'],
    );
    await waitUntil('the end of the containers of earlier builds', async () => {
      const earlier = builds.filter(({ id }) => id !== build.id).map(({ id }) => containersOf(id));
      return (await Promise.all(earlier)).every(({ length }) => length === 0);
    });
    assert.equal(JSON.parse((await visit(on.app.name)).body).commit, commit);
  }
});

/** The newest run of a workflow; null when there is none. */
async function describeOf(client: Client, workflowId: string) {
  return await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
}
