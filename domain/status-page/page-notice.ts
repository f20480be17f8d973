import type { IncidentEvent } from '../incidents/incident-notice.ts';
import { fromIncidentView, type IncidentView } from '../incidents/incident-view.ts';
import type { Notification, NotificationKind } from '../notifications/notification.ts';
import { pageAudience } from '../notifications/page-audience.ts';
import { publicIncident } from './incident-view.ts';
import type { StatusComponent } from './status-view.ts';
import type { StatuspagePlace } from './statuspage-format.ts';

/** What readers of a page are mailed of an incident: what is read there. */
const KINDS: Readonly<Partial<Record<IncidentEvent, NotificationKind>>> = {
  opened: 'page.opened',
  updated: 'page.updated',
  resolved: 'page.resolved',
};

export interface ToldIncident {
  readonly incident: IncidentView;
  readonly event: IncidentEvent;
  /** As of `incidentNotice`. */
  readonly turn: number;
  /** ISO */
  readonly at: string;
}

/** Whether readers of a page may be told of it. */
export function isPublicEvent({ incident: { isPublic, org }, event }: ToldIncident): boolean {
  return isPublic && org !== null && KINDS[event] !== undefined;
}

/**
 * The notice of an incident for the subscribers of a page, in the words of that page; null for what it does not show.
 * @param component of the incident; null for one of a monitor that the page does not show (any more)
 */
export function pageNotice(
  { incident, event, turn, at }: ToldIncident,
  component: Pick<StatusComponent, 'id' | 'name'> | null,
  { title: pageTitle, url }: StatuspagePlace,
): Notification | null {
  const kind = KINDS[event];
  const shown = publicIncident(
    fromIncidentView(incident),
    new Map(component === null ? [] : [[component.id, component]]),
  );
  if (kind === undefined || incident.org === null || shown === null) return null;
  const { id, title, status, updates } = shown;
  const [newest] = updates;
  return {
    ...{ id: `page/${id}/${event}${turn > 1 ? `-${turn}` : ''}`, kind, org: pageAudience(incident.org) },
    subject: `${pageTitle}: ${title} (${status})`,
    text: [`${title} (${status})`, ...(newest === undefined ? [] : ['', newest.body]), '', `${url}#${id}`].join('\n'),
    // What a person wrote is told in its whole length, at once.
    ...(incident.monitorId === null && { isWritten: true }),
    data: { incidentId: id, monitorId: incident.monitorId, pageUrl: url },
    at: new Date(at),
  };
}
