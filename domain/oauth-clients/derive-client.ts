import type { AuthMode, DependencyDeclaration } from '../catalog/catalog.ts';
import type { ServiceRecord } from '../catalog/service.ts';
import type { GrantType } from './client.ts';
import { BASIC_SCOPES } from './creation.ts';
import { grantorOf, namedScopes } from './platform-scopes.ts';

/** Grant types of a service's client. Both kinds may ask for service tokens (spec 1, A 6). */
export const GRANT_TYPES_OF_MODE: Readonly<Record<AuthMode, readonly GrantType[]>> = {
  sso: ['authorization_code', 'refresh_token', 'client_credentials'],
  'service-only': ['client_credentials'],
};

/** `scope-token` of RFC 6749, 3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** A service that dependencies name, as far as it decides who may use it. */
export type DependencyTarget = Pick<ServiceRecord, 'name' | 'org' | 'authorizedOrgs'>;

/** Whether an org has scopes of a service without a grant: its own, and those whose org authorized it. */
export function hasScopesOf({ org: owner, authorizedOrgs }: Omit<DependencyTarget, 'name'>, org: string): boolean {
  return owner === org || authorizedOrgs.includes(org);
}

export interface DerivedScopes {
  readonly scopes: readonly string[];
  /** Declared ones that are not given, with the reason; for a warning. */
  readonly refused: readonly { readonly scope: string; readonly because: ScopeRefusal }[];
}

export type ScopeRefusal =
  /** Not a scope by RFC 6749. */
  | 'malformed'
  /** A platform admin alone grants it. */
  | 'platform'
  /** There is no service of that name: whoever takes the name later has granted nothing. */
  | 'unknown_service'
  /** The service belongs to an org that has not authorized this one. */
  | 'other_org';

/**
 * Scopes a deploy gives its client: openid, profile, email, and `{target}:{scope}` of each dependency (spec 1, B 3). The
 * spec approves some dependencies across orgs by themselves; here the target's org must have agreed, by authorizing the
 * org or by a grant, since a service could grant itself any scope of another org's service otherwise. Whose person deploys
 * makes no difference: an org that shares a service has full parity there (spec 2, "Authorized orgs", 1), which its owner
 * agreed to, so that its catalog gets what the owner's catalog would.
 * @param org that owns the service that is deployed
 * @param targets the services that the dependencies name, those that exist
 */
export function deriveScopes(
  dependencies: readonly DependencyDeclaration[],
  org: string,
  targets: readonly DependencyTarget[],
): DerivedScopes {
  const declared = dependencies.flatMap((dependency) =>
    namedScopes(dependency).map((scope) => ({
      scope,
      target: targets.find(({ name }) => name === dependency.service),
    })),
  );
  const judged = declared.map(({ scope, target }) => ({ scope, because: refusalOf(scope, org, target) }));
  return {
    scopes: [...new Set([...BASIC_SCOPES, ...judged.flatMap(({ scope, because }) => (because === null ? scope : []))])],
    refused: judged.flatMap(({ scope, because }) => (because === null ? [] : { scope, because })),
  };
}

function refusalOf(scope: string, org: string, target: DependencyTarget | undefined): ScopeRefusal | null {
  if (!SCOPE_TOKEN.test(scope)) return 'malformed';
  const grantor = grantorOf(scope);
  if (grantor !== 'org') return grantor === 'platform' ? null : 'platform';
  if (target === undefined) return 'unknown_service';
  return hasScopesOf(target, org) ? null : 'other_org';
}

/** The scopes of a service that a dependency on it names, as tokens have them; `refused` are those that are not its to give. */
export function dependencyScopes(dependency: Pick<DependencyDeclaration, 'service' | 'scopes'>): {
  readonly scopes: readonly string[];
  readonly refused: readonly string[];
} {
  const named = namedScopes(dependency);
  const isOwn = (scope: string): boolean => SCOPE_TOKEN.test(scope) && grantorOf(scope) === 'org';
  return { scopes: named.filter(isOwn), refused: named.filter((scope) => !isOwn(scope)) };
}
