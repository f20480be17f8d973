import { type Command, InvalidArgumentError, Option } from 'commander';
import { BACKUP_ENGINES, whyNoBackup } from '../domain/backups/backup.ts';
import { DATABASE_ENGINES } from '../domain/databases/engines.ts';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/databases.ts');
const loadRestores = () => import('./commands/restores.ts');
const loadLogins = () => import('./commands/database-logins.ts');
const loadKept = () => import('./commands/kept-databases.ts');
const loadHealth = () => import('./commands/database-health.ts');

const type = () =>
  new Option(
    '--type <engine>',
    `of this engine: ${BACKUP_ENGINES.join(' or ')} (default: mongodb, unless the service has postgres alone)`,
  ).argParser(backupEngine);

/** @throws InvalidArgumentError that says why, for an engine without backups */
function backupEngine(text: string): string {
  if (BACKUP_ENGINES.some((engine) => engine === text)) return text;
  throw new InvalidArgumentError(`${whyNoBackup(text) ?? `It is one of ${BACKUP_ENGINES.join(', ')}`}.`);
}

/** Declares `fairlead db …`. */
export function addDatabaseCommands(program: Command, perform: Perform): void {
  const db = program.command('db').description('databases of services: their logins, their backups and the way back');
  const ofService = (name: string, description: string) =>
    db.command(name).description(description).option('-s, --service <name>', 'service (default: that of this folder)');
  db.command('health')
    .description('how the backups of all databases are, the worst first; exit 1 where one has no fresh backup')
    .option('--org <slug>', 'only databases of services of this org')
    .action((_options, self) =>
      perform(self, async (context) => (await loadHealth()).showHealth(context, self.opts())),
    );
  db.command('list')
    .description('list databases that are backed up, and kept ones with their size and the day they are dropped')
    .option('-s, --service <name>', 'only those of this service (default: of all)')
    .action((_options, self) =>
      perform(self, async (context) => (await loadKept()).listDatabases(context, self.opts())),
    );
  db.command('drop')
    .description('drop a kept database before its day, for good (admins); asks first')
    .argument('<database>', 'its name, as `fairlead db list` shows it')
    .addOption(
      new Option('--type <engine>', 'of this engine, where several have the name').choices([...DATABASE_ENGINES]),
    )
    .option('--yes', 'do not ask')
    .action((database, _options, self) =>
      perform(self, async (context) => (await loadKept()).dropKept(context, database, self.opts())),
    );
  ofService('logins', 'list the databases of a service, and how old their logins are').action((_options, self) =>
    perform(self, async (context) => (await loadLogins()).listLogins(context, self.opts())),
  );
  ofService('rotate', 'give a database a new login, and its workload with it')
    .addOption(new Option('--type <engine>', 'of this engine (default: the only one)').choices([...DATABASE_ENGINES]))
    .option('--detach', 'do not wait')
    .action((_options, self) =>
      perform(self, async (context) => (await loadLogins()).rotateLogin(context, self.opts())),
    );
  ofService('backup', 'back a database up now, and wait for the end')
    .addOption(type())
    .option('--detach', 'do not wait')
    .action((_options, self) => perform(self, async (context) => (await load()).backUp(context, self.opts())));
  ofService('backups', 'list backups, newest first')
    .addOption(type())
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((_options, self) => perform(self, async (context) => (await load()).listBackups(context, self.opts())));
  ofService('backup-download', 'print a link to the archive, which is valid for some minutes')
    .argument('<backup>', 'id of the backup')
    .action((backup, _options, self) =>
      perform(self, async (context) => (await load()).downloadBackup(context, backup, self.opts())),
    );
  ofService('backup-cancel', 'cancel a backup that runs')
    .argument('<backup>', 'id of the backup')
    .action((backup, _options, self) =>
      perform(self, async (context) => (await load()).cancelBackup(context, backup, self.opts())),
    );
  ofService('restore', 'restore a backup, beside the database and then in its place; asks first')
    .argument('<backup>', 'id of the backup')
    .option('--in-place', 'write over the database, after a backup of what it has')
    .option('--detach', 'do not wait')
    .option('--yes', 'do not ask')
    .action((backup, _options, self) =>
      perform(self, async (context) => (await loadRestores()).restoreBackup(context, backup, self.opts())),
    );
  ofService('restores', 'list restores in all environments, newest first')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((_options, self) =>
      perform(self, async (context) => (await loadRestores()).listRestores(context, self.opts())),
    );
  ofService('restore-cancel', 'cancel a restore that runs')
    .argument('<restore>', 'id of the restore')
    .action((restore, _options, self) =>
      perform(self, async (context) => (await loadRestores()).cancelRestore(context, restore, self.opts())),
    );
}
