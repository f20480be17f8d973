import type { HeldDomain } from '../../domain/custom-domains/custom-domain.ts';
import type { Untold } from '../../domain/custom-domains/untold.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { auditDomain } from './tell-domain.ts';

const SUBJECTS: Readonly<Record<Exclude<Untold['event'], 'verified'>, string>> = {
  lost: 'A custom domain leads elsewhere',
  repended: 'A custom domain is lost',
  failed: 'A custom domain was not set up in 30 days',
  displaced: 'A custom domain went from one service to another',
};

/** A record that comes and goes, as often as somebody looks, alarms so often. */
const LOST_AGAIN_AFTER_MS = 86_400_000;

/**
 * Tells the ledger and the operator what became of a name, as its record has it since the look. What cannot be told is told
 * after the next look: a ledger or a mail server that is away keeps no name as it was. Each has an id, by which it is known
 * where it is told twice. @returns the record with what is owed still
 */
export async function tellOwed(deps: CustomDomainsDeps, record: HeldDomain): Promise<HeldDomain> {
  let current = record;
  for (const untold of record.holder.untold) {
    const isMuted = isLostAgain(current, untold);
    try {
      await tell(deps, current, untold, isMuted);
    } catch (error) {
      deps.noteFailure(`what became of ${record.domain} is not told yet`, error);
      return current;
    }
    const alarmed = untold.event === 'lost' && !isMuted ? { lostToldAt: untold.at } : {};
    current = await changeHolder(deps, current, { untold: current.holder.untold.slice(1), ...alarmed });
  }
  return current;
}

function isLostAgain({ holder: { lostToldAt } }: HeldDomain, { event, at }: Untold): boolean {
  return event === 'lost' && lostToldAt !== null && at.getTime() - lostToldAt.getTime() < LOST_AGAIN_AFTER_MS;
}

async function tell(
  deps: CustomDomainsDeps,
  { domain, holder }: HeldDomain,
  { event, reason, at }: Untold,
  isMuted: boolean,
): Promise<void> {
  const once = at.toISOString();
  const told = { actor: 'custom-domains', requestId: null };
  // Whom it left was told so before.
  if (event !== 'displaced') {
    await auditDomain(
      deps,
      { domain, holder },
      { type: `domain.${event}`, ...told, ...(event !== 'verified' && { once }) },
    );
  }
  if (event === 'verified' || isMuted) return;
  const { service, environment, id } = holder;
  const text = `${domain} of ${service} (${environment}): ${reason ?? 'no reason is known'}`;
  await deps.raiseAlarm({ id: `domain.${event}/${id}/${once}`, subject: `${SUBJECTS[event]}: ${domain}`, text });
}
