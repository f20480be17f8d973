import type { Command } from 'commander';
import { collect, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/locker.ts');

const HANDLE = 'lk://<org>/<vault>/<item>; lk://me/… is your own';
const ORG_FLAG = ['--org <slug>', 'org (default: the one that your login acts in); `me` for your own'] as const;
const SERVICE_FLAG = ['-s, --service <name>', 'service (default: the service of this folder)'] as const;
const YES_FLAG = ['--yes', 'do it without confirmation'] as const;

/** Declares `fairlead locker …`. */
export function addLockerCommands(program: Command, perform: Perform): void {
  const locker = program.command('locker').description('credentials of an org, and which services may copy them');
  addReading(locker, perform);
  addChanging(locker, perform);
  addBinding(locker, perform);
  addKeys(locker, perform);
}

function addReading(locker: Command, perform: Perform): void {
  locker
    .command('vaults', { isDefault: true })
    .description('list the vaults')
    .option(...ORG_FLAG)
    .action((_options, self) => perform(self, async (context) => (await load()).listVaults(context, self.opts())));
  locker
    .command('items')
    .description('list the items, without values')
    .argument('[vault]', 'only of this vault')
    .option(...ORG_FLAG)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, 1_000), 200)
    .action((vault, _options, self) =>
      perform(self, async (context) => (await load()).listItems(context, vault, self.opts())),
    );
  locker
    .command('show')
    .description('show an item, with the values that are not secret')
    .argument('<handle>', HANDLE)
    .action((handle, _options, self) => perform(self, async (context) => (await load()).showItem(context, handle)));
  locker
    .command('read')
    .description('print a value of your own')
    .argument('<handle>', 'lk://me/<vault>/<item>[/<field>]')
    .action((handle, _options, self) => perform(self, async (context) => (await load()).readOwn(context, handle)));
}

function addChanging(locker: Command, perform: Perform): void {
  locker
    .command('put')
    .description('store values of an item; fields that are not named stay')
    .argument('<handle>', HANDLE)
    .argument('[FIELD=VALUE...]', 'fields that members of the org may see')
    .option(
      '--secret <FIELD>',
      'a secret field; prompts for its value or reads it from stdin (may be repeated)',
      collect,
      [],
    )
    .option('--remove <FIELD>', 'a field to take away (may be repeated)', collect, [])
    .option('--alias <name>', 'the name that it had in the legacy vault')
    .option('--no-alias', 'take that name away')
    .action((handle, assignments, _options, self) =>
      perform(self, async (context) => (await load()).putItem(context, handle, assignments, self.opts())),
    );
  locker
    .command('seal')
    .description('let no value of an item leave any more; only new values undo it')
    .argument('<handle>', HANDLE)
    .option(...YES_FLAG)
    .action((handle, _options, self) =>
      perform(self, async (context) => (await load()).sealItem(context, handle, self.opts())),
    );
  locker
    .command('remove')
    .description('remove an item; services keep the copies that they were given')
    .argument('<handle>', HANDLE)
    .option(...YES_FLAG)
    .action((handle, _options, self) =>
      perform(self, async (context) => (await load()).removeItem(context, handle, self.opts())),
    );
}

function addBinding(locker: Command, perform: Perform): void {
  locker
    .command('bind')
    .description('let a service of the org copy values of an item')
    .argument('<handle>', HANDLE)
    .option(...SERVICE_FLAG)
    .action((handle, _options, self) =>
      perform(self, async (context) => (await load()).bindItem(context, handle, self.opts())),
    );
  locker
    .command('unbind')
    .description('take that away')
    .argument('<handle>', HANDLE)
    .option('-s, --service <name>', 'service, also one that is gone (default: the service of this folder)')
    .action((handle, _options, self) =>
      perform(self, async (context) => (await load()).unbindItem(context, handle, self.opts())),
    );
}

function addKeys(locker: Command, perform: Perform): void {
  locker
    .command('reencrypt')
    .description('seal every value with the first key of LOCKER_ENCRYPTION_KEY (platform admins)')
    .action((_options, self) =>
      perform(self, async (context) => {
        const { ofLocker, reencrypt } = await import('./commands/reencrypt.ts');
        return reencrypt(context, ofLocker(context));
      }),
    );
}
