import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { parseJson } from '../domain/parse-json.ts';
import { usageFailure } from './cli-failure.ts';
import { given, list, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadOrgs = () => import('./commands/orgs.ts');

export const ORG_FLAG = ['--org <slug>', 'the org (default: the one you act in)'] as const;
const ORG = 'slug of the org (default: the one you act in)';

/** Declares `fairlead orgs …`. */
export function addOrgCommands(program: Command, perform: Perform): void {
  const orgs = program.command('orgs').description('orgs: list, switch, create, change, suspend');
  orgs
    .command('list', { isDefault: true })
    .description('list your orgs (platform admins: --all for all of the installation)')
    .option('--all', 'also those you are not in')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) => perform(self, async (context) => (await loadOrgs()).listOrgs(context, self.opts())));
  orgs
    .command('use')
    .description('switch to an org, here and wherever else you are signed in')
    .argument('<org>', 'slug of an org you are in')
    .action((org, _options, self) => perform(self, async (context) => (await loadOrgs()).useOrg(context, org)));
  orgs
    .command('audit')
    .description('list what was changed in the org, its people and its clients, newest first')
    .argument('[org]', ORG)
    .option('--type <type>', 'only this type, such as org.member_changed')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 20)
    .action((org, _options, self) =>
      perform(self, async (context) => (await loadOrgs()).orgAudit(context, org, self.opts())),
    );
  addRecords(orgs, perform);
  addGrants(orgs, perform);
}

function addRecords(orgs: Command, perform: Perform): void {
  orgs
    .command('show')
    .description('show an org')
    .argument('[org]', ORG)
    .action((org, _options, self) => perform(self, async (context) => (await loadOrgs()).showOrg(context, org)));
  orgs
    .command('create')
    .description('create an org (platform admins)')
    .argument('<slug>', 'its name in addresses and tokens')
    .requiredOption('--name <name>', 'display name')
    .option('--modules <modules>', 'modules it has, separated by commas', list)
    .action((slug, _options, self) =>
      perform(self, async (context) => (await loadOrgs()).createOrg(context, { slug, ...given(self.opts()) })),
    );
  orgs
    .command('update')
    .description('change an org; options that are not given stay unchanged')
    .argument('[org]', ORG)
    .option('--name <name>', 'display name')
    .option('--modules <modules>', 'all its modules, separated by commas (platform admins)', list)
    .option('--email-from-name <name>', 'sender name of its mail; empty for none')
    .option('--logo-url <url>', 'logo on pages and in mail; empty for none')
    .option('--primary-color <colour>', 'such as #0F172A; empty for none')
    .option(
      '--second-factor <word>',
      '`required`: only logins with a second factor count here; or `optional`',
      factorWord,
    )
    .option('--session-hours <hours>', 'hours a login counts here, up to 168; 0 for no limit', wholeNumber(0, 168))
    .option('--mail-templates <file>', 'JSON of its mail templates by kind; replaces all of them')
    .action((org, _options, self) =>
      perform(self, async (context) => (await loadOrgs()).updateOrg(context, org, changesOf(self.opts(), context.cwd))),
    );
  for (const verb of ['suspend', 'restore'] as const) {
    const command = orgs.command(verb).description(`${verb} an org (platform admins)`).argument('<org>', 'its slug');
    if (verb === 'suspend') command.option('--yes', 'suspend without confirmation');
    command.action((org, _options, self) =>
      perform(self, async (context) => (await loadOrgs()).suspendOrg(context, org, verb === 'suspend', self.opts())),
    );
  }
}

function addGrants(orgs: Command, perform: Perform): void {
  orgs
    .command('grants')
    .description("list the clients that manage the org's people")
    .argument('[client]', 'only this client')
    .option(...ORG_FLAG)
    .action((client, _options, self) =>
      perform(self, async (context) => (await loadOrgs()).listGrants(context, client, self.opts())),
    );
  for (const [verb, method, what] of [
    ['grant', 'PUT', "let a client manage the org's people"],
    ['revoke-grant', 'DELETE', "stop a client from managing the org's people"],
  ] as const) {
    orgs
      .command(verb)
      .description(what)
      .argument('<client>', 'client id, such as my-service-prod')
      .option(...ORG_FLAG)
      .action((client, _options, self) =>
        perform(self, async (context) => (await loadOrgs()).changeGrant(context, client, method, self.opts())),
      );
  }
}

function changesOf(options: Readonly<Record<string, unknown>>, cwd: string): Record<string, unknown> {
  const { name, modules, mailTemplates, emailFromName, logoUrl, primaryColor, secondFactor, sessionHours } = options;
  const policy = given({
    secondFactorRequired: secondFactor === undefined ? undefined : secondFactor === 'required',
    sessionHours: sessionHours === 0 ? null : sessionHours,
  });
  const whiteLabel = given({
    emailFromName: orNull(emailFromName),
    logoUrl: orNull(logoUrl),
    primaryColor: orNull(primaryColor),
  });
  return given({
    ...{ name, modules },
    mailTemplates: mailTemplates === undefined ? undefined : readTemplates(String(mailTemplates), cwd),
    policy: Object.keys(policy).length === 0 ? undefined : policy,
    whiteLabel: Object.keys(whiteLabel).length === 0 ? undefined : whiteLabel,
  });
}

function factorWord(word: string): string {
  if (word === 'required' || word === 'optional') return word;
  throw new InvalidArgumentError('It is `required` or `optional`.');
}

/** Commander makes no value of a null, so what is empty is told here. */
function orNull(text: unknown): unknown {
  return text === '' ? null : text;
}

/** The API says what is wrong with the templates; here only whether they can be read. */
function readTemplates(path: string, cwd: string): unknown {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw usageFailure(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const templates = parseJson(text);
  if (templates === undefined) throw usageFailure(`${path} is not JSON.`);
  return templates;
}
