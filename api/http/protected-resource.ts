import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { defineRoute, type Route } from './define-route.ts';

export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** OAuth 2.0 Protected Resource Metadata (RFC 9728, 2). */
export const protectedResourceSchema = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  bearer_methods_supported: z.array(z.literal('header')),
});

export interface ProtectedResource {
  /** Issuer of the tokens that are accepted; null where none are. */
  readonly issuer: string | null;
  /** Public address of this service; null: the one the request arrived on. */
  readonly publicUrl: string | null;
}

/**
 * `GET /.well-known/oauth-protected-resource`: which identity provider issues the tokens this service takes, so that a
 * client finds it from the address of the service alone.
 */
export function protectedResourceRoute(options: ProtectedResource): Route {
  return defineRoute({
    method: 'get',
    path: PROTECTED_RESOURCE_PATH,
    summary: 'Which identity provider issues the access tokens for this service (RFC 9728)',
    tag: 'platform',
    callers: 'public',
    replies: 'oauth',
    responses: { 200: { description: 'The metadata', schema: protectedResourceSchema } },
    handle: async (_input, { headers }) => ({
      status: 200,
      data: {
        resource: resourceOf(options, headers),
        authorization_servers: options.issuer === null ? [] : [options.issuer],
        bearer_methods_supported: ['header' as const],
      },
    }),
  });
}

/** The `WWW-Authenticate` of a 401 (RFC 6750, 3; RFC 9728, 5.1): it leads a client to the metadata. */
export function bearerChallenge(options: ProtectedResource, headers: IncomingHttpHeaders): string | null {
  if (options.issuer === null) return null;
  return `Bearer resource_metadata="${resourceOf(options, headers)}${PROTECTED_RESOURCE_PATH}"`;
}

const HOST = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;

/** Without an address of its own the service takes the one it was asked at: it goes back to nobody but who sent it. */
function resourceOf({ publicUrl }: ProtectedResource, { host }: IncomingHttpHeaders): string {
  if (publicUrl !== null) return publicUrl;
  return `http://${host !== undefined && HOST.test(host) ? host : 'localhost'}`;
}
