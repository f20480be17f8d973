import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BSON, Double, Int32, Long } from 'mongodb';
import { completeBackup, failBackup } from '../../../activities/platform-backup/end-backup.ts';
import { openBackup as beginBackup } from '../../../activities/platform-backup/open-backup.ts';
import { storePart } from '../../../activities/platform-backup/store-part.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createFolderStore } from '../../../adapters/folder-store/folder-store.ts';
import { createPlatformBackupStore } from '../../../adapters/mongo/platform-backup/records.ts';
import { createPartsReader } from '../../../adapters/platform-backup/parts-reader.ts';
import { makeRecoveryKey } from '../../../adapters/platform-backup/recovery-key.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import type { ManifestPart } from '../../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../../domain/platform-backup/messages.ts';
import { platformParts } from '../../../domain/platform-backup/parts.ts';
import type { BackupPlace } from '../../../domain/platform-backup/ports.ts';
import { openBackup } from '../../../infra/dev/recovery/open-backup.ts';
import { restoreInstallation } from '../../../infra/dev/recovery/restore-installation.ts';
import { dyingAtWrite } from '../../support/dying-at.ts';
import {
  createPlatformBackupParts,
  INSTALLATION_KEYS,
  type PlatformBackupParts,
} from '../../support/in-memory/platform-backup-parts.ts';
import { createInstallation, type TestInstallation } from '../../support/platform-installation.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';

const MANY = 1_300;
const signal = AbortSignal.timeout(300_000);
const version = '0.3.0';
const now = new Date('2026-05-04T05:00:00.000Z');

/** What only a copy of the bytes keeps. */
const AWKWARD = {
  _id: 'awkward',
  double: new Double(1),
  int: new Int32(1),
  long: Long.fromString('9007199254740993'),
  date: new Date('2026-05-04T00:00:00.000Z'),
  binary: new BSON.Binary(Buffer.from([0, 255])),
  pattern: /^a.b$/i,
  nothing: null,
  list: [1.5, { deep: [] }],
  'with.dot': '$dollar',
};

/** One backup of an installation, in the order of the workflow. */
async function backUp(deps: PlatformBackupParts['deps'], job: PlatformBackupJob): Promise<void> {
  const { parts } = await beginBackup(deps, job);
  const stored: ManifestPart[] = [];
  for (const part of parts) stored.push(await storePart(deps, { job, part }, signal, () => undefined));
  await completeBackup(deps, { job, parts: stored }, signal);
}

