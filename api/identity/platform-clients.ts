import { NO_WHITE_LABEL } from '../../domain/branding/white-label.ts';
import { type ClientRecord, PLATFORM_CLIENTS } from '../../domain/oauth-clients/client.ts';
import { NO_PASSPORT } from '../../domain/passport-config.ts';
import type { IdentitySettings } from './deps.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/**
 * The clients every installation has. `builder` is the platform's API: the audience of tokens for it, and a client that
 * gets secrets once it asks for tokens itself; `audit-ledger` is the same of the ledger. `audit-ledger-pages` is how people
 * sign in to the ledger's pages: public, with one redirect address. `fairlead-cli` is the command line: public, so it
 * proves itself by PKCE and a loopback address (RFC 8252, 7.3: any port) or by the device flow. Its tokens are for both of
 * the platform's APIs that it calls, which one operator runs: a person's login serves all commands.
 */
export function platformClients(
  settings: Pick<IdentitySettings, 'platformName' | 'platformOrg' | 'auditUrl'>,
  now: Date,
): readonly ClientRecord[] {
  const common = {
    orgSlug: settings.platformOrg,
    postLogoutRedirectUris: [],
    // Nothing on a machine proves to be the command line, so its person is asked (RFC 8252, 8.6).
    trustedClient: false,
    autoApproveScopes: false,
    headlessEnabled: false,
    selfServiceEmail: false,
    passportConfig: NO_PASSPORT,
    trustedInviteSignup: false,
    llmAccessEnabled: false,
    whiteLabel: NO_WHITE_LABEL,
    mailTemplates: {},
    customDomains: [],
    accessTokenTtlSeconds: HOUR_SECONDS,
    service: null,
    environment: null,
    secrets: [],
    createdBy: 'internal',
    createdAt: now,
    updatedAt: now,
  } as const;
  return [
    {
      ...common,
      clientId: PLATFORM_CLIENTS.builder,
      name: `${settings.platformName} builder`,
      description: "The platform's API",
      clientType: 'confidential',
      redirectUris: [],
      allowedScopes: ['openid', 'profile', 'email'],
      allowedGrantTypes: ['client_credentials'],
      refreshTokenTtlSeconds: 30 * DAY_SECONDS,
      defaultAudience: [],
    },
    {
      ...common,
      clientId: PLATFORM_CLIENTS.auditLedger,
      name: `${settings.platformName} audit ledger`,
      description: 'Where services write what happened',
      clientType: 'confidential',
      redirectUris: [],
      allowedScopes: ['openid', 'profile', 'email'],
      allowedGrantTypes: ['client_credentials'],
      refreshTokenTtlSeconds: 30 * DAY_SECONDS,
      defaultAudience: [],
    },
    {
      ...common,
      clientId: PLATFORM_CLIENTS.cli,
      name: `${settings.platformName} command line`,
      description: 'The fairlead command on a machine of its user',
      clientType: 'public',
      redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
      allowedScopes: ['openid', 'profile', 'email', 'offline_access'],
      allowedGrantTypes: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      refreshTokenTtlSeconds: 30 * DAY_SECONDS,
      defaultAudience: [PLATFORM_CLIENTS.builder, PLATFORM_CLIENTS.auditLedger],
    },
    ...(settings.auditUrl === undefined
      ? []
      : [
          {
            ...common,
            clientId: PLATFORM_CLIENTS.auditPages,
            name: `${settings.platformName} audit ledger pages`,
            description: 'What auditors see of the ledger',
            clientType: 'public',
            redirectUris: [`${settings.auditUrl}/api/auth/callback`],
            // Ours, at an address of ours: nobody needs to be asked.
            trustedClient: true,
            allowedScopes: ['openid', 'profile', 'email'],
            allowedGrantTypes: ['authorization_code'],
            refreshTokenTtlSeconds: 30 * DAY_SECONDS,
            defaultAudience: [PLATFORM_CLIENTS.auditLedger],
          } as const,
        ]),
  ];
}
