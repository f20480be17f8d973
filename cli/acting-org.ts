import { decodeJwt } from 'jose/jwt/decode';
import { z } from 'zod';
import { pathOf } from './api-client.ts';
import { usageFailure } from './cli-failure.ts';
import type { Connection } from './connection.ts';
import type { StoredLogin } from './login/credentials-file.ts';

/** `--org`, as the commands about one org take it. */
export interface OrgOption {
  readonly org?: string;
}

/** Path of an org at the identity provider, or of something below it. */
export const orgPath = (slug: string, ...rest: readonly string[]): string => pathOf('api', 'v2', 'orgs', slug, ...rest);

const shownClaims = z.looseObject({
  orgSlug: z.string().optional(),
  roles: z.array(z.string()).default([]),
  orgRoles: z.array(z.string()).default([]),
});

/** What the access token says, to be shown: the API checks it, this does not. */
export function tokenClaims({ accessToken }: Pick<StoredLogin, 'accessToken'>): z.infer<typeof shownClaims> {
  try {
    return shownClaims.parse(decodeJwt(accessToken));
  } catch {
    // A token of another form is the provider's right: then there is nothing to show.
    return { roles: [], orgRoles: [] };
  }
}

/**
 * The org that is meant: the one named, else the one the login acts in.
 * @throws CliFailure with exit `usage` for a key, which acts in none, and for somebody in no org
 */
export function actingOrg({ credential }: Connection, given: string | undefined): string {
  const org = given ?? (credential?.kind === 'login' ? tokenClaims(credential.login).orgSlug : undefined);
  if (org !== undefined) return org;
  const why = credential?.kind === 'key' ? 'A key has no org of its own.' : 'You are not in an org.';
  throw usageFailure(why, 'Name the org: `--org <slug>`; `fairlead orgs` lists them.');
}
