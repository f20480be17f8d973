import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { SharingCommands } from '../../domain/authorized-orgs/ports.ts';
import { type Authenticate, type Caller, isPerson } from '../http/caller.ts';

export interface MemberNotices {
  /** The same authentication, which notices the people that it lets in. */
  noticing(authenticate: Authenticate): Authenticate;
  /** Somebody asked for a deploy. Returns at once and never fails. */
  deployed(caller: Caller): void;
}

/** Who was looked at lately is not looked at again for any request; a deploy looks in any case. */
const LOOK_AGAIN_MS = 60 * 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Has the git host brought up to date for people who act here (spec 2, "Authorized orgs", 3 and 4): who joined an org
 * after it was let in gets its repositories with their next request. Best effort, in the background: no request waits.
 */
export function createMemberNotices(deps: {
  readonly commands: Pick<SharingCommands, 'reconcileMember'>;
  readonly log: Pick<Logger, 'warn'>;
}): MemberNotices {
  const seen = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: LOOK_AGAIN_MS });
  const look = (caller: Caller, again: boolean): void => {
    if (!isPerson(caller) || caller.org === '') return;
    const { userId, email, org } = caller;
    const key = `${org}/${userId}`;
    if (seen.has(key) && !again) return;
    seen.set(key, true);
    deps.commands.reconcileMember({ userId, email, org }).catch((error: unknown) => {
      seen.delete(key);
      deps.log.warn({ err: error, org }, 'the git host is not brought up to date');
    });
  };
  return {
    noticing: (authenticate) => async (request) => {
      const caller = await authenticate(request);
      if (caller !== null) look(caller, false);
      return caller;
    },
    deployed: (caller) => look(caller, true),
  };
}
