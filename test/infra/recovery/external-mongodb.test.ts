import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { MongoClient } from 'mongodb';
import { completeBackup } from '../../../activities/platform-backup/end-backup.ts';
import { openBackup } from '../../../activities/platform-backup/open-backup.ts';
import { storePart } from '../../../activities/platform-backup/store-part.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createFolderStore } from '../../../adapters/folder-store/folder-store.ts';
import { RESTORE_MARK, writeDatabase } from '../../../adapters/platform-backup/database-part.ts';
import { createPartsReader } from '../../../adapters/platform-backup/parts-reader.ts';
import { openRecovery, readRecoveryKey } from '../../../adapters/platform-backup/recovery-key.ts';
import type { ManifestPart } from '../../../domain/platform-backup/manifest.ts';
import type { PlatformBackupJob } from '../../../domain/platform-backup/messages.ts';
import { platformParts } from '../../../domain/platform-backup/parts.ts';
import { serviceRow } from '../../../domain/services.ts';
import { openBackup as openStored } from '../../../infra/dev/recovery/open-backup.ts';
import { restoreInstallation } from '../../../infra/dev/recovery/restore-installation.ts';
import { readMark, writeMark } from '../../../infra/dev/recovery/restore-mark.ts';
import { restorePlatform } from '../../../infra/dev/recovery/restore-platform.ts';
import { useRecoveryKey } from '../../../infra/dev/recovery-key.ts';
import { type StandInProcess, startStandIn } from '../../../infra/dev/stand-in-process.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { installationSecrets } from '../../../infra/image/installation-secrets.ts';
import { createPlatformBackupParts } from '../../support/in-memory/platform-backup-parts.ts';
import { toolPath } from '../../support/tool-path.ts';

const signal = AbortSignal.timeout(120_000);
const version = '0.3.0';

