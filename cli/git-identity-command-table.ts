import { type Command, Option } from 'commander';
import { GIT_PROVIDERS } from '../domain/git-provider.ts';
import type { Perform } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/git-identities.ts');

/** Declares `fairlead git link`, `links` and `unlink`. */
export function addGitIdentityCommands(git: Command, perform: Perform): void {
  git
    .command('link')
    .description('show that an account at a git host is yours: what it pushes is deployed as yours')
    .argument('[host]', "address (default: github.com, gitlab.com, or the platform's own host)")
    .addOption(new Option('--provider <name>', 'what it is').choices([...GIT_PROVIDERS]).makeOptionMandatory())
    .action((host, _options, self) =>
      perform(self, async (context) => (await load()).linkAccount(context, host, self.opts())),
    );
  git
    .command('links')
    .description('list your accounts at git hosts')
    .action((_options, self) => perform(self, async (context) => (await load()).listAccounts(context)));
  git
    .command('unlink')
    .description('unlink one of your accounts')
    .argument('<account>', 'id, or login when it is one alone')
    .action((account, _options, self) =>
      perform(self, async (context) => (await load()).unlinkAccount(context, account)),
    );
}
