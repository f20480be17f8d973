import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { LedgerEntry } from '../../domain/wallet/entry.ts';
import type { RouteContext } from '../http/define-route.ts';

/** Tells the audit ledger of a credit. Under the id of its entry it is told once, whoever repeats the request. @throws UNAVAILABLE */
export async function auditCredit(
  audit: AuditRecorder,
  { requestId, address }: Pick<RouteContext, 'requestId' | 'address'>,
  { id, org, amount, postings, reason, actor, at }: LedgerEntry,
): Promise<void> {
  const balance = postings.find((posting) => posting.amount > 0)?.account ?? null;
  await audit.record({
    id: `wallet.credited/${id}`,
    type: 'wallet.credited',
    actor,
    subject: org,
    orgSlug: org,
    data: { entry: id, amount, balance, reason },
    requestId,
    address,
    time: at,
  });
}