/** As of an installation by containers: its keys are lines of a file, and its MongoDB is a server of its own. */
describe('an installation with a MongoDB of its own', { timeout: 200_000 }, () => {
  let root: string;
  let server: StandInProcess;
  let client: MongoClient;
  const at = (name: string) => join(root, name);
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-external-'));
    server = await startStandIn(await toolPath('mongo-stand-in'), at('data.mv'));
    client = new MongoClient(server.address);
    await mkdir(at('place'));
    await writeFile(
      at('.env'),
      `${installationSecrets()}PLATFORM_DOMAIN=apps.example.com\nPLATFORM_NAME="Acme # one"\nMAIL_WORD='pa$word'\n`,
      { mode: 0o600 },
    );
  });
  after(async () => {
    await client.close();
    await server.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  });

  const mongodbUri = () => server.address.replace('/?', `/${serviceRow('builder').database}?`);
  const databaseOf = (service: string) => client.db(serviceRow(service as 'idp').database);
  const users = () => databaseOf('idp').collection<{ _id: string }>('users');
  const options = async (dataDir: string, changes: { envFile?: string; keysOnly?: boolean } = {}) => ({
    ...{ place: createFolderStore(at('place')), recoveryKey: readRecoveryKey(await readFile(at('key.json'), 'utf8')) },
    ...{ backupId: undefined, version, now: new Date(), dataDir: at(dataDir), report: silentReporter },
    ...{ env: { MONGODB_URI: mongodbUri() }, envFile: at('new.env'), ...changes },
  });

  it('encrypts the lines of its file for a recovery key, and refuses a file that lacks one', async () => {
    const told: string[] = [];
    const tell = (line: string) => void told.push(line);
    await writeFile(at('half.env'), 'INTERNAL_SERVICE_KEY=x\n');
    const half = useRecoveryKey({ out: at('key.json'), envFile: at('half.env') }, {}, tell);
    await assert.rejects(half, {
      code: 'VALIDATION_FAILED',
      message: /lacks keys of the installation: .*IDP_ENCRYPTION_KEY/,
    });
    await writeFile(at('odd.env'), `${installationSecrets()}PLATFORM_NAME=it's "so"\n`);
    await assert.rejects(useRecoveryKey({ out: at('key.json'), envFile: at('odd.env') }, {}, tell), {
      code: 'VALIDATION_FAILED',
      message: /PLATFORM_NAME/,
    });
    await assert.rejects(useRecoveryKey({ out: at('key.json'), write: at('worker.env') }, {}, tell), /usage:/);
    await writeFile(at('worker.env'), 'A=b\nPLATFORM_RECOVERY=old\n', { mode: 0o644 });
    const written = { envFile: at('.env'), write: at('worker.env') };
    assert.equal(await useRecoveryKey({ ...written, out: at('key.json') }, {}, tell), '');
    assert.equal(await useRecoveryKey({ ...written, key: at('key.json') }, {}, tell), '');
    assert.equal((await stat(at('worker.env'))).mode & 0o777, 0o600);
    assert.match(await readFile(at('worker.env'), 'utf8'), /^A=b\nPLATFORM_RECOVERY=[\w-]+\n$/);
    const line = await useRecoveryKey({ key: at('key.json'), envFile: at('.env') }, {}, tell);
    const [, value = ''] = /^PLATFORM_RECOVERY=([\w-]+)\n$/.exec(line) ?? [];
    const { deps } = await createPlatformBackupParts();
    const recovery = openRecovery(value);
    await users().insertOne({ _id: 'usr_ada' });
    await mkdir(at('before/audit-outbox'), { recursive: true });
    await writeFile(at('before/audit-outbox/event'), 'not sent yet');
    const readPart = createPartsReader({ databaseOf: async (name) => databaseOf(name), dataDir: at('before') });
    const made = { ...deps, recovery, readPart, heldKeys: [], place: createFolderStore(at('place')) };
    const job: PlatformBackupJob = {
      ...{
        id: newId('platformBackup'),
        kind: 'manual',
        tier: 'manual',
        night: null,
        requestedBy: 'a',
        requestId: null,
      },
      startedAt: new Date().toISOString(),
    };
    const parts: ManifestPart[] = [];
    await openBackup(made, job);
    for (const part of platformParts()) parts.push(await storePart(made, { job, part }, signal, () => undefined));
    await completeBackup(made, { job, parts }, signal);
  });

  it('is not restored over databases that have something, and nothing is written then', async () => {
    await assert.rejects(restorePlatform(await options('after')), { code: 'CONFLICT', message: /not empty: identity/ });
    for (const name of ['after', 'new.env']) await assert.rejects(stat(at(name)), { code: 'ENOENT' });
    assert.equal(await users().countDocuments(), 1);
  });

  it('comes back: the file of keys first, then databases and folders; the data folder gets no key', async () => {
    await databaseOf('idp').dropDatabase();
    await restorePlatform(await options('after', { keysOnly: true }));
    await assert.rejects(stat(at('after')), { code: 'ENOENT' });
    assert.deepEqual(parseEnv(await readFile(at('new.env'), 'utf8')), parseEnv(await readFile(at('.env'), 'utf8')));
    for (const line of [/^PLATFORM_NAME='Acme # one'$/m, /^MAIL_WORD='pa\$word'$/m])
      assert.match(await readFile(at('new.env'), 'utf8'), line);
    assert.equal((await stat(at('new.env'))).mode & 0o777, 0o600);
    await restorePlatform(await options('after'));
    assert.deepEqual(await users().find({}).toArray(), [{ _id: 'usr_ada' }]);
    assert.equal(await readFile(at('after/audit-outbox/event'), 'utf8'), 'not sent yet');
    await assert.rejects(stat(at('after/secrets.json')), { code: 'ENOENT' });
    await assert.rejects(restorePlatform(await options('again')), { code: 'CONFLICT', message: /not empty: identity/ });
  });

  it('is repeated after a cut at each database whose mark is taken away, also where the place is gone', async () => {
    const services = platformParts().flatMap((part) => (part.kind === 'database' ? [part.name] : []));
    const lost = () => Promise.reject(new Error('the place is gone'));
    const gone = { get: lost, list: () => ({ [Symbol.asyncIterator]: () => ({ next: lost }) }) };
    for (const [index, cutAt] of services.entries()) {
      for (const service of services) await databaseOf(service).dropDatabase();
      const given = await options(`cut-${index}`);
      await mkdir(given.dataDir);
      const backup = await openStored(given);
      let isWritten = false;
      const killed = restoreInstallation(
        backup,
        {
          readMark: () => readMark(given.dataDir),
          writeMark: async (mark) => {
            await writeMark(given.dataDir, mark);
            isWritten = mark?.stage === 'written';
          },
          writeKeys: async () => undefined,
          database: async (service) => {
            if (isWritten && service === cutAt) throw new Error('killed');
            return databaseOf(service);
          },
          folder: (name) => join(given.dataDir, name),
        },
        () => undefined,
      );
      await assert.rejects(killed, { message: 'killed' });
      const { id } = await restorePlatform({ ...given, place: gone });
      assert.equal(id, backup.manifest.id);
      assert.equal(await readMark(given.dataDir), null, cutAt);
      for (const service of services) {
        const marks = await databaseOf(service).collection(RESTORE_MARK).countDocuments();
        assert.equal(marks, 0, `${service}, cut at ${cutAt}`);
      }
      assert.deepEqual(await users().find({}).toArray(), [{ _id: 'usr_ada' }]);
    }
  });

  it('a database that is written anew is marked at each moment of that', async () => {
    const db = databaseOf('idp');
    await db.dropDatabase();
    await db.collection<{ _id: string }>(RESTORE_MARK).insertOne({ _id: 'pbk_1' });
    await users().insertOne({ _id: 'usr_half' });
    const monitored: string[] = [];
    const watching = new MongoClient(server.address, { monitorCommands: true });
    watching.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'dropDatabase' || command.drop === RESTORE_MARK) monitored.push(commandName);
    });
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* [];
      throw new Error('cut');
    }
    try {
      await assert.rejects(writeDatabase(watching.db(db.databaseName), broken(), 'pbk_1'), { message: 'cut' });
    } finally {
      await watching.close();
    }
    assert.deepEqual(monitored, []);
    assert.equal(await users().countDocuments(), 0);
    assert.deepEqual(await db.collection(RESTORE_MARK).find({}).toArray(), [{ _id: 'pbk_1' }]);
  });

  it('is not given the keys of another file', async () => {
    await databaseOf('idp').dropDatabase();
    await writeFile(at('other.env'), 'INTERNAL_SERVICE_KEY=another\n');
    const other = restorePlatform(await options('other', { envFile: at('other.env') }));
    await assert.rejects(other, { code: 'CONFLICT', message: /has other keys already/ });
    assert.equal(await readFile(at('other.env'), 'utf8'), 'INTERNAL_SERVICE_KEY=another\n');
  });
});
