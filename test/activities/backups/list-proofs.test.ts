import assert from 'node:assert/strict';
import { test } from 'node:test';
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
