import type { ClientRecord } from './client.ts';
import { isPlatformClient } from './platform-client.ts';
import type { ClientChanges } from './ports.ts';

/**
 * Who administers a client (spec 1, C): the org that owns it, a platform super admin (the builder's internal key acts as
 * one), or a platform super admin in their own browser's session.
 */
export type Administrator = 'owner' | 'super_admin' | 'super_admin_session';

/**
 * Who may change a field: `switch` is turned on by a super admin and off by the owner as well; `own_session` is for a
 * super admin's own session and refused to everybody else, the builder included (spec 1, D 4).
 */
export type FieldRule = 'owner' | 'super_admin' | 'switch' | 'own_session';

/** The allowlist of what can be changed on a client and by whom (spec 1, "OAuth client record" and C). */
export const FIELD_RULES = {
  name: 'owner',
  description: 'owner',
  redirectUris: 'owner',
  postLogoutRedirectUris: 'owner',
  accessTokenTtlSeconds: 'owner',
  refreshTokenTtlSeconds: 'owner',
  'whiteLabel.emailFromName': 'owner',
  'whiteLabel.logoUrl': 'owner',
  'whiteLabel.primaryColor': 'owner',
  mailTemplates: 'owner',
  customDomains: 'owner',
  'passportConfig.allowedEmbedOrigins': 'owner',
  'passportConfig.includeBranding': 'switch',
  'passportConfig.includeEntityHash': 'switch',
  'passportConfig.headless': 'switch',
  headlessEnabled: 'switch',
  selfServiceEmail: 'switch',
  allowedScopes: 'super_admin',
  allowedGrantTypes: 'super_admin',
  trustedClient: 'super_admin',
  autoApproveScopes: 'super_admin',
  // Not shown in the spec; a wider audience reaches further, so it goes with the scopes.
  defaultAudience: 'super_admin',
  trustedInviteSignup: 'own_session',
} as const satisfies Record<string, FieldRule>;

/** Name of a field that can be changed; a dot leads into an object. */
export type ClientField = keyof typeof FIELD_RULES;

/** What of a client the rules look at: a stored record, or one as it is shown. */
export type AdministeredClient = Omit<
  ClientRecord,
  'secrets' | 'signInEpoch' | 'addedEntries' | 'sharingRevision' | 'createdAt' | 'updatedAt'
>;

/** What a caller wants to be different. Objects are merged part by part. */
export type ClientPatch = ClientChanges;

export interface ClientPatchDecision {
  /** What is to be written: allowed, and different from what is there. */
  readonly changes: ClientChanges;
  /** The fields that change, in the table's order. */
  readonly fields: readonly ClientField[];
  /** Fields the caller may not change. Unless it is empty, nothing is to be written. */
  readonly refused: readonly ClientField[];
}

/**
 * Decides a change of a client. Nobody changes a client of the platform. Fields outside the table are dropped (spec 1, "Builder routes for OAuth clients"), and
 * so are values the client has already: a client can be read, edited and sent back whole.
 */
export function decideClientPatch(
  record: AdministeredClient,
  patch: ClientPatch,
  by: Administrator,
): ClientPatchDecision {
  const fields: ClientField[] = [];
  const refused: ClientField[] = [];
  let changes: ClientChanges = {};
  for (const field of Object.keys(FIELD_RULES) as ClientField[]) {
    const value = valueAt(patch, field);
    if (value === undefined || isSame(value, valueAt(record, field))) continue;
    if (isPlatformClient(record.clientId) || !mayChange(FIELD_RULES[field], value, by)) refused.push(field);
    else {
      fields.push(field);
      changes = withValue(changes, field, value);
    }
  }
  return { changes, fields, refused };
}

/** The value of a field, or of a part of it. */
export function valueAt(record: Partial<AdministeredClient> | ClientChanges, field: ClientField): unknown {
  const [name = '', part] = field.split('.');
  const value: unknown = Object.getOwnPropertyDescriptor(record, name)?.value;
  if (part === undefined || typeof value !== 'object' || value === null) return part === undefined ? value : undefined;
  return Object.getOwnPropertyDescriptor(value, part)?.value;
}

/** Whether `by` may give a field of that rule a new value. */
export function mayChange(rule: FieldRule, value: unknown, by: Administrator): boolean {
  if (rule === 'own_session') return by === 'super_admin_session';
  if (by !== 'owner' || rule === 'owner') return true;
  return rule === 'switch' && value === false;
}

/** Lists of scopes, grant types and URIs are sets: their order says nothing. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, part]) => [key, inOrder(part)]),
  );
}

function withValue(changes: ClientChanges, field: ClientField, value: unknown): ClientChanges {
  const [name = '', part] = field.split('.');
  if (part === undefined) return { ...changes, [name]: value };
  const parts: unknown = Object.getOwnPropertyDescriptor(changes, name)?.value;
  return { ...changes, [name]: { ...(typeof parts === 'object' ? parts : {}), [part]: value } };
}
