import {
  changedHolder,
  type DomainHolder,
  type HeldDomain,
  isHeld,
} from '../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';

/** The name while that holder has it; null once it was removed, or given to another. */
export async function findHolder(
  { domains }: Pick<CustomDomainsDeps, 'domains'>,
  { domain, holderId }: HolderId,
): Promise<HeldDomain | null> {
  const record = await domains.find(domain);
  return isHeld(record) && record.holder.id === holderId ? record : null;
}

/** One holding of a name. */
export interface HolderId {
  readonly domain: string;
  readonly holderId: string;
}

/** Stores other fields of the holder. @returns the record as it is then @throws CONFLICT (retryable) */
export async function changeHolder(
  { domains }: Pick<CustomDomainsDeps, 'domains'>,
  record: HeldDomain,
  changes: Partial<DomainHolder>,
): Promise<HeldDomain> {
  const changed = changedHolder(record, changes);
  await domains.replace(changed);
  return changed;
}
