import type { DomainHolder } from '../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';

export interface OfDomain {
  readonly domain: string;
  readonly holder: DomainHolder;
}

interface Told {
  readonly type:
    | 'domain.added'
    | 'domain.verified'
    | 'domain.lost'
    | 'domain.repended'
    | 'domain.failed'
    | 'domain.displaced'
    | 'domain.removed';
  readonly actor: string;
  readonly requestId: string | null;
  /** Besides the holder: what makes it another event of the kind, such as the time of the loss. */
  readonly once?: string;
  /** Why, where nobody asked for it. */
  readonly why?: string;
}

/**
 * Tells the audit ledger what became of a name. It is told once for a holder, whoever repeats the work; what it says is
 * the same each time.
 */
export async function auditDomain(
  { audit }: Pick<CustomDomainsDeps, 'audit'>,
  { domain, holder }: OfDomain,
  { type, actor, requestId, once, why = 'look at the DNS' }: Told,
): Promise<void> {
  const { id, service, environment, mode, org } = holder;
  await audit?.record({
    id: [type, id, ...(once === undefined ? [] : [once])].join('/'),
    ...{ type, actor, subject: domain, requestId, address: null, time: null },
    ...(requestId === null && { why }),
    orgSlug: org || null,
    data: { domain, service, environment, mode },
  });
}
