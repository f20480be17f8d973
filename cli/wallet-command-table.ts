import { type Command, Option } from 'commander';
import { CREDITED } from '../domain/wallet/movement.ts';
import { MOST_TOKENS } from '../domain/wallet/schema.ts';
import { wholeNumber } from './option-values.ts';
import { ORG_FLAG } from './org-command-table.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadWallet = () => import('./commands/wallet.ts');

/** Declares `fairlead wallet …`. */
export function addWalletCommands(program: Command, perform: Perform): void {
  const wallet = program.command('wallet').description('the gas of an org: its balances, and what was added and taken');
  wallet
    .command('balance', { isDefault: true })
    .description('show the balances')
    .option(...ORG_FLAG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadWallet()).showBalance(context, self.opts())),
    );
  wallet
    .command('ledger')
    .description('list what was added and taken, newest first')
    .option(...ORG_FLAG)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((_options, self) =>
      perform(self, async (context) => (await loadWallet()).listLedger(context, self.opts())),
    );
  wallet
    .command('credit')
    .description('add tokens to the wallet of an org (platform admins)')
    .argument('<amount>', 'whole tokens', wholeNumber(1, MOST_TOKENS))
    .requiredOption('--org <slug>', 'the org')
    .requiredOption('--reason <text>', 'why, as the people of the org read it')
    .addOption(new Option('--balance <name>', 'the balance to add to').choices(CREDITED).default('purchased'))
    .option('--key <key>', 'with the key of an earlier attempt, the tokens are added once')
    .action((amount, _options, self) =>
      perform(self, async (context) => (await loadWallet()).creditWallet(context, amount, self.opts())),
    );
}
