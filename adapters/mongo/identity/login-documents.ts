import { z } from 'zod';
import {
  type AuthorizationCode,
  type DeviceAuthorization,
  GRANT_ORIGINS,
  type GrantRecord,
  type SessionRecord,
} from '../../../domain/identity/login.ts';
import { LOGIN_METHODS } from '../../../domain/identity/user.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

/** Sessions and grants as they are stored; `_id` is the id. */
export interface SessionDocument extends Omit<SessionRecord, 'id'> {
  readonly _id: string;
}

export interface GrantDocument extends Omit<GrantRecord, 'id'> {
  readonly _id: string;
}

/** `_id` is the hash of the code. */
export interface CodeDocument extends Omit<AuthorizationCode, 'codeHash'> {
  readonly _id: string;
  /** When the document is deleted: some time after the code has expired. */
  readonly forgetAt: Date;
}

/** `_id` is the hash of the device code. */
export interface DeviceDocument extends Omit<DeviceAuthorization, 'deviceCodeHash'> {
  readonly _id: string;
}

const text = z.string();
const texts = z.array(text);
const time = z.date();
const methods = z.array(z.enum(LOGIN_METHODS));
const origin = { address: text, userAgent: text };

const sessionSchema = z.object({
  _id: text,
  userId: text,
  secretHash: text,
  methods,
  authenticatedAt: time,
  ...origin,
  createdAt: time,
  lastSeenAt: time,
  expiresAt: time,
  revokedAt: time.nullable(),
});

const grantSchema = z.object({
  _id: text,
  userId: text,
  clientId: text,
  sessionId: text.nullable(),
  origin: z.enum(GRANT_ORIGINS),
  offline: z.boolean(),
  scopes: texts,
  audience: texts,
  methods,
  authenticatedAt: time,
  generation: z.int(),
  lastReply: z.object({ sealed: sealedSecretSchema, graceUntil: time }).nullable(),
  ...origin,
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
  revokedAt: time.nullable(),
});

const codeSchema = z.object({
  _id: text,
  clientId: text,
  redirectUri: text,
  userId: text,
  sessionId: text,
  scopes: texts,
  audience: texts,
  nonce: text.nullable(),
  codeChallenge: text,
  methods,
  authenticatedAt: time,
  expiresAt: time,
  redeemedFor: text.nullable(),
});

const deviceSchema = z.object({
  _id: text,
  userCode: text,
  clientId: text,
  scopes: texts,
  audience: texts,
  status: z.enum(['pending', 'approved', 'denied', 'redeemed']),
  approval: z.object({ userId: text, sessionId: text, methods, authenticatedAt: time }).nullable(),
  intervalSeconds: z.int(),
  lastPolledAt: time.nullable(),
  redeemedFor: text.nullable(),
  address: text,
  createdAt: time,
  expiresAt: time,
});

export function readSession(document: unknown): SessionRecord {
  const { _id, ...rest } = readDocument('session', sessionSchema, document);
  return { id: _id, ...rest };
}

export function readGrant(document: unknown): GrantRecord {
  const { _id, ...rest } = readDocument('grant', grantSchema, document);
  return { id: _id, ...rest };
}

export function readCode(document: unknown): AuthorizationCode {
  const { _id, ...rest } = readDocument('authorization code', codeSchema, document);
  return { codeHash: _id, ...rest };
}

export function readDevice(document: unknown): DeviceAuthorization {
  const { _id, ...rest } = readDocument('device authorization', deviceSchema, document);
  return { deviceCodeHash: _id, ...rest };
}
