import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { backupsWorkerSection } from '../../adapters/env/backups.ts';
import { embeddedPartsSection } from '../../adapters/env/embedded-parts.ts';
import { objectLinksSection, objectStoreSection } from '../../adapters/env/object-store.ts';
import { BACKUP_STATUSES } from '../../domain/backups/backup.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/backups.md'), 'utf8');

/** Variables that other modules read, too; those of the object store have a guide of their own. */
const SHARED = { ...objectStoreSection, ...objectLinksSection, ...embeddedPartsSection };

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

it('docs/backups.md has the part of the runbook that each message leads to', () => {
  for (const title of ['Runbook', 'The mirror refuses', 'Tools']) assert.match(guide, new RegExp(`^#+ ${title}$`, 'm'));
});
