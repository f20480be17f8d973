import { type Command, Option } from 'commander';
import { GRANT_DECISIONS, GRANT_STATUSES, type GrantDecision } from '../domain/grants/grant.ts';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadGrants = () => import('./commands/grants.ts');

const WHAT: Readonly<Record<GrantDecision, string>> = {
  approve: 'give the scopes that are asked for; asks first',
  deny: 'refuse them: no deploy asks again',
  revoke: 'take them: the next token lacks them; asks first',
};

/** Declares `fairlead grants …`. */
export function addGrantCommands(program: Command, perform: Perform): void {
  const grants = program
    .command('grants')
    .description('scopes of services of other orgs: what is asked for, and who may have it');
  grants
    .command('list', { isDefault: true })
    .description('list what services of the org ask for, and are asked for')
    .addOption(new Option('--status <status>', 'of this state alone').choices([...GRANT_STATUSES]))
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadGrants()).listGrants(context, self.opts())),
    );
  grants
    .command('request')
    .description('ask for scopes of a service of another org, as a deploy does by its catalog')
    .argument('<target>', 'service whose scopes they are')
    .argument('<scope...>', 'scopes, such as read')
    .option('-s, --service <name>', 'service that asks (default: the service of this folder)')
    .action((target, scopes, _options, self) =>
      perform(self, async (context) =>
        (await loadGrants()).requestGrant(context, { target, scopes, service: self.opts().service }),
      ),
    );
  for (const decision of GRANT_DECISIONS) {
    grants
      .command(decision)
      .description(WHAT[decision])
      .argument('<grant>', 'id of the grant')
      .option('--yes', 'do not ask')
      .action((grant, _options, self) =>
        perform(self, async (context) => (await loadGrants()).decideGrant(context, decision, grant, self.opts())),
      );
  }
}
