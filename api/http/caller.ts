import type { IncomingHttpHeaders } from 'node:http';
import { FairleadError } from '../../domain/errors.ts';

/** Who makes a request. The internal key acts for the platform (spec 2, "Authentication"). */
export type Caller =
  | { readonly kind: 'internal'; readonly org: string; readonly name: string }
  | { readonly kind: 'user'; readonly org: string; readonly name: string; readonly role: OrgRole };

const ORG_ROLES = ['viewer', 'member', 'admin'] as const;

export type OrgRole = (typeof ORG_ROLES)[number];

/** Who may call a route: anyone, users from a role upward, or the platform only. */
export type CallerKind = 'public' | OrgRole | 'platform';

/** Tells who sent these headers; null when they carry no credential. @throws UNAUTHORIZED for a credential that is wrong. */
export type Authenticate = (headers: IncomingHttpHeaders) => Caller | null;

export const INTERNAL_KEY_HEADER = 'x-internal-key';

/** Authenticates by the internal key alone; `equalsSecret` compares in constant time. */
export function createInternalKeyAuth(options: {
  key: string;
  org: string;
  equalsSecret: (presented: string, secret: string) => boolean;
}): Authenticate {
  return (headers) => {
    const presented = headers[INTERNAL_KEY_HEADER];
    if (presented === undefined) return null;
    if (typeof presented !== 'string' || !options.equalsSecret(presented, options.key)) {
      throw new FairleadError('UNAUTHORIZED', `The ${INTERNAL_KEY_HEADER} is not the one of this installation`);
    }
    return { kind: 'internal', org: options.org, name: 'internal' };
  };
}

/** What a route requires of its caller. @throws UNAUTHORIZED without a credential; FORBIDDEN when the role is too low. */
export function authorize(callers: CallerKind, caller: Caller | null): void {
  if (callers === 'public') return;
  if (caller === null) {
    throw new FairleadError('UNAUTHORIZED', `This route needs a credential: send ${INTERNAL_KEY_HEADER}`);
  }
  if (caller.kind === 'internal') return;
  if (callers === 'platform') throw new FairleadError('FORBIDDEN', 'Only the platform itself may do this');
  if (ORG_ROLES.indexOf(caller.role) < ORG_ROLES.indexOf(callers)) {
    throw new FairleadError('FORBIDDEN', `This needs the role ${callers} or higher in the service's org`);
  }
}
