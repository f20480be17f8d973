import { NO_WHITE_LABEL } from '../../domain/branding/white-label.ts';
import type { ClientRecord, ClientSecret } from '../../domain/oauth-clients/client.ts';
import { NO_PASSPORT } from '../../domain/passport-config.ts';
import { CLI_CLIENT, SERVICE_ROWS, type ServiceRow, SIGN_IN_CALLBACK } from '../../domain/services.ts';
import type { IdentitySettings } from './deps.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const SIGN_IN_SCOPES = ['openid', 'profile', 'email'] as const;

/** The audience of a person's tokens for all of the platform's APIs. */
const EVERY_SERVICE = SERVICE_ROWS.flatMap(({ platformClient }) => platformClient ?? []);

type Settings = Pick<IdentitySettings, 'platformName' | 'platformOrg' | 'serviceUrls'> & {
  /** By client id. */
  readonly secrets: Readonly<Record<string, ClientSecret>>;
};
type Defaults = ReturnType<typeof defaults>;

/**
 * The clients every installation has, by the table of services. A service that takes tokens has one: the audience of
 * tokens for it, and a client with a secret where it asks for tokens itself. Pages of a service have another by which
 * people sign in: public, with one redirect address. `fairlead-cli` is the command line.
 */
export function platformClients(settings: Settings, now: Date): readonly ClientRecord[] {
  const common = defaults(settings, now);
  return [
    ...SERVICE_ROWS.flatMap((row) =>
      row.platformClient === null ? [] : [serviceClient(common, settings, { ...row, clientId: row.platformClient })],
    ),
    commandLineClient(common, settings),
    ...SERVICE_ROWS.flatMap((row) => {
      const url = settings.serviceUrls[row.name];
      if (row.pagesClient === null || url === undefined) return [];
      return [pagesClient(common, settings, { ...row, clientId: row.pagesClient, url })];
    }),
  ];
}

function defaults(settings: Settings, now: Date) {
  return {
    orgSlug: settings.platformOrg,
    redirectUris: [],
    postLogoutRedirectUris: [],
    // Nothing on a machine proves to be the command line, so its person is asked (RFC 8252, 8.6).
    trustedClient: false,
    autoApproveScopes: false,
    headlessEnabled: false,
    selfServiceEmail: false,
    passportConfig: NO_PASSPORT,
    trustedInviteSignup: false,
    signIn: 'anyone',
    signInEpoch: 0,
    llmAccessEnabled: false,
    whiteLabel: NO_WHITE_LABEL,
    mailTemplates: {},
    customDomains: [],
    accessTokenTtlSeconds: HOUR_SECONDS,
    refreshTokenTtlSeconds: 30 * DAY_SECONDS,
    defaultAudience: [],
    service: null,
    environment: null,
    secrets: [],
    addedEntries: [],
    sharingRevision: 0,
    createdBy: 'internal',
    createdAt: now,
    updatedAt: now,
  } as const;
}

function serviceClient(
  common: Defaults,
  { platformName, secrets }: Settings,
  { clientId, title, purpose, ownScopes }: Pick<ServiceRow, 'title' | 'purpose' | 'ownScopes'> & { clientId: string },
): ClientRecord {
  const secret = secrets[clientId];
  return {
    ...common,
    clientId,
    name: `${platformName} ${title}`,
    description: purpose,
    clientType: 'confidential',
    secrets: secret === undefined ? [] : [secret],
    allowedScopes: [...SIGN_IN_SCOPES, ...(ownScopes ?? [])],
    allowedGrantTypes: ['client_credentials'],
  };
}

/**
 * Public: it proves itself by PKCE and a loopback address (RFC 8252, 7.3: any port) or by the device flow. Its tokens are
 * for all of the platform's APIs, which one operator runs: a person's login serves all commands.
 */
function commandLineClient(common: Defaults, { platformName }: Settings): ClientRecord {
  return {
    ...common,
    clientId: CLI_CLIENT,
    name: `${platformName} command line`,
    description: 'The fairlead command on a machine of its user',
    clientType: 'public',
    redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    allowedScopes: [...SIGN_IN_SCOPES, 'offline_access'],
    allowedGrantTypes: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    defaultAudience: EVERY_SERVICE,
  };
}

type PagesRow = Pick<ServiceRow, 'platformClient' | 'pagesCallServices' | 'title'>;

function pagesClient(
  common: Defaults,
  { platformName }: Settings,
  row: PagesRow & { readonly clientId: string; readonly url: string },
): ClientRecord {
  const { clientId, platformClient, pagesCallServices = false, title, url } = row;
  return {
    ...common,
    clientId,
    // Without `pages` where the service is its pages: people read it when they sign in.
    name: `${platformName} ${title}${platformClient === null ? '' : ' pages'}`,
    description: `The pages of the ${title}`,
    clientType: 'public',
    redirectUris: [url + SIGN_IN_CALLBACK],
    // Ours, at an address of ours: nobody needs to be asked.
    trustedClient: true,
    allowedScopes: SIGN_IN_SCOPES,
    // Without `offline_access`: a login that is refreshed still ends with the session at the provider.
    allowedGrantTypes: pagesCallServices ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
    defaultAudience: pagesCallServices ? EVERY_SERVICE : [platformClient ?? []].flat(),
  };
}
