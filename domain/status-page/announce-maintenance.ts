import type { MaintenanceWindow } from '../monitors/maintenance.ts';
import type { Monitor } from '../monitors/monitor.ts';
import { nextOccurrence, type RecurringMaintenance } from '../monitors/recurring-maintenance.ts';
import type { Notification } from '../notifications/notification.ts';
import { pageAudience } from '../notifications/page-audience.ts';
import type { Outbox } from '../notifications/ports.ts';
import { nameOf } from './read-status.ts';
import { isShown } from './shows-monitor.ts';
import { placeOf, type StatusPages } from './status-place.ts';

export interface AnnounceMaintenanceDeps extends StatusPages {
  readonly outbox: Pick<Outbox, 'tell'>;
}

/** Times that were added to a monitor: one, or those that come again. */
export type AddedMaintenance = Pick<MaintenanceWindow, 'from' | 'to'> | RecurringMaintenance;

/**
 * Tells the subscribers of a page of maintenance that was added to a monitor, where the page shows it. Without what members noted of it.
 * Idempotent by the monitor and the time. @throws UNAVAILABLE (retryable)
 */
export function createAnnounceMaintenance(
  deps: AnnounceMaintenanceDeps,
): (monitor: Monitor, added: AddedMaintenance, at: Date) => Promise<void> {
  return async (monitor, added, at) => {
    const { id, org } = monitor;
    const window = windowOf(added, at);
    if (org === null || !isShown(monitor, org) || window === null) return;
    const { title, url } = placeOf(deps, org);
    const name = nameOf(monitor);
    const [from, to] = [window.from.toISOString(), window.to.toISOString()];
    const again = 'cron' in added ? ', and again later' : '';
    const notice: Notification = {
      ...{ id: `page/maintenance/${'cron' in added ? added.id : `${id}/${from}/${to}`}`, kind: 'page.maintenance' },
      ...{ org: pageAudience(org), at },
      subject: `${title}: maintenance of ${name}`,
      text: [`Maintenance of ${name} from ${from} to ${to}${again}.`, '', `${url}/maintenance.ics`].join('\n'),
      data: { monitorId: id, pageUrl: url },
    };
    await deps.outbox.tell(notice);
  };
}

/** The first of those that come again; null where none comes. */
function windowOf(added: AddedMaintenance, at: Date): Pick<MaintenanceWindow, 'from' | 'to'> | null {
  if (!('cron' in added)) return added;
  const from = nextOccurrence(added, at);
  return from === null ? null : { from, to: new Date(from.getTime() + added.minutes * 60_000) };
}
