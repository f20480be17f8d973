import { NO_WHITE_LABEL } from '../branding/white-label.ts';
import { NO_PASSPORT } from '../passport-config.ts';
import {
  type Administrator,
  type ClientField,
  type ClientPatch,
  FIELD_RULES,
  mayChange,
  valueAt,
} from './administration.ts';
import type { ClientRecord, GrantType } from './client.ts';

/** What anyone's client may have from the start (spec 1, "Limits"). */
export const BASIC_SCOPES: readonly string[] = ['openid', 'profile', 'email'];
export const BASIC_GRANT_TYPES: readonly GrantType[] = ['authorization_code', 'refresh_token'];

export const DEFAULT_ACCESS_TOKEN_TTL_SECONDS = 3_600;
export const DEFAULT_REFRESH_TOKEN_TTL_SECONDS = 30 * 86_400;

/** What a new client has where its maker says nothing. */
export const NEW_CLIENT = {
  description: '',
  clientType: 'confidential',
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedScopes: BASIC_SCOPES,
  allowedGrantTypes: BASIC_GRANT_TYPES,
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
  accessTokenTtlSeconds: DEFAULT_ACCESS_TOKEN_TTL_SECONDS,
  refreshTokenTtlSeconds: DEFAULT_REFRESH_TOKEN_TTL_SECONDS,
  defaultAudience: [],
  service: null,
  environment: null,
  addedEntries: [],
  sharingRevision: 0,
} as const satisfies Partial<ClientRecord>;

/** Ids of this shape are given to services at deploy. */
const SERVICE_CLIENT_ID = /-(?:prod|sandbox|uat)$/;

/** What someone asks a new client to be. Objects may be given in part. */
export type WantedClient = ClientPatch & Partial<Pick<ClientRecord, 'clientId' | 'orgSlug' | 'clientType'>>;

/**
 * What `by` may not have in a client they create (spec 1, "Builder routes for OAuth clients"). For an owner that is:
 * scopes beyond openid, profile and email, grants beyond authorization code and refresh, another org than `org`,
 * whatever a super admin switches on, and the id of a service's client. Empty means that the client may be created.
 */
export function refusedInCreation(wanted: WantedClient, by: Administrator, org: string): readonly string[] {
  const refused: string[] = [];
  if (by === 'owner' && (org === '' || (wanted.orgSlug ?? org) !== org)) refused.push('orgSlug');
  if (by === 'owner' && SERVICE_CLIENT_ID.test(wanted.clientId ?? '')) refused.push('clientId');
  for (const field of Object.keys(FIELD_RULES) as ClientField[]) {
    const value = valueAt(wanted, field);
    if (value !== undefined && !mayChange(FIELD_RULES[field], value, by) && !isBasic(field, value)) refused.push(field);
  }
  return refused;
}

function isBasic(field: ClientField, value: unknown): boolean {
  if (field === 'allowedScopes') return isSubset(value, BASIC_SCOPES);
  if (field === 'allowedGrantTypes') return isSubset(value, BASIC_GRANT_TYPES);
  return Array.isArray(value) ? value.length === 0 : value === false;
}

function isSubset(value: unknown, allowed: readonly unknown[]): boolean {
  return Array.isArray(value) && value.every((item) => allowed.includes(item));
}
