import { FairleadError } from '../../domain/errors.ts';
import { hasOrgRole, type OrgRole } from '../../domain/roles.ts';
import type { Caller, CallerKind } from './caller.ts';

/**
 * The kinds of callers a route is for, with what it asks of each kind besides. A kind that is not named is refused: a
 * super admin is not let in as a user, nor a service of the platform as a service.
 */
export interface AllowedCallers {
  readonly internal?: true;
  /** `own-session`: in front of their own browser, and by no token. */
  readonly 'platform-admin'?: true | 'own-session';
  readonly 'platform-service'?: true;
  /** All people, or those with that role or a higher one in the org of their token. */
  readonly user?: true | OrgRole;
  /** All services, or those of an org whose token has one of the scopes; the first is the least that is needed. */
  readonly service?: true | { readonly scopes: readonly [string, ...string[]] };
}

/** Who may call a route: anyone, or the kinds that are named. */
export type RouteCallers = 'public' | AllowedCallers;

/** What a handler knows of its caller from the row. */
export type CallerOf<C extends RouteCallers> = C extends 'public'
  ? Caller | null
  : Extract<Caller, { readonly kind: keyof C }>;

/** The platform: its key, super admins and its services. */
export const PLATFORM = { internal: true, 'platform-admin': true, 'platform-service': true } as const;

/** Who administers people and clients everywhere. */
export const ADMINISTRATORS = { internal: true, 'platform-admin': true } as const;

export const PEOPLE = { 'platform-admin': true, user: true } as const;

/** Anyone with a good credential. */
export const ANYONE_KNOWN = { ...PLATFORM, user: true, service: true } as const;

const KINDS: Readonly<Record<CallerKind, true>> = { ...ANYONE_KNOWN };

/** False for a row that names nobody, or a kind there is not. */
export function namesCallers(callers: unknown): callers is RouteCallers {
  if (callers === 'public') return true;
  if (typeof callers !== 'object' || callers === null) return false;
  const kinds = Object.keys(callers);
  return kinds.length > 0 && kinds.every((kind) => Object.hasOwn(KINDS, kind));
}

/** Whether the row lets this caller in. */
export function admits(allowed: AllowedCallers, caller: Caller): boolean {
  switch (caller.kind) {
    case 'internal':
    case 'platform-service':
      return allowed[caller.kind] === true;
    case 'platform-admin': {
      const wanted = allowed['platform-admin'];
      return wanted === true || (wanted === 'own-session' && caller.via === 'session');
    }
    case 'user': {
      const wanted = allowed.user;
      if (wanted === undefined || wanted === true) return wanted === true;
      return caller.role !== null && hasOrgRole([caller.role], wanted);
    }
    case 'service': {
      const wanted = allowed.service;
      if (wanted === undefined || wanted === true) return wanted === true;
      return caller.org !== '' && wanted.scopes.some((scope) => caller.scopes.includes(scope));
    }
  }
}

/** What a row says about its callers. */
export interface CallerRule {
  readonly callers: RouteCallers;
  /** Made for callers whose kind the row does not name, where they may not learn that there is something. */
  readonly refusal?: () => FairleadError;
  /** Made for callers whose kind the row names, where they lack more than the row's words say; null for those words. */
  readonly lack?: (caller: Caller) => FairleadError | null;
}

/** @throws UNAUTHORIZED without a credential; FORBIDDEN, or the row's own refusal, for those it is not for */
export function authorize({ callers, refusal, lack }: CallerRule, caller: Caller | null): void {
  if (callers === 'public') return;
  if (caller === null) {
    throw new FairleadError('UNAUTHORIZED', 'This route needs a credential: send an access token as a Bearer header');
  }
  if (admits(callers, caller)) return;
  if (refusal !== undefined && callers[caller.kind] === undefined) throw refusal();
  throw (callers[caller.kind] === undefined ? null : lack?.(caller)) ?? forbidden(callers, caller);
}

/** Says what this caller lacks, or else whom the route is for. */
function forbidden(allowed: AllowedCallers, { kind }: Caller): FairleadError {
  const { user, service } = allowed;
  if (kind === 'user' && typeof user === 'string') {
    return new FairleadError('FORBIDDEN', `This needs the role ${user} or higher in the org`);
  }
  if (kind === 'service' && typeof service === 'object') {
    const message = `This needs a token with the scope ${service.scopes.join(' or ')}, of a client with an org`;
    return new FairleadError('FORBIDDEN', message, { details: { scope: service.scopes[0] } });
  }
  return new FairleadError('FORBIDDEN', `This is for ${describeCallers(allowed)}`);
}

/** Such as `the internal key, super admins and people with the role member or higher in the org`. */
export function describeCallers(callers: RouteCallers): string {
  if (callers === 'public') return 'anyone';
  const { user, service, 'platform-admin': admin } = callers;
  const parts = [
    callers.internal && 'the internal key',
    admin && (admin === true ? 'super admins' : 'super admins in their own browser session'),
    callers['platform-service'] && 'services of the platform',
    user && (user === true ? 'people' : `people with the role ${user} or higher in the org`),
    service && (service === true ? 'services' : `services with the scope ${service.scopes.join(' or ')}`),
  ].filter((part) => typeof part === 'string');
  return new Intl.ListFormat('en-GB').format(parts);
}
