import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followShard } from '../../../activities/monitors/follow-shard.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

async function world(fault: { error: Error | null }) {
  const monitors = createMemoryMonitors();
  await monitors.insert(monitorRecord(4));
  const watched: string[] = [];
  const warnings: string[] = [];
  const shard = await followShard(
    {
      monitors,
      recorder: {
        conditions: () => new Map(),
        follow: async () => {
          if (fault.error !== null) throw fault.error;
        },
      },
      session: { set: (added) => watched.push(...added.map(({ id }) => id)), remove: () => undefined },
      secrets: { look: async () => new Set(), of: () => new Map() },
      isPlatformHost: () => false,
      now: () => new Date(0),
      warn: (_problem, message) => warnings.push(message),
    },
    0,
    [],
  );
  return { shard, watched, warnings };
}

test('a database that is full ends no check: changes are taken over once it has room', async () => {
  const fault = { error: new Error('No space left on device') as Error | null };
  const { shard, watched, warnings } = await world(fault);
  await shard.look();
  await shard.look();
  assert.deepEqual([watched, warnings.length], [[], 1]);
  fault.error = null;
  await shard.look();
  assert.deepEqual(watched, ['mon_4']);
});

test('another holder of the shard ends this one', async () => {
  const { shard } = await world({ error: new FairleadError('CONFLICT', 'another holder') });
  await assert.rejects(shard.look(), { code: 'CONFLICT' });
});
