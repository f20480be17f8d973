import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proofScratches } from '../../../activities/backups/proof-scratches.ts';
import { listBackupsToVerify, type ProofsPlan } from '../../../activities/backups/verify-backup.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../../adapters/temporal/payload-size.ts';
import { formatId } from '../../../domain/ids.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const NIGHT = '2026-05-04';
const DATABASES = 10_000;

test('the proofs of ten thousand databases travel through workflows by pages, each of them once', async () => {
  const { deps } = await createBackupsParts();
  deps.settings.nightPage = 2_500;
  for (let index = 0; index < DATABASES; index += 1) {
    const id = formatId('backup', Buffer.alloc(32, `${index} `));
    await deps.backups.insert(backupRecord({ id, databaseName: `database_${index}` }));
  }
  const seen: string[] = [];
  let plan: ProofsPlan | null = null;
  do {
    plan = await listBackupsToVerify(deps, NIGHT, AbortSignal.timeout(60_000), { begunMs: 0, after: plan?.more });
    assert.ok(Buffer.byteLength(JSON.stringify(plan)) < PAYLOAD_LIMIT_BYTES);
    seen.push(...plan.backupIds);
  } while (plan.more !== null);
  assert.equal(seen.length, DATABASES);
  assert.equal(new Set(seen).size, seen.length);
});

test('a final backup that its own workflow may be proving is left to it, and so are the databases of proofs that go on', async () => {
  const { deps, clock, tools, add } = await finals();
  const list = async () => {
    const options = { begunMs: clock.now.getTime(), after: null };
    return (await listBackupsToVerify(deps, NIGHT, AbortSignal.timeout(60_000), options)).backupIds;
  };
  const scratch = proofScratches({ begunMs: clock.now.getTime(), proof: 'of the final one' }, 1).own;
  add('postgres', scratch, {}, null);
  clock.now = new Date(clock.now.getTime() + deps.settings.dumpTimeoutMs - 1);
  assert.deepEqual(await list(), []);
  assert.ok(tools.postgres.databases.has(scratch));
  clock.now = new Date(clock.now.getTime() + deps.settings.dumpTimeoutMs + 1);
  assert.deepEqual(await list(), ['bak_final']);
  assert.ok(!tools.postgres.databases.has(scratch));
});

async function finals() {
  const parts = await createBackupsParts();
  const { deps, clock } = parts;
  const change = { id: 'bak_final', kind: 'final', tier: 'manual', startedAt: clock.now, triedAt: null } as const;
  await deps.backups.insert(backupRecord({ ...change, verification: null }));
  return { ...parts, tools: deps.tools };
}
