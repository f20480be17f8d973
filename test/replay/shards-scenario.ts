import { whileHeartbeating } from '../../activities/while-heartbeating.ts';
import { FairleadError } from '../../domain/errors.ts';
import { MONITOR_WORKFLOWS, shardWorkflowId } from '../../domain/monitors/messages.ts';
import { SHARDS } from '../../domain/monitors/monitor.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const FAILING = 1;

/** Shards are started, and again while they are held, and it is told that all goes well; one holder fails, and another begins. */
export async function shards(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const held: number[] = [];
  const released = Promise.withResolvers<void>();
  const holdShard = async (shard: number): Promise<string> => {
    held.push(shard);
    if (shard === FAILING && held.filter((each) => each === FAILING).length === 1) {
      throw new FairleadError('INTERNAL', 'a mistake in the program');
    }
    return await whileHeartbeating(async () => {
      await released.promise;
      return 'over';
    });
  };
  const { workflow } = temporal.client;
  const handle = (shard: number) => workflow.getHandle(shardWorkflowId(shard));
  const options = {
    taskQueue: 'shards',
    module: 'monitors',
    activities: { holdShard, pingDeadMan: async () => 'pinged' },
  };
  return await withOwnWorker(temporal, options, async (execute) => {
    await execute(MONITOR_WORKFLOWS.startShards, 'start-shards');
    const { runId } = await handle(FAILING).describe();
    await waitUntil('all are held', () => held.length >= SHARDS);
    await execute(MONITOR_WORKFLOWS.startShards, 'start-shards-again');
    await execute(MONITOR_WORKFLOWS.startShards, 'start-shards-pings');
    await temporal.env.sleep('10s');
    await waitUntil('another holder began', () => held.length > SHARDS);
    for (let shard = 0; shard < SHARDS; shard += 1) await handle(shard).terminate();
    released.resolve();
    return {
      'start-shards': 'start-shards',
      'start-shards-again': 'start-shards-again',
      'start-shards-pings': 'start-shards-pings',
      'monitor-shard': { workflowId: shardWorkflowId(FAILING), runId },
    };
  });
}
