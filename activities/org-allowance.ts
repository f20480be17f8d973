import { FairleadError } from '../domain/errors.ts';

export interface AllowanceOptions {
  /** Such as `Calls of the DNS provider`. */
  readonly what: string;
  /** So often within `withinMs`. */
  readonly most: number;
  readonly withinMs: number;
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
}

export interface OrgAllowance {
  /** Whether an org may begin something. @throws UNAVAILABLE (retryable) once it has had as many as it may in this span */
  requireRoom(org: string): void;
  /** Counts one for an org. It never refuses: what was begun comes to its end. */
  note(org: string): void;
}

/**
 * Keeps what one org asks of a vendor, whose quota all share, to a part of it in this worker. It remembers the orgs of one
 * span, and forgets them with its end.
 */
export function createOrgAllowance(options: AllowanceOptions): OrgAllowance {
  const { what, most, withinMs, clock = () => performance.now() } = options;
  const taken = new Map<string, number>();
  let endsAt = 0;
  /** In the span of now. */
  const takenBy = (org: string, now: number): number => {
    if (now >= endsAt) {
      taken.clear();
      endsAt = now + withinMs;
    }
    return taken.get(org) ?? 0;
  };
  return {
    requireRoom(org) {
      const now = clock();
      if (takenBy(org, now) < most) return;
      const details = { retryAfterSeconds: Math.ceil((endsAt - now) / 1_000) };
      const message = `${what} for the org ${org} were ${most} within ${withinMs / 60_000} minutes; the next ones wait`;
      throw new FairleadError('UNAVAILABLE', message, { retryable: true, details });
    },
    note: (org) => void taken.set(org, takenBy(org, clock()) + 1),
  };
}
