import { FairleadError } from '../../domain/errors.ts';
import { withoutQuery } from '../../domain/monitors/monitor-view.ts';
import type { MonitorView } from '../../domain/monitors/reply-schema.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { type Authenticate, type Caller, type InternalCaller, isPlatform } from '../http/caller.ts';

/** Who sees monitors, their incidents and their pages: the platform, and people of the org that owns them. */
export const READERS = { ...PLATFORM, user: 'viewer' } as const;
/** Who adds, pauses and acknowledges. */
export const ACTORS = { ...PLATFORM, user: 'member' } as const;

interface MonitorGate {
  readonly authenticate: Authenticate;
  /** MONITOR_INTERNAL_KEY, else the key of the installation. */
  readonly key: string;
  readonly platformOrg: string;
  /** In constant time. */
  readonly equalsSecret: (presented: string, secret: string) => boolean;
}

/** All that the monitor's own key is for: what is watched, and what is no more. */
export const REGISTER_PATH = '/api/pulse/register';
export const UNREGISTER_PATH = '/api/pulse/unregister';
const BY_OWN_KEY: readonly (string | undefined)[] = [REGISTER_PATH, UNREGISTER_PATH];

/**
 * The gate of the uptime monitor: at the registration, and at its end, its key counts, as a bearer token as well (spec 3,
 * "Endpoints", "Uptime monitor"), which is how operators and builders of other installations send it. Whoever may only register
 * reads nothing, and changes nothing else. Everything else is known as everywhere.
 */
export function createMonitorGate({ authenticate, key, platformOrg, equalsSecret }: MonitorGate): Authenticate {
  const internal: InternalCaller = { kind: 'internal', org: platformOrg, name: 'internal' };
  return async (request) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (request.method !== 'POST' || !BY_OWN_KEY.includes(path)) return authenticate(request);
    const { authorization, 'x-internal-key': header } = request.headers;
    const [, bearer] = /^Bearer (.+)$/i.exec(String(authorization ?? '')) ?? [];
    const presented = typeof header === 'string' ? header : bearer;
    if (presented !== undefined && equalsSecret(presented, key)) return internal;
    return authenticate(request);
  };
}

/** The org whose monitors a caller reads; null for all. @throws FORBIDDEN for people who act in no org */
export function readableOrg(caller: Caller): string | null {
  if (isPlatform(caller)) return null;
  if (caller.org !== '') return caller.org;
  throw new FairleadError('FORBIDDEN', 'Your token names no org: the uptime monitor shows what belongs to one');
}

/** Whose something is that a caller makes. @throws FORBIDDEN for people who name another org than their own */
export function ownerOf(caller: Caller, asked: string | undefined, platformOrg: string): string {
  const own = readableOrg(caller);
  if (own === null) return asked ?? platformOrg;
  if (asked === undefined || asked === own) return own;
  throw new FairleadError('FORBIDDEN', `You act in ${own}: what belongs to another org is made by its own people`);
}

/** A monitor as this caller sees it: the query of an address, which may hold a key, is for who may change monitors. */
export function viewFor(caller: Caller, view: MonitorView): MonitorView {
  return mayAct(caller) ? view : withoutQuery(view);
}

/** Whether a caller is one of {@link ACTORS}, in their own org. */
export function mayAct(caller: Caller): boolean {
  return isPlatform(caller) || (caller.kind === 'user' && (caller.role === 'member' || caller.role === 'admin'));
}

/** Whether this caller may know of what belongs to that org. What has no org yet is for the platform alone. */
export function mayKnow(caller: Caller, org: string | null): boolean {
  return isPlatform(caller) || (org !== null && org === caller.org);
}
