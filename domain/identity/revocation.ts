/** What a revocation is about: one token, one login at a client, one browser session, one person, or one client. */
export const REVOCATION_KINDS = ['token', 'grant', 'session', 'user', 'client'] as const;

export type RevocationKind = (typeof REVOCATION_KINDS)[number];

/** Kinds whose value goes on after a revocation: a person or a client gets new tokens, which are good. */
const GOES_ON: readonly RevocationKind[] = ['user', 'client'];

/**
 * An entry of the denylist: tokens that carry `value` as `jti`, `gid` or `sid` are void, whenever they were issued, since
 * what has ended begins no more; those that carry it as `sub` or `client_id` are if they were issued at or before
 * `issuedUntil`. It is kept until the last of them has expired, so the list stays small. All times are the database's.
 */
export interface Revocation {
  readonly kind: RevocationKind;
  readonly value: string;
  readonly issuedUntil: Date;
  readonly revokedAt: Date;
  readonly expiresAt: Date;
}

/** The claims a denylist looks at. */
export interface RevocableClaims {
  readonly jti: string;
  readonly gid?: string | undefined;
  readonly sid?: string | undefined;
  readonly sub: string;
  readonly client_id: string;
  /** Seconds since the epoch. */
  readonly iat: number;
}

/** Which entries could void a token: one of each kind at most. */
export function revocationKeysOf(claims: RevocableClaims): { kind: RevocationKind; value: string }[] {
  return [
    { kind: 'token', value: claims.jti },
    ...(claims.gid === undefined ? [] : [{ kind: 'grant' as const, value: claims.gid }]),
    ...(claims.sid === undefined ? [] : [{ kind: 'session' as const, value: claims.sid }]),
    { kind: 'user', value: claims.sub },
    { kind: 'client', value: claims.client_id },
  ];
}

/** True when the entry, of a kind and value the token carries, voids it: `iat` has whole seconds, so the last one counts. */
export function voids(entry: Pick<Revocation, 'kind' | 'issuedUntil'>, claims: Pick<RevocableClaims, 'iat'>): boolean {
  return !GOES_ON.includes(entry.kind) || claims.iat <= Math.floor(entry.issuedUntil.getTime() / 1000);
}
