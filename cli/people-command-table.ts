import { type Command, Option } from 'commander';
import { ORG_ROLES } from '../domain/roles.ts';
import type { RightsChange } from './commands/members.ts';
import { addHelpCommands } from './help-command-table.ts';
import { list, wholeNumber } from './option-values.ts';
import { ORG_FLAG } from './org-command-table.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadInvites = () => import('./commands/invites.ts');
const loadMembers = () => import('./commands/members.ts');

const PERSON = 'e-mail address or user id';

/** Declares `fairlead members …`, `invite` and `invites …`. */
export function addPeopleCommands(program: Command, perform: Perform): void {
  const members = program.command('members').description('people of an org: list, change roles, suspend, remove');
  addReading(members, perform);
  addRights(members, perform);
  addMembership(members, perform);
  addHelpCommands(members, 'members', perform);
  addInvites(program, perform);
}

function addReading(members: Command, perform: Perform): void {
  members
    .command('list', { isDefault: true })
    .description('list the people of the org')
    .option(...ORG_FLAG)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadMembers()).listMembers(context, self.opts())),
    );
  members
    .command('show')
    .description('show a member')
    .argument('<person>', PERSON)
    .option(...ORG_FLAG)
    .action((person, _options, self) =>
      perform(self, async (context) => (await loadMembers()).showMember(context, person, self.opts())),
    );
}

/** Each row makes the rights that a member has into those they get. */
const RIGHTS: readonly {
  readonly verb: string;
  readonly what: string;
  readonly argument: string;
  readonly change: (value: string) => RightsChange;
}[] = [
  {
    verb: 'add-role',
    what: 'add a role to a member',
    argument: '<role>',
    change:
      (role) =>
      ({ roles, modules }) => ({ roles: [...new Set([...roles, role])], modules }),
  },
  {
    verb: 'remove-role',
    what: 'remove a role from a member',
    argument: '<role>',
    change:
      (role) =>
      ({ roles, modules }) => ({ roles: roles.filter((one) => one !== role), modules }),
  },
  {
    verb: 'set-roles',
    what: 'replace all roles of a member',
    argument: '<roles>',
    change:
      (roles) =>
      ({ modules }) => ({ roles: list(roles), modules }),
  },
  {
    verb: 'set-modules',
    what: 'replace all modules of a member',
    argument: '<modules>',
    change:
      (modules) =>
      ({ roles }) => ({ roles, modules: list(modules) }),
  },
];

function addRights(members: Command, perform: Perform): void {
  for (const { verb, what, argument, change } of RIGHTS) {
    const several = argument === '<role>' ? ORG_ROLES.join(', ') : 'separated by commas';
    members
      .command(verb)
      .description(what)
      .argument('<person>', PERSON)
      .argument(argument, several)
      .option(...ORG_FLAG)
      .action((person, value, _options, self) =>
        perform(self, async (context) =>
          (await loadMembers()).changeRights(context, person, self.opts(), change(value)),
        ),
      );
  }
}

function addMembership(members: Command, perform: Perform): void {
  members
    .command('add')
    .description('add an existing account to the org (platform admins; others invite)')
    .argument('<person>', PERSON)
    .addOption(roleOption())
    .option('--modules <modules>', 'modules, separated by commas', list, [])
    .option(...ORG_FLAG)
    .action((person, _options, self) => {
      const { role, modules, ...org } = self.opts();
      return perform(self, async (context) =>
        (await loadMembers()).addMember(context, person, org, { roles: [role], modules }),
      );
    });
  members
    .command('provision')
    .description('create an account; its owner sets the first password through a headless client (platform admins)')
    .argument('<email>', 'their address')
    .requiredOption('--first-name <name>', 'first name')
    .requiredOption('--last-name <name>', 'last name')
    .addOption(roleOption())
    .option('--modules <modules>', 'modules, separated by commas', list, [])
    .option(...ORG_FLAG)
    .action((email, _options, self) => {
      const { org, ...person } = self.opts();
      return perform(self, async (context) =>
        (await loadMembers()).provisionMember(context, { org }, { email, ...person }),
      );
    });
  for (const [verb, what] of [
    ['suspend', 'suspend a membership; the account and other orgs stay'],
    ['restore', 'restore a suspended membership'],
  ] as const) {
    members
      .command(verb)
      .description(what)
      .argument('<person>', PERSON)
      .option(...ORG_FLAG)
      .action((person, _options, self) =>
        perform(self, async (context) => (await loadMembers()).suspendMember(context, person, verb, self.opts())),
      );
  }
  members
    .command('remove')
    .description('remove a member from the org; members may remove themselves')
    .argument('<person>', PERSON)
    .option(...ORG_FLAG)
    .option('--yes', 'remove without confirmation')
    .action((person, _options, self) =>
      perform(self, async (context) => (await loadMembers()).removeMember(context, person, self.opts())),
    );
}

function addInvites(program: Command, perform: Perform): void {
  program
    .command('invite')
    .description('invite a person to the org by mail or by link')
    .argument('<email>', 'their address')
    .addOption(roleOption())
    .option('--modules <modules>', 'modules, separated by commas', list, [])
    .option('--no-mail', 'print the link once instead of sending mail')
    .option(...ORG_FLAG)
    .action((email, _options, self) => {
      const { role, modules, mail: sendEmail, ...org } = self.opts();
      return perform(self, async (context) =>
        (await loadInvites()).invite(context, org, { email, sendEmail, role, modules }),
      );
    });
  const invites = program.command('invites').description('open invitations: list, withdraw');
  invites
    .command('list', { isDefault: true })
    .description('list the open invitations of the org')
    .option(...ORG_FLAG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadInvites()).listInvites(context, self.opts())),
    );
  invites
    .command('withdraw')
    .description('withdraw an invitation')
    .argument('<invitation>', 'invitation id or e-mail address')
    .option(...ORG_FLAG)
    .action((which, _options, self) =>
      perform(self, async (context) => (await loadInvites()).withdrawInvite(context, which, self.opts())),
    );
}

function roleOption(): Option {
  return new Option('--role <role>', 'role in the org').choices(ORG_ROLES).default('member');
}
