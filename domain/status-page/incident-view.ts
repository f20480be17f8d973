import type { Incident } from '../incidents/incident.ts';
import type { StatusComponent, StatusIncident } from './status-view.ts';

/** Of each incident the public reads so many updates, the newest, and so much of each. */
export const SHOWN_UPDATES = 3;
const MOST_CHARACTERS = 300;

/**
 * An incident as the public sees it: neither who acted, nor what the check saw of the inside, nor its own title where a
 * monitor found it, since that names what is checked. Null for one of a component that the page does not show (any more).
 * @param components that the page shows, by their ids
 */
export function publicIncident(
  incident: Incident,
  components: ReadonlyMap<string, Pick<StatusComponent, 'name'>>,
): StatusIncident | null {
  const { monitorId } = incident;
  const component = monitorId === null ? null : components.get(monitorId);
  if (component === undefined) return null;
  const isSeen = (by: string | null, status: string): boolean =>
    component !== null && by === null && status === 'resolved';
  const updates = incident.updates
    .slice(-SHOWN_UPDATES)
    .map(({ at, status, body, by }) => ({ at, status, body: isSeen(by, status) ? 'It is up again.' : cut(body) }))
    .toReversed();
  return {
    id: incident.id,
    title: component === null ? incident.title : `Outage of ${component.name}`,
    impact: component === null ? 'minor' : 'major',
    status: incident.state === 'resolved' ? 'resolved' : (updates[0]?.status ?? 'investigating'),
    startedAt: incident.startedAt,
    resolvedAt: incident.resolvedAt,
    components: monitorId === null ? [] : [monitorId],
    updates,
  };
}

/** Never between the two halves of a character. */
function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
