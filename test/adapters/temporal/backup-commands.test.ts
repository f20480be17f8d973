import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { createBackupCommands } from '../../../adapters/temporal/backup-commands.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

/** Refuses the first so many starts, and says then of what was in the way that it has ended. */
function clientThatRefuses(count: number) {
  let starts = 0;
  const workflow = {
    start: async () => {
      starts += 1;
      if (starts <= count) throw new WorkflowExecutionAlreadyStartedError('it runs', 'backup', 'backUpDatabase');
    },
    getHandle: () => ({ describe: async () => ({ status: { name: 'COMPLETED' }, memo: {}, runId: 'run' }) }),
  };
  const client = { workflow, withDeadline: (_deadline: unknown, work: () => unknown) => work() } as unknown as Client;
  return { commands: createBackupCommands(client), starts: () => starts };
}

test('a backup that meets one which ends just then begins all the same; where that goes on and on it says so', async () => {
  const { job } = await createBackupsParts();
  const met = clientThatRefuses(1);
  await met.commands.backUp(job());
  assert.equal(met.starts(), 2);
  const always = clientThatRefuses(Number.POSITIVE_INFINITY);
  await assert.rejects(always.commands.backUp(job()), { code: 'CONFLICT', retryable: true });
  assert.equal(always.starts(), 3);
});
