import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { FairleadError } from '../../domain/errors.ts';

/** Why a day gets no root. @param namespace where it was found */
export function dayRefused(day: Day, namespace: string, reason: string): FairleadError {
  return new FairleadError('ANCHOR_REFUSED', `${day} of ${namespace}: ${reason}. Verify the chain.`, {
    details: { day, namespace, reason },
  });
}
