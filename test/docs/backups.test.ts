import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { ALARM_SUBJECTS } from '../../activities/backups/raise-night-alarm.ts';
import { backupsWorkerSection } from '../../adapters/env/backups.ts';
import { embeddedPartsSection } from '../../adapters/env/embedded-parts.ts';
import { mailSection } from '../../adapters/env/identity.ts';
import { objectLinksSection, objectStoreSection } from '../../adapters/env/object-store.ts';
import { BACKUP_STATUSES } from '../../domain/backups/backup.ts';
import { ERROR_CODES, isErrorCode } from '../../domain/errors.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/backups.md'), 'utf8');

/** Variables that other modules read, too; those of the object store have a guide of their own. */
const SHARED = { ...objectStoreSection, ...objectLinksSection, ...embeddedPartsSection, ...mailSection };

it('docs/backups.md names every variable of backups with its default', () => {
  for (const [name, kind] of Object.entries(backupsWorkerSection)) {
    if (name in SHARED) continue;
    const [, shown] = new RegExp(`^\\| \`${name}\` +\\| (\\S+)`, 'm').exec(guide) ?? [];
    const value = kind.parse(undefined);
    const isNone = value === undefined || (Array.isArray(value) && value.length === 0);
    assert.equal(shown, isNone ? 'none' : `\`${value}\``, name);
  }
});

it('docs/backups.md explains every status', () => {
  for (const status of BACKUP_STATUSES) assert.match(guide, new RegExp(`^\\| \`${status}\` +\\|`, 'm'));
});

it('docs/backups.md has a part of the runbook for each alarm, and those that messages lead to', () => {
  for (const title of ['Runbook', 'Tools', ...Object.values(ALARM_SUBJECTS)]) {
    assert.match(guide, new RegExp(`^#+ ${title}$`, 'm'));
  }
  for (const run of Object.keys(ALARM_SUBJECTS)) assert.ok(guide.includes(`\`backup.${run}_alarm\``), run);
});

it('docs/databases.md has a row of the runbook for each alarm of databases', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/databases.md'), 'utf8');
  const folder = join(import.meta.dirname, '../../activities/databases');
  const sources = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
  // Each alarm has the id of the event that was named before it.
  const types = sources.flatMap((source) =>
    source
      .split('raiseAlarm({')
      .slice(0, -1)
      .map((before) => [...before.matchAll(/const type = '(database\.\w+)'/g)].at(-1)?.[1]),
  );
  assert.ok(types.length >= 2);
  for (const type of types) assert.match(page, new RegExp(`^\\| \`${type}\` +\\|`, 'm'));
});

it('docs/backups.md says of every variable of the contract that is not read why', () => {
  assert.match(guide, /`BACKUP_TMP_DIR` is not needed, and not read/);
  assert.ok(!('BACKUP_TMP_DIR' in backupsWorkerSection));
});

/** Codes that the record of a backup may have besides, which are no errors of the API. */
const OF_RECORDS = ['NIGHT_MISSED', 'BACKUP_ABANDONED', 'BACKUPS_DISABLED'];

it('the runbook of docs/backups.md knows every code that leaves a night without a backup, and no other', () => {
  const codes = [...guide.matchAll(/^\| `([A-Z_]+)` +\| [A-Z]/gm)].map(([, code = '']) => code);
  assert.ok(codes.length > 8);
  for (const code of codes) assert.ok(isErrorCode(code) || OF_RECORDS.includes(code), code);
  for (const code of [
    ...OF_RECORDS,
    ...ERROR_CODES.filter((each) => /^(DUMP_|BACKUPS?_|OBJECT_STORE_|OBJECT_DAMAGED)/.test(each)),
  ]) {
    if (code !== 'BACKUP_NOT_FOUND') assert.ok(codes.includes(code), code);
  }
});
