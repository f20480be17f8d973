import { isHeld, isLookedAfter, isWorthKeeping, released } from '../../domain/custom-domains/custom-domain.ts';
import type { OfHolder } from '../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { changeHolder, findHolder, type HolderId } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { auditDomain } from './tell-domain.ts';
import { undoHolder } from './undo-holder.ts';

/** What is held of a name, for its workflow. */
export interface Holding extends HolderId {
  readonly isRemoving: boolean;
  /** Nobody looks any more until somebody asks. */
  readonly hasFailed: boolean;
}

/** Null for a name that nobody holds. Reads only. */
export async function readHolding(
  { domains }: Pick<CustomDomainsDeps, 'domains'>,
  domain: string,
): Promise<Holding | null> {
  const record = await domains.find(domain);
  if (!isHeld(record)) return null;
  const { id, removingSince } = record.holder;
  return { domain, holderId: id, isRemoving: removingSince !== null, hasFailed: !isLookedAfter(record.holder) };
}

/** Finds the holding that somebody speaks of. @throws DOMAIN_NOT_FOUND also for one of another service */
export async function requireHolding(deps: CustomDomainsDeps, { domain, serviceId }: OfHolder): Promise<HolderId> {
  const record = await deps.domains.find(domain);
  if (isHeld(record) && record.holder.serviceId === serviceId) return { domain, holderId: record.holder.id };
  throw new FairleadError('DOMAIN_NOT_FOUND', `No such domain: ${domain}`);
}

/** Notes that a name is being removed: from then on no look attaches it. Idempotent. @throws DOMAIN_NOT_FOUND */
export async function beginRemoval(deps: CustomDomainsDeps, of: OfHolder, at: Date): Promise<HolderId> {
  const holding = await requireHolding(deps, of);
  const record = await findHolder(deps, holding);
  if (record === null) return holding;
  if (record.holder.removingSince === null) await changeHolder(deps, record, { removingSince: at });
  // Also where the attempt before this one ended between the two.
  const told = { type: 'domain.removed', actor: of.by, requestId: of.requestId } as const;
  await auditDomain(deps, record, told);
  return holding;
}

/** Undoes what leads a name to its holder, and then gives the name back. Idempotent: a holder that is gone is no error. */
export async function removeDomain(
  deps: CustomDomainsDeps,
  of: HolderId,
  at: Date,
  signal?: AbortSignal,
): Promise<void> {
  const record = await findHolder(deps, of);
  if (record === null) return;
  const undone = await undoHolder(deps, record, at, signal);
  const free = released(undone, at);
  if (isWorthKeeping(free)) await deps.domains.replace(free);
  else await deps.domains.remove(undone);
}
