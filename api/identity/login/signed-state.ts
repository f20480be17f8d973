import { z } from 'zod';
import type { IdentityDeps } from '../deps.ts';

type Deps = Pick<IdentityDeps, 'tokens' | 'now'>;

/**
 * State that a browser carries for us between two requests, as `{base64url JSON}.{MAC}`. It can be read by whoever
 * holds it and altered by nobody; `purpose` keeps state of one kind from being taken for another.
 */
export function signState(deps: Deps, purpose: string, data: Record<string, unknown>, ttlSeconds: number): string {
  const expiresAt = deps.now().getTime() + ttlSeconds * 1000;
  const payload = Buffer.from(JSON.stringify({ ...data, expiresAt })).toString('base64url');
  return `${payload}.${deps.tokens.mac(purpose, payload)}`;
}

/** The state as it was signed; null when it was altered, has expired, or is of another kind. */
export function readState<T extends z.ZodObject>(
  deps: Deps,
  purpose: string,
  schema: T,
  text: string | null,
): z.output<T> | null {
  const [payload, mac, ...rest] = text?.split('.') ?? [];
  if (payload === undefined || mac === undefined || rest.length > 0) return null;
  if (!deps.tokens.checkMac(purpose, payload, mac)) return null;
  // Only what we signed comes as far as here, so it is JSON.
  const data: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  const { expiresAt } = z.looseObject({ expiresAt: z.number() }).parse(data);
  if (expiresAt <= deps.now().getTime()) return null;
  return schema.parse(data);
}
