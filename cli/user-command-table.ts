import type { Command } from 'commander';
import { PLATFORM_ROLES } from '../domain/roles.ts';
import { addHelpCommands } from './help-command-table.ts';
import { given, list, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadUsers = () => import('./commands/users.ts');

const PERSON = 'e-mail address or user id';

/** Declares `fairlead users …`. */
export function addUserCommands(program: Command, perform: Perform): void {
  const users = program.command('users').description('accounts of the installation (platform admins)');
  users
    .command('list', { isDefault: true })
    .description('list accounts by address')
    .argument('[prefix]', 'what the address begins with')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((prefix, _options, self) =>
      perform(self, async (context) => (await loadUsers()).listUsers(context, prefix, self.opts())),
    );
  users
    .command('show')
    .description('show an account')
    .argument('<person>', PERSON)
    .action((person, _options, self) =>
      perform(self, async (context) => (await loadUsers()).showUser(context, person)),
    );
  users
    .command('update')
    .description('change a name or platform roles (only a super admin in their own login)')
    .argument('<person>', PERSON)
    .option('--first-name <name>', 'first name')
    .option('--last-name <name>', 'last name')
    .option('--platform-roles <roles>', `all platform roles: ${PLATFORM_ROLES.join(', ')}; empty for none`, list)
    .action((person, _options, self) =>
      perform(self, async (context) => (await loadUsers()).updateUser(context, person, given(self.opts()))),
    );
  for (const verb of ['suspend', 'restore'] as const) {
    const command = users.command(verb).description(`${verb} an account`).argument('<person>', PERSON);
    if (verb === 'suspend') command.option('--yes', 'suspend without confirmation');
    command.action((person, _options, self) =>
      perform(self, async (context) => (await loadUsers()).suspendUser(context, person, verb, self.opts())),
    );
  }
  addHelpCommands(users, 'users', perform);
}
