import type { AccessTokenClaims } from '../../domain/identity/claims.ts';
import type { Passport } from '../../domain/passport/passport.ts';

/** Close codes of the socket (spec 1, "Passport socket"). */
export const CLOSE = { missingToken: 4001, invalidToken: 4003, noUser: 4004 } as const;

export type PassportEvent =
  | { readonly type: 'identity' | 'passport_updated'; readonly passport: Passport }
  | { readonly type: 'revoked' };

/** A connection that is told of changes. */
export interface Subscriber {
  readonly claims: AccessTokenClaims;
  /** Id of the key that signed the token. */
  readonly keyId: string;
  /** The passport they know. */
  passport: Passport;
  send(event: PassportEvent): void;
  close(code: number, reason: string): void;
}
