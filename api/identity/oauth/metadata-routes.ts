import type { Response } from 'express';
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { providerMetadata } from './metadata.ts';

/** Short, so that a new key is known everywhere long before it signs (domain/identity/plan-key-rotation.ts). */
const CACHE_SECONDS = 60;

const keySetSchema = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('RSA'),
      n: z.string(),
      e: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('RS256'),
    }),
  ),
});

const metadataSchema = z.looseObject({ issuer: z.url(), jwks_uri: z.url(), token_endpoint: z.url() });

/** The provider's public documents, which pages of any origin may read: keys (RFC 7517) and metadata. */
export function metadataRoutes(deps: IdentityDeps): readonly Route[] {
  const metadata = providerMetadata(deps.settings.issuer);
  const shared = { method: 'get', tag: 'discovery', callers: 'public', replies: 'oauth' } as const;
  const described = (path: string, summary: string): Route =>
    defineRoute({
      ...shared,
      path,
      summary,
      responses: { 200: { description: 'Metadata', schema: metadataSchema } },
      handle: async () => (response) => sendPublic(response, metadata),
    });
  return [
    defineRoute({
      ...shared,
      path: '/.well-known/jwks.json',
      summary: 'Public keys that tokens are verified with',
      responses: { 200: { description: 'Keys: the next one, the active one, and retired ones', schema: keySetSchema } },
      handle: async () => {
        const keys = keySetSchema.parse({ keys: await deps.signer.publicKeys() });
        return (response) => sendPublic(response, keys);
      },
    }),
    described('/.well-known/openid-configuration', 'OpenID Connect Discovery 1.0'),
    described('/.well-known/oauth-authorization-server', 'OAuth 2.0 Authorization Server Metadata (RFC 8414)'),
  ];
}

async function sendPublic(response: Response, document: object): Promise<void> {
  response.set({
    'Cache-Control': `public, max-age=${CACHE_SECONDS}`,
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  response.status(200).json(document);
}