describe('a backup of the platform and its way back', { timeout: 400_000 }, () => {
  let mongo: TestMongo;
  let s3: TestS3;
  let folder: string;
  let source: TestInstallation;
  let parts: PlatformBackupParts;
  before(async () => {
    [mongo, s3, parts] = await Promise.all([startMongo(), startS3('minio'), createPlatformBackupParts()]);
    folder = await mkdtemp(join(tmpdir(), 'fairlead-place-'));
    source = await createInstallation(mongo);
    const builder = await source.database('builder');
    await builder.collection<{ _id: string }>('services').insertOne(AWKWARD);
    const many = Array.from({ length: MANY }, (_, index) => ({ _id: `evt_${index}`, text: 'x'.repeat(index % 700) }));
    await (await source.database('audit-ledger')).collection<{ _id: string }>('audit_ledger_events').insertMany(many);
    await (await source.database('idp')).collection<{ _id: string }>('users').insertOne({ _id: 'usr_ada' });
    await mkdir(source.folder('archives'));
    await writeFile(join(source.folder('archives'), 'arc_1.tar.gz'), 'a'.repeat(500_000));
    Object.assign(parts.deps, {
      records: createPlatformBackupStore({ db: builder, now: parts.deps.now }),
      readPart: createPartsReader({ databaseOf: source.database, dataDir: source.dataDir }),
    });
  });
  after(async () => {
    await source.stop();
    await Promise.all([mongo.stop(), s3.stop(), rm(folder, { recursive: true, force: true })]);
  });

  let seconds = 0;
  const job = (): PlatformBackupJob => ({
    ...{
      id: newId('platformBackup'),
      kind: 'manual',
      tier: 'manual',
      night: null,
      requestedBy: 'usr_ada',
      requestId: null,
    },
    startedAt: new Date(Date.UTC(2026, 4, 4, 2, 15, seconds++)).toISOString(),
  });
  const rowsOf = async (installation: TestInstallation, service: 'builder' | 'idp' | 'audit-ledger', name: string) => {
    const found = (await installation.database(service)).collection(name).find({}, { raw: true });
    const rows: string[] = [];
    for await (const row of found) rows.push(Buffer.from(row as unknown as Uint8Array).toString('hex'));
    return rows.sort();
  };
  /** Reads what a restore has to bring back, and that nothing marks it as half of one. */
  const assertRestored = async (target: TestInstallation) => {
    for (const [service, name] of [
      ['builder', 'services'],
      ['idp', 'users'],
      ['audit-ledger', 'audit_ledger_events'],
    ] as const) {
      assert.deepEqual(await rowsOf(target, service, name), await rowsOf(source, service, name), `${service}/${name}`);
      assert.deepEqual(await rowsOf(target, service, 'fairlead_restore'), []);
    }
    assert.equal((await readFile(join(target.folder('archives'), 'arc_1.tar.gz'))).length, 500_000);
    assert.deepEqual(target.keys(), INSTALLATION_KEYS);
    assert.equal(await target.readMark(), null);
  };
  const opened = (place: BackupPlace, backupId?: string) =>
    openBackup({ place, backupId, version, now, recoveryKey: parts.recoveryKey });
  const intoNew = async (place: BackupPlace) => {
    const target = await createInstallation(mongo);
    try {
      const backup = await opened(place);
      await backup.verify(() => undefined);
      await restoreInstallation(backup, target, () => undefined);
      await assertRestored(target);
    } finally {
      await target.stop();
    }
  };

  it('comes back byte for byte from a bucket, and shows nothing of itself there', async () => {
    const place = createS3ObjectStore({ ...s3.settings(), partBytes: 5 * 1024 ** 2 });
    Object.assign(parts.deps, { place });
    const one = job();
    await backUp(parts.deps, one);
    assert.equal((await parts.deps.records.find(one.id))?.status, 'completed');
    for await (const { key } of place.list('')) {
      const stored: Uint8Array[] = [];
      for await (const piece of await place.get(key)) stored.push(Buffer.from(piece));
      const text = Buffer.concat(stored).toString('latin1');
      for (const secret of ['usr_ada', ...Object.values(INSTALLATION_KEYS)])
        assert.equal(text.includes(secret), false, key);
    }
    await intoNew(place);
  });

  it('comes back from a folder', async () => {
    const place = createFolderStore(folder);
    Object.assign(parts.deps, { place });
    await backUp(parts.deps, job());
    await intoNew(place);
  });

  it('is refused before anything is written: another key, a file that was changed, cut off or is missing, no manifest', async () => {
    const place = createFolderStore(folder);
    Object.assign(parts.deps, { place });
    const one = job();
    await backUp(parts.deps, one);
    const recoveryKey = await makeRecoveryKey(new Date());
    const other = { ...recoveryKey, manifestKey: parts.recoveryKey.manifestKey };
    await assert.rejects(openBackup({ place, backupId: one.id, version, now, recoveryKey }), {
      code: 'NOT_RESTORABLE',
    });
    await assert.rejects(openBackup({ place, backupId: one.id, version, now, recoveryKey: other }), {
      message: /The recovery key is not the one/,
    });
    await assert.rejects(
      openBackup({ place, backupId: one.id, version: '0.2.9', now, recoveryKey: parts.recoveryKey }),
      {
        message: /was made by version 0\.3\.0/,
      },
    );
    await assert.rejects(opened(place, 'pbk_none'), { message: /There is no complete backup pbk_none/ });
    const home = join(
      folder,
      'manual',
      (await readdir(join(folder, 'manual'))).find((name) => name.endsWith(one.id)) ?? '',
    );
    const files = (await readdir(home)).filter((name) => name.endsWith('.sealed'));
    const verified = async () => await (await opened(place, one.id)).verify(() => undefined);
    await verified();
    for (const file of [files[0] ?? '', files.find((name) => name.includes('audit-ledger')) ?? '']) {
      const path = join(home, file);
      const content = await readFile(path);
      const changed = Buffer.from(content);
      changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1;
      for (const bad of [
        changed,
        content.subarray(0, -1),
        content.subarray(0, 10),
        Buffer.concat([content, Buffer.alloc(1)]),
      ]) {
        await writeFile(path, bad);
        await assert.rejects(
          verified(),
          { code: 'NOT_RESTORABLE' },
          `${file}, ${bad.length} of ${content.length} bytes`,
        );
      }
      await rm(path);
      await assert.rejects(verified(), { code: 'OBJECT_NOT_FOUND' });
      await writeFile(path, content);
    }
    await verified();
    await rm(join(home, 'manifest.json'));
    await assert.rejects(opened(place, one.id), { code: 'NOT_RESTORABLE' });
  });

  it('never looks complete where its making was killed between any two writes, and the next attempt completes it', async (t) => {
    for (let write = 1; ; write += 1) {
      for (const moment of ['before', 'after'] as const) {
        const { store, deps, recoveryKey } = await createPlatformBackupParts();
        const kill = dyingAtWrite({ write, moment }, { place: store, records: deps.records });
        const one = job();
        // A killed process lists nothing that counts.
        const cut = { ...deps, ...kill.ports, place: { ...kill.ports.place, list: store.list } };
        await backUp(cut, one).catch((error: Error) => assert.equal(error.message, 'killed'));
        if (!kill.died()) return t.diagnostic(`${write - 1} writes`);
        const isWritten = (await deps.records.find(one.id))?.status === 'completed';
        const found = await openBackup({ place: store, backupId: one.id, version, now, recoveryKey }).then(
          () => true,
          () => false,
        );
        assert.ok(found || !isWritten, `write ${write}, ${moment}: the record says completed, and there is none`);
        if (isWritten) continue;
        await backUp(deps, one);
        const keys = store.keys().filter((key) => key.includes(one.id));
        assert.equal(keys.length, platformParts().length + 1, `write ${write}, ${moment}: nothing is left beside it`);
        await failBackup(deps, { job: one, problem: { code: 'X', message: 'late' } }, signal);
        assert.equal((await deps.records.find(one.id))?.status, 'completed', 'one that is completed never fails');
      }
    }
  });

  it('a restore that was killed between any two writes marks the place, and is repeated to its end', async (t) => {
    const place = createFolderStore(folder);
    const backup = await opened(place);
    const target = await createInstallation(mongo);
    try {
      for (let write = 1; ; write += 1) {
        const kill = dyingAtWrite({ write, moment: 'after' }, { target });
        const { ports } = kill;
        const run = restoreInstallation(backup, { ...ports.target, folder: target.folder }, () => undefined);
        await run.catch((error: Error) => assert.equal(error.message, 'killed'));
        if (!kill.died()) {
          t.diagnostic(`${write - 1} writes`);
          break;
        }
        // The last write takes the mark away: then everything is there.
        if ((await target.readMark()) !== null) await restoreInstallation(backup, target, () => undefined);
        await assertRestored(target);
        for (const part of platformParts())
          if (part.kind === 'database') await (await target.database(part.name)).dropDatabase();
        await rm(target.folder('archives'), { recursive: true });
      }
    } finally {
      await target.stop();
    }
  });

  it('a restore changes no database that has something of others', async () => {
    const backup = await opened(createFolderStore(folder));
    const target = await createInstallation(mongo);
    try {
      await (await target.database('wallet')).collection<{ _id: string }>('accounts').insertOne({ _id: 'theirs' });
      await assert.rejects(
        restoreInstallation(backup, target, () => undefined),
        { code: 'CONFLICT', message: /not empty: .*wallet/ },
      );
      assert.deepEqual(await (await target.database('builder')).listCollections().toArray(), []);
      assert.equal(await (await target.database('wallet')).collection('accounts').countDocuments(), 1);
    } finally {
      await target.stop();
    }
  });
});
