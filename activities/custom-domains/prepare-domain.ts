import { isSettled } from '../../domain/custom-domains/custom-domain.ts';
import { changeHolder, findHolder, type HolderId } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { writeRecord } from './write-record.ts';

/**
 * What an add does at once, so that it can be refused: in the mode in which the platform writes the record, it does so
 * unless a proof is asked for first. Idempotent.
 * @throws DNS_RECORD_EXISTS, RATE_LIMITED; what the DNS provider refuses; UNAVAILABLE, CONFLICT (retryable)
 */
export async function prepareDomain(
  deps: CustomDomainsDeps,
  of: HolderId,
  { overwrite, at }: { readonly overwrite: boolean; readonly at: Date },
  signal?: AbortSignal,
): Promise<void> {
  const record = await findHolder(deps, of);
  if (record === null || record.holder.mode !== 'cloudflare' || deps.zones === null) return;
  const { proof, removingSince } = record.holder;
  if (removingSince !== null) return;
  const wished = overwrite && !record.holder.overwrite ? await changeHolder(deps, record, { overwrite }) : record;
  if (proof !== null && !isSettled(record.holder)) return;
  await writeRecord(deps, deps.zones, { record: wished, at }, signal);
}
