import { groupByKind } from './group-notices.ts';
import type { Notification } from './notification.ts';

/** A digest says so many lines, and counts the rest. */
const MOST_LINES = 50;

export interface DigestFacts {
  readonly id: string;
  readonly at: Date;
}

/**
 * What waited for the end of the quiet hours, as one notice: what is down first. Of an outage that ended meanwhile its end
 * alone is told, which says from when to when it was. Of a single notice it is that one; null of none.
 */
export function digestNotice(held: readonly Notification[], { id, at }: DigestFacts): Notification | null {
  const [first] = held;
  if (first === undefined || held.length === 1) return first ?? null;
  const ended = new Set(held.flatMap((each) => (each.kind === 'incident.resolved' ? (incidentOf(each) ?? []) : [])));
  const isTold = (each: Notification): boolean =>
    each.kind === 'incident.resolved' || !ended.has(incidentOf(each) ?? '');
  const told = groupByKind(held.filter(isTold)).flat();
  const lines = told.slice(0, MOST_LINES).map((each) => `- ${lineOf(each)}`);
  const left = told.length - lines.length;
  const incidentIds = [...new Set(told.flatMap((each) => incidentOf(each) ?? []))].slice(0, MOST_LINES);
  return {
    ...{ id, kind: 'alerts.digest', org: first.org, at },
    subject: `Quiet hours: ${held.length} alerts`,
    text: [
      'This waited for the end of the quiet hours of this channel:',
      ...lines,
      ...(left === 0 ? [] : [`and ${left} more`]),
      ...['', 'All that is open: fairlead incidents --open'],
    ].join('\n'),
    data: { count: held.length, incidentIds },
  };
}

function incidentOf({ data: { incidentId } }: Notification): string | null {
  return typeof incidentId === 'string' ? incidentId : null;
}

/** Of a group the subject, which counts it: its text is a list. */
function lineOf({ subject, text, data: { count } }: Notification): string {
  return typeof count === 'number' ? subject : (text.split('\n', 1)[0] ?? subject);
}
