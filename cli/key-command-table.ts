import type { Command } from 'commander';
import type { Perform } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadKeys = () => import('./commands/keys.ts');

/** Declares `fairlead keys …`. */
export function addKeyCommands(program: Command, perform: Perform): void {
  const keys = program.command('keys').description('signing keys of the identity provider (platform admins)');
  keys
    .command('list', { isDefault: true })
    .description('list the signing keys, and those withdrawn lately')
    .action((_options, self) => perform(self, async (context) => (await loadKeys()).listKeys(context)));
  keys
    .command('rotate')
    .description('do what is due now; an hourly schedule does the same')
    .option('--force', 'let the next key sign at once; tokens of the current key stay valid')
    .action((_options, self) => perform(self, async (context) => (await loadKeys()).rotateKeys(context, self.opts())));
  keys
    .command('withdraw')
    .description('withdraw a key that leaked: every token that it signed is refused everywhere, at once')
    .argument('<key>', 'key id, as in the header kid of a token')
    .option('--reason <text>', 'why, for the audit trail')
    .option('--yes', 'withdraw without confirmation')
    .action((key, _options, self) =>
      perform(self, async (context) => (await loadKeys()).withdrawKey(context, key, self.opts())),
    );
}
