import type { DomainMode } from '../../domain/custom-domains/mode.ts';
import type { DomainZones } from '../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createOrgAllowance } from '../org-allowance.ts';
import { createTakeOrgPlace } from '../org-places.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** Of the 1,200 calls that the provider's account has in that time. */
const AT_PROVIDER = { what: 'Calls of the DNS provider', most: 300, withinMs: 300_000 } as const;
const USUAL_WAIT_SECONDS = 15;

/** A name that an org asks something for. */
export interface OfOrg {
  readonly claimant: string;
  readonly mode: DomainMode;
}

export type Entered =
  | { readonly kind: 'in'; readonly leave: () => void }
  /** The org has its whole share in hand, or has used it up. */
  | { readonly kind: 'used up'; readonly reason: string; readonly retryAfterSeconds: number };

export interface OrgShare {
  /**
   * Takes a place of the org among those that wait for servers which whoever added a name chose. Nobody waits for one: the
   * name of an activity, which may be another org's, is locked for as long as the activity goes on.
   */
  enter(of: OfOrg): Entered;
  /** The same parts, by which each call of the DNS provider counts for the org. */
  countedFor(claimant: string): CustomDomainsDeps;
}

/** What one org takes of what all share, in this worker. */
export function createOrgShare(deps: CustomDomainsDeps): OrgShare {
  const takePlace = createTakeOrgPlace('DNS servers');
  const allowance = createOrgAllowance(AT_PROVIDER);
  return {
    enter({ claimant, mode }) {
      try {
        if (mode === 'cloudflare' && deps.zones !== null) allowance.requireRoom(claimant);
        return { kind: 'in', leave: takePlace(claimant) };
      } catch (error) {
        if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') throw error;
        const { retryAfterSeconds = USUAL_WAIT_SECONDS } = (error.details ?? {}) as { retryAfterSeconds?: number };
        return { kind: 'used up', reason: error.message, retryAfterSeconds };
      }
    },
    countedFor(claimant) {
      return deps.zones === null ? deps : { ...deps, zones: counted(deps.zones, () => allowance.note(claimant)) };
    },
  };
}

function counted(zones: DomainZones, note: () => void): DomainZones {
  const each =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      note();
      return call(...args);
    };
  return {
    findZone: each(zones.findZone),
    createZone: each(zones.createZone),
    removeZone: each(zones.removeZone),
    read: each(zones.read),
    replace: each(zones.replace),
    putText: each(zones.putText),
    removeText: each(zones.removeText),
  };
}
