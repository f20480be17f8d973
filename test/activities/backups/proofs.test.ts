import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpDatabase } from '../../../activities/backups/make-backup.ts';
import { proofScratches } from '../../../activities/backups/proof-scratches.ts';
import { listBackupsToVerify, verifyBackup } from '../../../activities/backups/verify-backup.ts';
import { isScratch } from '../../../domain/backups/restore.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const NIGHT = '2026-05-04';
const BEGUN = Date.parse('2026-05-04T04:30:00Z');
const MINUTE = 60_000;
const patience = () => AbortSignal.timeout(10_000);

/** A backup, and the databases of its server that proofs have made. */
async function backedUp() {
  const parts = await createBackupsParts();
  const job = parts.job();
  await parts.activities.openBackup(job);
  const { deps } = parts;
  await dumpDatabase(deps, job, patience());
  const left = () => [...deps.tools.postgres.databases.keys()].filter((name) => isScratch(name, 'verify'));
  const found = async () => (await deps.backups.find(job.id))?.verification;
  return { ...parts, id: job.id, left, found };
}

test('of two attempts of a proof at once neither takes the database of the other, and the later one counts', async () => {
  const { deps, id, left, found } = await backedUp();
  const { postgres } = deps.tools;
  const [counting, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // It was paused after it had restored the backup.
  const paused = {
    ...postgres,
    figures: async (name: string, signal: AbortSignal) => {
      counting.resolve();
      await goesOn.promise;
      return await postgres.figures(name, signal);
    },
  };
  const pausedDeps = { ...deps, tools: { ...deps.tools, postgres: paused } };
  const earlier = verifyBackup(pausedDeps, id, patience(), proofScratches({ begunMs: BEGUN, proof: id }, 1)).catch(
    () => undefined,
  );
  await counting.promise;
  const later = {
    ...postgres,
    figures: async (name: string, signal: AbortSignal) => {
      goesOn.resolve();
      await earlier;
      return await postgres.figures(name, signal);
    },
  };
  const laterDeps = { ...deps, tools: { ...deps.tools, postgres: later } };
  assert.equal(await verifyBackup(laterDeps, id, patience(), proofScratches({ begunMs: BEGUN, proof: id }, 2)), null);
  assert.equal((await found())?.problem, null);
  assert.deepEqual(left(), []);
});

test('an attempt that goes on after the next one notes nothing', async () => {
  const { deps, id, left, found } = await backedUp();
  const { postgres } = deps.tools;
  const [counting, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const paused = {
    ...postgres,
    figures: async () => {
      counting.resolve();
      await goesOn.promise;
      return { orders: 0 };
    },
  };
  const late = verifyBackup(
    { ...deps, tools: { ...deps.tools, postgres: paused } },
    id,
    patience(),
    proofScratches({ begunMs: BEGUN, proof: id }, 1),
  );
  await counting.promise;
  assert.equal(await verifyBackup(deps, id, patience(), proofScratches({ begunMs: BEGUN, proof: id }, 2)), null);
  goesOn.resolve();
  assert.notEqual(await late, null);
  assert.equal((await found())?.problem, null);
  assert.deepEqual(left(), []);
});

test('what proofs of before have left is dropped before the first page of a night, and nothing else', async () => {
  const parts = await backedUp();
  const { deps, add, left, away } = parts;
  const names = ['fairlead_verify_0123456789abcdefghjk', 'fairlead_verify_1123456789abcdefghjk'];
  for (const name of names) add('postgres', name, {}, null);
  add('postgres', 'fairlead_kept_0123456789abcdefghjk', {}, null);
  add('postgres', 'fairlead_verify_of_a_person', {}, null);
  away.add('mongodb');
  const after = { isDue: true, triedAt: '', database: 'a', since: new Date(BEGUN).toISOString(), left: 1 };
  await listBackupsToVerify(deps, NIGHT, patience(), { begunMs: BEGUN, after });
  assert.deepEqual(left(), names);
  const { backupIds } = await listBackupsToVerify(deps, NIGHT, patience(), { begunMs: BEGUN });
  assert.deepEqual(backupIds, [parts.id]);
  assert.deepEqual(left(), []);
  const { databases } = deps.tools.postgres;
  assert.ok(databases.has('fairlead_kept_0123456789abcdefghjk') && databases.has('fairlead_verify_of_a_person'));
});

test('a listing that goes on beside proofs of its night or of a later one leaves their databases, and drops those of before', async () => {
  const { deps, add, left } = await backedUp();
  const ofProofs = (begunMs: number) =>
    [1, 2].map((attempt) => proofScratches({ begunMs, proof: `proof ${attempt}` }, attempt).own);
  const [before, since] = [
    ofProofs(BEGUN - deps.settings.dumpTimeoutMs - 1),
    [...ofProofs(BEGUN + MINUTE), ...ofProofs(BEGUN + 1_440 * MINUTE)],
  ];
  for (const name of [...before, ...since]) add('postgres', name, {}, null);
  // A proof has ended by its limit, whoever asked for it. One that was paused: its server is asked for its databases when later ones are there.
  await listBackupsToVerify(deps, NIGHT, patience(), { begunMs: BEGUN });
  assert.deepEqual(left(), since);
  await listBackupsToVerify(deps, NIGHT, patience(), { begunMs: BEGUN + 2_880 * MINUTE });
  assert.deepEqual(left(), []);
});
