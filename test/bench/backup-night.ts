import assert from 'node:assert/strict';
import { BACKUPS_WORKFLOWS } from '../../domain/backups/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { timed } from './parts/bare-tools.ts';
import { startBenchPlatform } from './parts/bench-platform.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * A night of 50 real databases of 5 MB each (DATABASES, SIZE_MB), and their proof, through the real worker: each has one
 * completed backup, which was restored for proof. The figure is seconds of the night for one database. Its first argument names
 * the engine: `npm run bench -- backup-night mongodb`.
 */
export const needsStack = false;

const DATABASES = Number(process.env.DATABASES ?? 50);
const SIZE_MB = Number(process.env.SIZE_MB ?? 5);

const platform = await startBenchPlatform();
try {
  await night();
} finally {
  await platform.stop();
}
process.exit();

async function night(): Promise<void> {
  const { temporal, backups } = platform;
  for (let number = 0; number < DATABASES; number += 1) {
    const { databaseName } = await platform.createDatabase(`shop-${number}`);
    await platform.server.fillMixed(databaseName, SIZE_MB);
  }
  await platform.startWorker();
  const { pid } = platform.worker();
  const idle = await residentMib(pid);
  const run = (type: string) => () =>
    temporal.client.workflow.execute(type, { workflowId: type, taskQueue: TASK_QUEUE });
  let nightMs = 0;
  const most = await mostResidentMib(pid, async () => {
    nightMs = await timed(run(BACKUPS_WORKFLOWS.nightlyBackups));
  });
  const proofMs = await timed(run(BACKUPS_WORKFLOWS.verifyBackups));
  const made = (await backups.list({}, { cursor: null, limit: 200 })).items.filter(({ service }) => service !== null);
  assert.equal(new Set(made.map(({ databaseName }) => databaseName)).size, DATABASES);
  for (const { databaseName, status, verification, problem } of made) {
    assert.equal(status, 'completed', `${databaseName}: ${problem?.message}`);
    assert.ok(verification !== null && verification.problem === null, `${databaseName} is proven`);
  }
  console.log(`${made.length} databases of ${SIZE_MB} MB: backed up in ${(nightMs / 1e3).toFixed(1)} s, all completed`);
  console.log(`restored for proof in ${(proofMs / 1e3).toFixed(1)} s, all with the counts of the dump`);
  console.log(`worker: ${idle.toFixed(0)} MiB idle, ${most.toFixed(0)} MiB at most`);
  console.log(`backup-night: ${(nightMs / 1e3 / DATABASES).toFixed(2)} s`);
}
