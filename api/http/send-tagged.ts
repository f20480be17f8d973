import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Reply, RouteResponse } from './define-route.ts';
import { sendData } from './envelope.ts';

/** Documents that a reply did not change: it has no body. */
export const NOT_MODIFIED: RouteResponse = {
  description: 'What If-None-Match names is what there is; no body',
  schema: z.null(),
};

/**
 * Answers with an entity tag (RFC 9110, 8.8.3), which is a digest of the data: whoever polls sends it back in
 * `If-None-Match` and gets 304 without a body as long as nothing is different.
 * @param schema of the reply, so that nothing undocumented leaves
 */
export function taggedReply(schema: z.ZodType, data: unknown, ifNoneMatch: string | undefined): Reply {
  const shown = schema.parse(data);
  const tag = `"${createHash('sha256').update(JSON.stringify(shown)).digest('base64url')}"`;
  return async (response) => {
    response.setHeader('ETag', tag);
    // Kept by whoever polls, and asked about each time.
    response.setHeader('Cache-Control', 'private, no-cache');
    if (matches(ifNoneMatch, tag)) response.status(304).end();
    else sendData(response, 200, shown);
  };
}

/** Compared weakly (RFC 9110, 13.1.2): proxies mark a tag as weak when they compress. */
function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === tag);
}
