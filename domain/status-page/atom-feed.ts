import type { StatusIncident, StatusView } from './status-view.ts';
import type { StatuspagePlace } from './statuspage-format.ts';

/**
 * The incidents of a status page as an Atom feed (RFC 4287): an entry each, whose id stays and whose time is that of its last update, so
 * that readers show it anew.
 */
export function atomFeed(view: StatusView, { title, url }: StatuspagePlace): string {
  const incidents = [...view.open, ...view.past];
  const times = incidents.map((incident) => updatedAt(incident).getTime());
  const updated = times.length === 0 ? view.asOf : new Date(Math.max(...times));
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${xml(url)}</id>`,
    `<title>${xml(title)}</title>`,
    `<updated>${updated.toISOString()}</updated>`,
    `<author><name>${xml(title)}</name></author>`,
    `<link rel="alternate" type="text/html" href="${xml(url)}"/>`,
    `<link rel="self" type="application/atom+xml" href="${xml(`${url}/feed.atom`)}"/>`,
    ...incidents.map((incident) => entryOf(incident, url)),
    '</feed>',
  ];
  return `${lines.join('\n')}\n`;
}

function entryOf(incident: StatusIncident, url: string): string {
  const { id, title, status, startedAt } = incident;
  const address = xml(`${url}#${id}`);
  return [
    '<entry>',
    `<id>${address}</id>`,
    `<title>${xml(`${title} (${status})`)}</title>`,
    `<published>${startedAt.toISOString()}</published>`,
    `<updated>${updatedAt(incident).toISOString()}</updated>`,
    `<link rel="alternate" type="text/html" href="${address}"/>`,
    `<content type="text">${xml(textOf(incident))}</content>`,
    '</entry>',
  ].join('\n');
}

function textOf({ updates }: StatusIncident): string {
  return updates.map(({ at, status, body }) => `${at.toISOString()} ${status}: ${body}`).join('\n\n');
}

function updatedAt({ updates, resolvedAt, startedAt }: StatusIncident): Date {
  return updates[0]?.at ?? resolvedAt ?? startedAt;
}

/** Text of an element or attribute; without the characters that XML 1.0 has no place for. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
