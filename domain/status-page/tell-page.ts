import type { MonitorStore } from '../monitors/ports.ts';
import type { Outbox } from '../notifications/ports.ts';
import { isPublicEvent, pageNotice, type ToldIncident } from './page-notice.ts';
import { nameOf } from './read-status.ts';
import { isShown } from './shows-monitor.ts';
import { placeOf, type StatusPages } from './status-place.ts';

export interface TellPageDeps extends StatusPages {
  readonly monitors: Pick<MonitorStore, 'find'>;
  readonly outbox: Pick<Outbox, 'tell'>;
}

/** Tells the subscribers of a page what it shows of an incident. Idempotent by the id of the notice. @throws UNAVAILABLE (retryable) */
export function createTellPage(deps: TellPageDeps): (told: ToldIncident) => Promise<void> {
  return async (told) => {
    const { org, monitorId } = told.incident;
    if (org === null || !isPublicEvent(told)) return;
    const monitor = monitorId === null ? null : await deps.monitors.find(monitorId);
    const notice = pageNotice(
      told,
      isShown(monitor, org) ? { id: monitor.id, name: nameOf(monitor) } : null,
      placeOf(deps, org),
    );
    if (notice !== null) await deps.outbox.tell(notice);
  };
}
