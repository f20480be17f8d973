import type { Command } from 'commander';
import { given, list, onOrOff, wholeNumber } from './option-values.ts';
import type { Perform } from './perform.ts';
import { MOST } from './read-pages.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadOauth = () => import('./commands/oauth.ts');

const CLIENT = 'client id, such as my-service-prod';

/** Declares `fairlead oauth …`. */
export function addOauthCommands(program: Command, perform: Perform): void {
  const oauth = program.command('oauth').description('OAuth clients of your org: list, create, change, rotate, delete');
  addReading(oauth, perform);
  addChanging(oauth, perform);
  addSecrets(oauth, perform);
}

function addReading(oauth: Command, perform: Perform): void {
  oauth
    .command('list', { isDefault: true })
    .description('list the clients of your org and of the services it may use')
    .option('-n, --limit <count>', 'how many', wholeNumber(1, MOST), 50)
    .action((_options, self) =>
      perform(self, async (context) => (await loadOauth()).listClients(context, self.opts())),
    );
  oauth
    .command('get')
    .description('show a client; its secrets by id only')
    .argument('<client>', CLIENT)
    .action((client, _options, self) =>
      perform(self, async (context) => (await loadOauth()).getClient(context, client)),
    );
}

function addChanging(oauth: Command, perform: Perform): void {
  const create = oauth
    .command('create')
    .description('create a client; its secret is printed only once')
    .argument('<name>', 'display name')
    .option('--id <client>', 'client id (default: made from the name)')
    .option('--org <slug>', 'owning org, for a super admin (default: your own)')
    .option('--public', 'a public client, which cannot keep a secret: a page, a command line, an app');
  fieldOptions(create).action((name, _options, self) => {
    const { id, org, public: isPublic } = self.opts();
    const identity = { clientId: id, orgSlug: org, clientType: isPublic === true ? 'public' : undefined };
    return perform(self, async (context) =>
      (await loadOauth()).createClient(context, { name, ...given(identity), ...fieldsOf(self.opts()) }),
    );
  });
  fieldOptions(
    oauth
      .command('update')
      .description('change a client; options that are not given stay unchanged')
      .argument('<client>', CLIENT)
      .option('--name <name>', 'display name'),
  ).action((client, _options, self) =>
    perform(self, async (context) =>
      (await loadOauth()).updateClient(context, client, {
        ...given({ name: self.opts().name }),
        ...fieldsOf(self.opts()),
      }),
    ),
  );
  for (const [command, method, what] of [
    ['add-uri', 'POST', 'register a redirect URI'],
    ['remove-uri', 'DELETE', 'remove a redirect URI'],
  ] as const) {
    oauth
      .command(command)
      .description(what)
      .argument('<client>', CLIENT)
      .argument('<uri>', 'of a service: its address with /api/auth/callback')
      .action((clientId, redirectUri, _options, self) =>
        perform(self, async (context) => (await loadOauth()).changeUri(context, method, { clientId, redirectUri })),
      );
  }
  oauth
    .command('delete')
    .description('delete a client and revoke its tokens')
    .argument('<client>', CLIENT)
    .option('--yes', 'delete without confirmation')
    .action((client, _options, self) =>
      perform(self, async (context) => (await loadOauth()).deleteClient(context, client, self.opts())),
    );
}

function addSecrets(oauth: Command, perform: Perform): void {
  oauth
    .command('add-secret')
    .description('add a second secret, printed only once; the first keeps working')
    .argument('<client>', CLIENT)
    .action((client, _options, self) =>
      perform(self, async (context) => (await loadOauth()).addSecret(context, client)),
    );
  oauth
    .command('remove-secret')
    .description('remove a secret')
    .argument('<client>', CLIENT)
    .argument('<secret>', 'its id, as `oauth get` shows it')
    .option('--yes', 'remove without confirmation')
    .action((clientId, secretId, _options, self) =>
      perform(self, async (context) => (await loadOauth()).removeSecret(context, { clientId, secretId }, self.opts())),
    );
  oauth
    .command('regenerate-secret')
    .description('replace all secrets with a new one at once; it is printed only once')
    .argument('<client>', CLIENT)
    .option('--yes', 'replace without confirmation')
    .action((client, _options, self) =>
      perform(self, async (context) => (await loadOauth()).regenerateSecret(context, client, self.opts())),
    );
}

/** Options of fields that `create` and `update` share; who may set which is the API's to say. */
function fieldOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what it is for')
    .option('--redirect-uris <uris>', 'all redirect URIs, separated by commas', list)
    .option('--scopes <scopes>', 'all scopes, separated by commas', list)
    .option('--grant-types <types>', 'all grant types, separated by commas', list)
    .option('--access-token-ttl <seconds>', 'lifetime of access tokens', wholeNumber(60, 3_600))
    .option('--refresh-token-ttl <seconds>', 'lifetime of a login', wholeNumber(3_600, 7_776_000))
    .option('--embed-origins <origins>', 'origins of pages that may embed it, separated by commas', list)
    .option('--custom-domains <hosts>', 'custom domains, separated by commas', list)
    .option('--headless <on|off>', 'embed API for its server', onOrOff)
    .option('--self-service-email <on|off>', 'may send its own reset mail', onOrOff)
    .option('--include-branding <on|off>', 'branding in tokens', onOrOff)
    .option('--include-entity-hash <on|off>', 'entity hash in tokens', onOrOff)
    .option('--trusted <on|off>', 'skip consent', onOrOff)
    .option('--auto-approve-scopes <on|off>', 'skip consent for its scopes', onOrOff);
}

function fieldsOf(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const passportConfig = given({
    allowedEmbedOrigins: options.embedOrigins,
    includeBranding: options.includeBranding,
    includeEntityHash: options.includeEntityHash,
  });
  return given({
    description: options.description,
    redirectUris: options.redirectUris,
    allowedScopes: options.scopes,
    allowedGrantTypes: options.grantTypes,
    accessTokenTtlSeconds: options.accessTokenTtl,
    refreshTokenTtlSeconds: options.refreshTokenTtl,
    customDomains: options.customDomains,
    headlessEnabled: options.headless,
    selfServiceEmail: options.selfServiceEmail,
    trustedClient: options.trusted,
    autoApproveScopes: options.autoApproveScopes,
    passportConfig: Object.keys(passportConfig).length === 0 ? undefined : passportConfig,
  });
}
