import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { parseJson } from '../../../domain/parse-json.ts';

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const shortId = base64url.max(1_400);

const credential = {
  id: shortId,
  rawId: shortId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  // Nothing of it is used.
  clientExtensionResults: z.looseObject({}).transform(() => ({})),
};

const assertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url.max(4_000),
    authenticatorData: base64url.max(4_000),
    signature: base64url.max(4_000),
    userHandle: base64url.max(200).optional(),
  }),
});

const attestationSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url.max(4_000),
    attestationObject: base64url.max(20_000),
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});

/** What `navigator.credentials.get` answered, as the pages' script sends it; null for anything else. */
export function parseAssertion(text: string): AuthenticationResponseJSON | null {
  return parse(assertionSchema, text) as AuthenticationResponseJSON | null;
}

/** What `navigator.credentials.create` answered; null for anything else. */
export function parseAttestation(text: string): RegistrationResponseJSON | null {
  return parse(attestationSchema, text) as RegistrationResponseJSON | null;
}

function parse<T extends z.ZodType>(schema: T, text: string): z.output<T> | null {
  return schema.safeParse(parseJson(text)).data ?? null;
}
