import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { addSeconds, DEVICE_CODE_SECONDS, DEVICE_POLL_SECONDS } from '../../../domain/identity/token-lifetimes.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { authenticateClient } from './authenticate-client.ts';
import { requestedAudience, resolveAudience } from './resolve-audience.ts';
import { resolveScopes } from './resolve-scopes.ts';
import { CLIENT_PARAMETERS, parameter, targetParameter } from './token-request.ts';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** No vowels, so that no words come up, and no letters that look like digits (RFC 8628, 6.1): 34 bits. */
const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;

/** A code that lives already is drawn once in millions of times. */
const DRAWS = 5;

const requestSchema = z.object({
  ...CLIENT_PARAMETERS,
  scope: parameter(4_096),
  audience: targetParameter(),
  resource: targetParameter(),
});

const replySchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.url(),
  verification_uri_complete: z.url(),
  expires_in: z.int(),
  interval: z.int(),
});

/** Where a device without a browser begins (RFC 8628, 3.1). */
export function deviceRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/oauth/device_authorization',
      summary: 'Begin a login on a device without a browser',
      tag: 'oauth',
      callers: 'public',
      body: requestSchema,
      bodyTypes: ['json', 'form'],
      replies: 'oauth',
      rateLimit: { perMinute: 60 },
      responses: { 200: { description: 'What to show the person, and what to poll with', schema: replySchema } },
      errors: ['OAUTH_INVALID_CLIENT', 'OAUTH_UNAUTHORIZED_CLIENT', 'OAUTH_INVALID_SCOPE', 'OAUTH_INVALID_TARGET'],
      handle: async ({ body }, context) => {
        const { client } = await authenticateClient(deps, {
          authorization: context.headers.authorization,
          clientId: body.client_id,
          clientSecret: body.client_secret,
          address: context.address,
        });
        if (!client.allowedGrantTypes.includes(DEVICE_GRANT)) {
          throw new FairleadError('OAUTH_UNAUTHORIZED_CLIENT', 'This client was not granted the device flow');
        }
        const scopes = resolveScopes(client, body.scope);
        const audience = await resolveAudience(deps, client, requestedAudience(body));
        return { status: 200, data: await begin(deps, client, { scopes, audience }, context) };
      },
    }),
  ];
}

async function begin(
  deps: IdentityDeps,
  client: ClientRecord,
  wanted: { scopes: readonly string[]; audience: readonly string[] },
  context: RouteContext,
): Promise<z.output<typeof replySchema>> {
  const deviceCode = deps.tokens.create('fldc_');
  const createdAt = deps.now();
  const userCode = await insertWithCode(deps, {
    ...wanted,
    deviceCodeHash: deps.tokens.hash(deviceCode),
    clientId: client.clientId,
    status: 'pending',
    approval: null,
    intervalSeconds: DEVICE_POLL_SECONDS,
    lastPolledAt: null,
    redeemedFor: null,
    address: context.address,
    createdAt,
    expiresAt: addSeconds(createdAt, DEVICE_CODE_SECONDS),
  });
  const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
  const page = `${deps.settings.issuer}/oauth/device`;
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${shown}`,
    expires_in: DEVICE_CODE_SECONDS,
    interval: DEVICE_POLL_SECONDS,
  };
}

type NewDevice = Omit<Parameters<IdentityDeps['devices']['insert']>[0], 'userCode'>;

async function insertWithCode(deps: IdentityDeps, device: NewDevice): Promise<string> {
  for (let draw = 1; ; draw += 1) {
    const userCode = deps.tokens.letters(USER_CODE_LETTERS, USER_CODE_LENGTH);
    try {
      await deps.devices.insert({ ...device, userCode });
      return userCode;
    } catch (error) {
      const taken = error instanceof FairleadError && error.code === 'CONFLICT';
      if (!taken || draw === DRAWS) throw error;
    }
  }
}
