import { type Command, Option } from 'commander';
import { DOMAIN_MODES } from '../domain/custom-domains/mode.ts';
import { wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const load = () => import('./commands/domains.ts');

/** Declares `fairlead domain …`. */
export function addDomainCommands(program: Command, perform: Perform): void {
  const domain = program.command('domain').description('names of your own that services are served at');
  const named = (name: string, description: string) =>
    domain.command(name).description(description).argument('<name>', 'such as shop.example.com');
  const add = named('add', 'lead a name to a service, and print the records to set')
    .option('-s, --service <name>', 'service (default: that of this folder)')
    .option('--overwrite', 'with --cloudflare: replace address records at the name that lead elsewhere')
    .option('--canonical', 'with --direct: lead the same name with www., or without, to this one')
    .option('--no-canonical', 'lead it here no more')
    .option('--hsts', 'with --direct: tell browsers for 180 days to come over TLS alone')
    .option('--no-hsts', 'tell them so no more; those that were told remember it')
    .option('--wait', 'wait until it is served, or fails');
  for (const mode of DOMAIN_MODES) {
    const others = DOMAIN_MODES.filter((other) => other !== mode);
    add.addOption(new Option(`--${mode}`, WHAT[mode]).conflicts([...others]));
  }
  add.action((name, _options, self) =>
    perform(self, async (context) => (await load()).addDomain(context, name, self.opts())),
  );
  named('verify', 'look at a name now, and lead it to its service once more')
    .option('--wait', 'wait until it is served, or fails')
    .action((name, _options, self) =>
      perform(self, async (context) => (await load()).verifyDomain(context, name, self.opts())),
    );
  domain
    .command('list')
    .description('list names of services')
    .option('-s, --service <name>', 'only those of this service (default: of all)')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) => perform(self, async (context) => (await load()).listDomains(context, self.opts())));
  named('status', 'show how a name is').action((name, _options, self) =>
    perform(self, async (context) => (await load()).showDomain(context, name)),
  );
  named('doctor', 'compare what is expected with what each DNS server says; exit 1 where a name is not served').action(
    (name, _options, self) => perform(self, async (context) => (await load()).examineDomain(context, name)),
  );
  named('remove', 'take a name away from its service; asks first')
    .option('--yes', 'do not ask')
    .action((name, _options, self) =>
      perform(self, async (context) => (await load()).removeDomain(context, name, self.opts())),
    );
}

const WHAT = {
  cloudflare: 'the platform writes the record into a zone of its DNS provider',
  external: 'you set one CNAME to the shared customers target',
  direct: 'you set an address record, and the platform serves TLS (default)',
} as const;
