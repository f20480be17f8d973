import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { PersonDirectory } from '../../domain/properties/people.ts';
import type { ActingUser, Authenticate, Caller, Credentials } from '../http/caller.ts';

/** Scopes of the site registry (spec 3, "Authentication"): each route checks its one. */
export const SITE_SCOPES = ['webmaster:read', 'webmaster:sync', 'webmaster:hooks', 'webmaster:dns'] as const;

/** Row parts: who is let in, and what others are told. */
export const READERS = rowFor(['webmaster:read']);
export const SYNCERS = rowFor(['webmaster:sync']);
/** Whoever passes the gate at all. */
export const ANYONE_LET_IN = rowFor(SITE_SCOPES);

function rowFor(scopes: readonly [string, ...string[]]) {
  return {
    callers: { 'platform-admin': true, service: { scopes } },
    lack(caller: Caller): FairleadError | null {
      if (caller.kind !== 'service') return null;
      // One of another org may well have the scope: there it counts for nothing.
      const owner = caller.org === '' ? 'no org' : caller.org;
      const message = `This needs the scope ${scopes.join(' or ')}, of a client of the platform's org; ${caller.clientId} is of ${owner}`;
      return new FairleadError('FORBIDDEN', message, { details: { scope: scopes[0] } });
    },
  } as const;
}

/** The header by which a service names the person it acts for. */
export const ACTING_USER_HEADER = 'x-acting-user';
const userId = z.string().regex(/^usr_[0-9a-z]{1,40}$/);

interface SiteGate {
  readonly authenticate: Authenticate;
  readonly platformOrg: string;
  /** Null where no identity provider is known: then no service acts for anybody. */
  readonly people: PersonDirectory | null;
}

/**
 * The gate of the site registry (spec 3, "Authentication"): a service is let in by its org and its scope alone, so one
 * that acts for the platform elsewhere counts here by its scopes as any other. A person named by `x-acting-user` is looked
 * up, and adds nothing to what the service may do. A service of another org has no scope here, and names nobody.
 * @throws FORBIDDEN where the header names a person that the caller may not, or nobody
 */
export function createSiteGate({ authenticate, platformOrg, people }: SiteGate): Authenticate {
  return async (request) => {
    const caller = await authenticate(request);
    const named = request.headers[ACTING_USER_HEADER];
    if (caller === null) return null;
    if (caller.kind !== 'service' && caller.kind !== 'platform-service') return requireNobody(caller, named);
    // Genuine, and not allowed: without scopes no route but the public ones lets it in.
    const scopes = caller.org === platformOrg ? caller.scopes : [];
    const service = { ...caller, kind: 'service', scopes } as const;
    // Who is let in nowhere is not told by the answer who is there.
    const mayName = SITE_SCOPES.some((scope) => scopes.includes(scope));
    return named === undefined || !mayName ? service : { ...service, actingUser: await lookUp(people, named) };
  };
}

/** Who did something, as records name them: a user id, or a client id. */
export function actorOf(caller: Caller): string {
  const acting = caller.kind === 'service' ? caller.actingUser : undefined;
  return acting?.userId ?? caller.name;
}

function requireNobody(caller: Caller, named: Credentials['headers'][string]): Caller {
  if (named === undefined) return caller;
  throw new FairleadError('FORBIDDEN', `${ACTING_USER_HEADER} is for tokens of services: this caller acts as itself`);
}

async function lookUp(people: PersonDirectory | null, named: string | string[]): Promise<ActingUser> {
  const id = userId.safeParse(named);
  const person = id.success && people !== null ? await people.findActive(id.data) : null;
  if (person !== null) return { userId: person.userId, email: person.email };
  throw new FairleadError('FORBIDDEN', `${ACTING_USER_HEADER} names no active person: send the id of one, usr_…`);
}
