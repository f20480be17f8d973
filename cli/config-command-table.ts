import type { Command } from 'commander';
import type { Environment } from '../domain/environment.ts';
import { collect, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadConfig = () => import('./commands/config.ts');
const loadImport = () => import('./commands/import-config.ts');

const SERVICE_FLAG = ['-s, --service <name>', 'service (default: the service of this folder)'] as const;

/** Declares `fairlead config …`. */
export function addConfigCommands(program: Command, perform: Perform): void {
  const config = program
    .command('config')
    .description('variables and secrets of a service; changes take effect with its next deploy');
  config
    .command('list', { isDefault: true })
    .description('list the variables, secrets by name only')
    .option(...SERVICE_FLAG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadConfig()).listConfig(context, self.opts().service)),
    );
  config
    .command('set')
    .description('store variables; with --env for that environment alone')
    .argument('[KEY=VALUE...]', 'plain variables')
    .option(
      '--secret <KEY>',
      'a variable that is encrypted; prompts for its value or reads it from stdin (may be repeated)',
      collect,
      [],
    )
    .option(
      '--from-locker <handle>',
      'copy the value of --secret out of the locker: lk://<org>/<vault>/<item>[/<field>] (may be repeated)',
      collect,
      [],
    )
    .option(
      '--from-vault <alias>',
      'deprecated: copy it by its alias in the legacy vault (may be repeated)',
      collect,
      [],
    )
    .option(...SERVICE_FLAG)
    .action((assignments, _options, self) =>
      perform(self, async (context) =>
        (await loadConfig()).setConfig(context, assignments, { ...self.opts(), only: only(self) }),
      ),
    );
  config
    .command('import')
    .description('store the variables of a file such as .env, those that look like secrets encrypted')
    .argument('<file>', 'lines of KEY=VALUE, as dotenv reads them')
    .option('--secret <KEY>', 'encrypt this one as well (may be repeated)', collect, [])
    .option(...SERVICE_FLAG)
    .action((file, _options, self) =>
      perform(self, async (context) =>
        (await loadImport()).importConfig(context, file, { ...self.opts(), only: only(self) }),
      ),
    );
  config
    .command('unset')
    .description('remove variables; with --env those of that environment alone')
    .argument('<KEY...>', 'names')
    .option(...SERVICE_FLAG)
    .action((names, _options, self) =>
      perform(self, async (context) =>
        (await loadConfig()).unsetConfig(context, names, { ...self.opts(), only: only(self) }),
      ),
    );
  config
    .command('pull')
    .description('write the values of an environment, secrets in clear, into .env.local for development')
    .option('--file <path>', 'file to write', '.env.local')
    .option('--yes', 'replace a file that another program wrote')
    .option(...SERVICE_FLAG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadConfig()).pullConfig(context, self.opts())),
    );
  config
    .command('history')
    .description('list who changed which variables, newest first')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, 200), 20)
    .option(...SERVICE_FLAG)
    .action((_options, self) =>
      perform(self, async (context) => (await loadConfig()).configHistory(context, self.opts())),
    );
  config
    .command('reencrypt')
    .description('seal every stored secret with the first key of CONFIG_ENCRYPTION_KEY (platform admins)')
    .action((_options, self) =>
      perform(self, async (context) => {
        const { ofConfig, reencrypt } = await import('./commands/reencrypt.ts');
        return reencrypt(context, ofConfig(context));
      }),
    );
}

/** The environment that was typed: without it, a change is for all of them. */
function only(command: Command): Environment | null {
  return command.getOptionValueSourceWithGlobals('env') === 'default' ? null : command.optsWithGlobals().env;
}
