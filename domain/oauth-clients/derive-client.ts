import type { AuthMode, DependencyDeclaration } from '../catalog/catalog.ts';
import type { GrantType } from './client.ts';
import { BASIC_SCOPES } from './creation.ts';

/** Grant types of a service's client. Both kinds may ask for service tokens (spec 1, A 6). */
export const GRANT_TYPES_OF_MODE: Readonly<Record<AuthMode, readonly GrantType[]>> = {
  sso: ['authorization_code', 'refresh_token', 'client_credentials'],
  'service-only': ['client_credentials'],
};

/**
 * Words before the colon of scopes that the platform itself gives a meaning: `personas:mint`, `org:manage` and the
 * platform API's own. A platform admin grants those (spec 1, F 7), so that no service may be named to get one.
 */
const PLATFORM_PREFIXES: ReadonlySet<string> = new Set(['builder', 'fairlead', 'idp', 'org', 'personas', 'platform']);
/** `scope-token` of RFC 6749, 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

export interface DerivedScopes {
  readonly scopes: readonly string[];
  /** Declared ones that are not given, for a warning. */
  readonly refused: readonly string[];
}

/** Scopes a deploy gives its client: openid, profile, email, and `{target}:{scope}` of each dependency (spec 1, B 3). */
export function deriveScopes(dependencies: readonly DependencyDeclaration[]): DerivedScopes {
  const declared = dependencies.flatMap(({ service, scopes }) => scopes.map((scope) => scopeOf(service, scope)));
  const isGiven = (scope: string): boolean =>
    SCOPE_TOKEN.test(scope) && !PLATFORM_PREFIXES.has(scope.slice(0, scope.indexOf(':')));
  return {
    scopes: [...new Set([...BASIC_SCOPES, ...declared.filter(isGiven)])],
    refused: [...new Set(declared.filter((scope) => !isGiven(scope)))],
  };
}

function scopeOf(service: string, scope: string): string {
  return scope.startsWith(`${service}:`) ? scope : `${service}:${scope}`;
}
