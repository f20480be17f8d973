import { isSame } from '../../domain/custom-domains/conflicts.ts';
import type { HeldDomain } from '../../domain/custom-domains/custom-domain.ts';
import { changeHolder } from './change-domain.ts';
import type { CustomDomainsDeps } from './deps.ts';
import { settleDomain } from './settle-domain.ts';

/**
 * Undoes whatever leads a name to its holder, in the order in which it could be misused: the route, the certificate, the
 * callback of the OAuth client, the record in the DNS; before them its monitor, which would tell of an outage. Idempotent: each says a state. From its first line on, the record
 * says that the name is being removed, so that no look attaches it again.
 */
export async function undoHolder(
  deps: CustomDomainsDeps,
  record: HeldDomain,
  at: Date,
  signal?: AbortSignal,
): Promise<HeldDomain> {
  const removing =
    record.holder.removingSince === null ? await changeHolder(deps, record, { removingSince: at }) : record;
  await removeMonitor(deps, removing, signal);
  await settleDomain(deps, removing);
  await removeRecord(deps, removing, signal);
  return removing;
}

/** A name is removed whatever the uptime monitor says: its hourly reconcile makes up for what it was not told. */
async function removeMonitor(
  { monitors, warn }: Pick<CustomDomainsDeps, 'monitors' | 'warn'>,
  { domain, holder: { service, environment } }: HeldDomain,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await monitors?.remove({ service, environment, domain }, signal);
  } catch (err) {
    signal?.throwIfAborted();
    warn({ err, domain }, 'the uptime monitor was not told that a domain is removed; its next reconcile finds out');
  }
}

/** The one that the platform wrote, while it stands there alone and as it was written. */
export async function removeRecord(
  { zones }: CustomDomainsDeps,
  record: HeldDomain,
  signal?: AbortSignal,
): Promise<void> {
  const { writtenRecord } = record.holder;
  if (zones === null || writtenRecord === null) return;
  const zone = await zones.findZone(record.apex, signal);
  if (zone === null) return;
  const existing = await zones.read(zone, record.domain, signal);
  const [own] = existing;
  if (existing.length !== 1 || own === undefined || !own.isOwn || !isSame(own, writtenRecord)) return;
  await zones.replace(zone, record.domain, { expected: existing, wanted: null }, signal);
}
