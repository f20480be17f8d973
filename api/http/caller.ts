import { FairleadError } from '../../domain/errors.ts';
import type { LoginFacts } from '../../domain/orgs/policy.ts';
import { hasOrgRole, isPlatformAdmin, type OrgRole } from '../../domain/roles.ts';

/**
 * Who makes a request (spec 2, "Authentication"). The kind is decided once, when the credential is read; from then on a
 * route's row names the kinds it is for (api/http/allowed-callers.ts), and the row's kinds are what its handler is typed
 * with. So nothing that only a super admin may do can be reached from a row that lets services in.
 */
export type Caller = InternalCaller | PersonCaller | TokenServiceCaller;

export type CallerKind = Caller['kind'];

/** The platform itself, by the internal key. */
export interface InternalCaller {
  readonly kind: 'internal';
  readonly org: string;
  readonly name: string;
}

export type PersonCaller = PlatformAdminCaller | UserCaller;

/** A person with the platform role `super_admin`. No service is one, whatever its token claims. */
export interface PlatformAdminCaller extends Person {
  readonly kind: 'platform-admin';
}

/** Any other person. */
export interface UserCaller extends Person {
  readonly kind: 'user';
}

interface Person {
  /** A token may travel; a session is the browser in front of the person. */
  readonly via: 'token' | 'session';
  readonly userId: string;
  readonly email: string;
  /** Slug of the org they act in; empty for someone in no org. */
  readonly org: string;
  /** How logs and records name them: the user id. */
  readonly name: string;
  /** The strongest of their roles in `org`; null for none that means anything here. */
  readonly role: OrgRole | null;
  /** Client the token was issued to; null for a session. */
  readonly clientId: string | null;
  /** How they signed in; where it is absent, no policy of an org is met. */
  readonly login?: LoginFacts;
}

export type TokenServiceCaller = PlatformServiceCaller | ServiceCaller;

/** A service that acts for the platform; see {@link actsForPlatform}. */
export interface PlatformServiceCaller extends Service {
  readonly kind: 'platform-service';
}

/** Any other service, by a token of its own (`client_credentials`). */
export interface ServiceCaller extends Service {
  readonly kind: 'service';
}

interface Service {
  readonly clientId: string;
  readonly org: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The person that it acts for, where a service of the contract lets it name one. It never adds to what it may do. */
  readonly actingUser?: ActingUser;
}

/** A person who was looked up, and is active. */
export interface ActingUser {
  readonly userId: string;
  readonly email: string;
}

/** Whoever acts for the platform as a whole, and so in every org. */
export type PlatformCaller = InternalCaller | PlatformAdminCaller | PlatformServiceCaller;

/** Whoever administers people and clients everywhere (spec 1, C): the internal key and super admins, no service. */
export type AdministratorCaller = InternalCaller | PlatformAdminCaller;

/** What authentication looks at. */
export interface Credentials {
  readonly method: string;
  /** Path and query, where the request has come by HTTP. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Tells who sent a request; null when it carries no credential. @throws UNAUTHORIZED for a credential that is wrong. */
export type Authenticate = (request: Credentials) => Promise<Caller | null>;

export const INTERNAL_KEY_HEADER = 'x-internal-key';

/** Authenticates by the internal key alone; `equalsSecret` compares in constant time. */
export function createInternalKeyAuth(options: {
  key: string;
  org: string;
  equalsSecret: (presented: string, secret: string) => boolean;
}): Authenticate {
  return async ({ headers }) => {
    const presented = headers[INTERNAL_KEY_HEADER];
    if (presented === undefined) return null;
    if (typeof presented !== 'string' || !options.equalsSecret(presented, options.key)) {
      throw new FairleadError('UNAUTHORIZED', `The ${INTERNAL_KEY_HEADER} is not the one of this installation`);
    }
    return { kind: 'internal', org: options.org, name: 'internal' };
  };
}

/** Scope of the platform's own services. Only a super admin gives it to a client; no catalog can ask for it. */
export const PLATFORM_SCOPE = 'platform:manage';

/**
 * True for a service that acts for the platform: of the org that runs the installation, and with a scope that says so.
 * The org alone is not enough, for whoever may deploy there could then do everything.
 */
export function actsForPlatform(service: Pick<ServiceCaller, 'org' | 'scopes'>, platformOrg: string): boolean {
  return service.org === platformOrg && service.scopes.includes(PLATFORM_SCOPE);
}

/** The kind of a person, by their platform roles. */
export function personKind(platformRoles: readonly string[]): PersonCaller['kind'] {
  return isPlatformAdmin(platformRoles) ? 'platform-admin' : 'user';
}

export function isPerson(caller: Caller): caller is PersonCaller {
  return caller.kind === 'platform-admin' || caller.kind === 'user';
}

/** True for whoever sees and uses what belongs to any org. What a route lets them do stands in its row. */
export function isPlatform(caller: Caller): caller is PlatformCaller {
  return caller.kind === 'platform-service' || isAdministrator(caller);
}

export function isAdministrator(caller: Caller): caller is AdministratorCaller {
  return caller.kind === 'internal' || caller.kind === 'platform-admin';
}

/** The strongest org role among these. */
export function strongestRole(orgRoles: readonly string[]): OrgRole | null {
  const found = (['admin', 'member', 'viewer'] as const).find((role) => hasOrgRole(orgRoles, role));
  return found ?? null;
}
