import type { StatusMaintenance, StatusView } from './status-view.ts';
import type { StatuspagePlace } from './statuspage-format.ts';

const MOST_OCTETS = 75;

/** The maintenance of a status page as iCalendar (RFC 5545): an event each, in UTC. */
export function statusCalendar(view: StatusView, { title, url }: StatuspagePlace): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Fairlead//Status page//EN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${text(`${title}: maintenance`)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...view.maintenances.flatMap((maintenance) => eventOf(maintenance, view.asOf, url)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** Its id is of the component and the beginning: one that ends early is the same event. */
function eventOf({ component, name, from, to }: StatusMaintenance, asOf: Date, url: string): readonly string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${text(`${component}-${moment(from)}@${new URL(url).hostname}`)}`,
    `DTSTAMP:${moment(asOf)}`,
    `DTSTART:${moment(from)}`,
    `DTEND:${moment(to)}`,
    `SUMMARY:${text(`Maintenance of ${name}`)}`,
    `URL:${url}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20261101T030000Z` */
function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function text(value: string): string {
  return value.replaceAll(/[\\;,]/g, (character) => `\\${character}`).replaceAll(/\r\n|[\r\n]/g, '\\n');
}

/** Lines of 75 octets at most, never cut within a character; the next one begins with a space. */
function folded(line: string): string {
  let [whole, octets] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MOST_OCTETS) [whole, octets] = [`${whole}\r\n `, 1];
    whole += character;
    octets += size;
  }
  return whole;
}
