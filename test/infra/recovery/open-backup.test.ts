import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { openBackup } from '../../../infra/dev/recovery/open-backup.ts';
import { makePlatformBackup } from '../../support/in-memory/make-platform-backup.ts';
import { createPlatformBackupParts, type PlatformBackupParts } from '../../support/in-memory/platform-backup-parts.ts';

const version = '0.3.0';
const at = (day: number, hour = 2) => new Date(Date.UTC(2026, 4, day, hour, 15));

describe('which backup a restore takes', () => {
  let parts: PlatformBackupParts;
  beforeEach(async () => {
    parts = await createPlatformBackupParts();
  });

  const made = (day: number) => makePlatformBackup(parts, { startedAt: at(day) });
  const opened = (now: Date, backupId?: string) =>
    openBackup({ place: parts.store, recoveryKey: parts.recoveryKey, backupId, version, now });
  const folderOf = (id: string) =>
    parts.store
      .keys()
      .find((key) => key.endsWith(`${id}/manifest.json`))
      ?.replace('manifest.json', '') ?? '';
  async function copy(from: string, to: string): Promise<void> {
    for (const key of parts.store.keys().filter((one) => one.startsWith(from)))
      await parts.store.put(key.replace(from, to), await parts.store.get(key));
  }

  it('is the newest by its manifest, and never a copy of an old one under a newer name', async () => {
    const [old, newest] = [await made(1), await made(3)];
    await copy(folderOf(old), `daily/2099-01-01T02-15-00-000Z-${old}/`);
    await copy(folderOf(old), `daily/2099-01-02T02-15-00-000Z-${newId('platformBackup')}/`);
    await copy(folderOf(old), `monthly/2026-05-04T02-15-00-000Z-${old}/`);
    const { manifest, age } = await opened(at(4, 5));
    assert.deepEqual([manifest.id, age], [newest, '1 day ago']);
    assert.equal((await opened(at(3, 5))).age, '3 hours ago');
    assert.equal((await opened(at(4), old)).manifest.id, old);
  });

  it('is named by whoever restores where it is older than two days: newer ones may have been taken away', async () => {
    const id = await made(1);
    assert.equal((await opened(at(3))).manifest.id, id);
    await assert.rejects(opened(at(7, 5)), {
      code: 'NOT_RESTORABLE',
      message: new RegExp(`newest backup there, ${id}, .*, 6 days ago\\. Give --backup ${id} `),
    });
    assert.equal((await opened(at(7), id)).age, '6 days ago');
  });

  it('is none of those that the platform did not make: they are named', async () => {
    const fake = `daily/2099-01-01T02-15-00-000Z-${newId('platformBackup')}/`;
    await parts.store.put(
      `${fake}manifest.json`,
      parts.deps.readPart({ kind: 'folder', name: 'archives' }, AbortSignal.timeout(5_000)),
    );
    await assert.rejects(opened(at(1)), {
      message: new RegExp(
        `complete there none, half-written 0, not of this recovery key ${fake} \\(Its manifest is not`,
      ),
    });
    const id = await made(1);
    assert.equal((await opened(at(1))).manifest.id, id);
  });
});
