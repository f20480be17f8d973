import { FairleadError } from '../../domain/errors.ts';
import { hasOrgRole, isPlatformAdmin, type OrgRole } from '../../domain/roles.ts';

/**
 * Who makes a request (spec 2, "Authentication"): the platform itself by the internal key, a person by an access token
 * or by their browser's session, or a service by a token of its own.
 */
export type Caller = InternalCaller | UserCaller | ServiceCaller;

export interface InternalCaller {
  readonly kind: 'internal';
  readonly org: string;
  readonly name: string;
}

export interface UserCaller {
  readonly kind: 'user';
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
  readonly orgRoles: readonly string[];
  readonly platformRoles: readonly string[];
  /** Client the token was issued to; null for a session. */
  readonly clientId: string | null;
}

export interface ServiceCaller {
  readonly kind: 'service';
  readonly clientId: string;
  readonly org: string;
  readonly name: string;
  /** What its scopes make it in its own org. */
  readonly role: OrgRole | null;
  readonly scopes: readonly string[];
  /** True for one of the platform's own; see {@link actsForPlatform}. */
  readonly platform: boolean;
}

/**
 * Who may call a route: anyone, anyone known, callers from an org role upward, the platform (internal key, a super
 * admin, a platform service), or a super admin in their own browser's session and nothing else.
 */
export const CALLER_KINDS = [
  'public',
  'authenticated',
  'viewer',
  'member',
  'admin',
  'platform',
  'super_admin_session',
] as const;

export type CallerKind = (typeof CALLER_KINDS)[number];

/** What authentication looks at. */
export interface Credentials {
  readonly method: string;
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

/** True for the platform itself: it passes every rule but that of a person's own session. */
export function isPlatform(caller: Caller): boolean {
  if (caller.kind === 'internal') return true;
  return caller.kind === 'user' ? isPlatformAdmin(caller.platformRoles) : caller.platform;
}

/** The strongest org role among these. */
export function strongestRole(orgRoles: readonly string[]): OrgRole | null {
  const found = (['admin', 'member', 'viewer'] as const).find((role) => hasOrgRole(orgRoles, role));
  return found ?? null;
}

/** What a route requires of its caller. @throws UNAUTHORIZED without a credential; FORBIDDEN when it is not enough. */
export function authorize(callers: CallerKind, caller: Caller | null): void {
  if (callers === 'public') return;
  if (caller === null) {
    throw new FairleadError('UNAUTHORIZED', 'This route needs a credential: send an access token as a Bearer header');
  }
  if (callers === 'super_admin_session') {
    if (caller.kind === 'user' && caller.via === 'session' && isPlatformAdmin(caller.platformRoles)) return;
    throw new FairleadError('FORBIDDEN', "Only a platform super admin's own browser session may do this");
  }
  if (callers === 'authenticated' || isPlatform(caller)) return;
  if (callers === 'platform') throw new FairleadError('FORBIDDEN', 'Only the platform itself may do this');
  if (caller.kind === 'internal' || caller.role === null || !hasOrgRole([caller.role], callers)) {
    throw new FairleadError('FORBIDDEN', `This needs the role ${callers} or higher in the org`);
  }
}
