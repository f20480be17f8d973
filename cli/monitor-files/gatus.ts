import { z } from 'zod';
import { checkOfTarget } from '../monitor-target.ts';
import { importedHeaders } from './imported-headers.ts';
import type { ReadMonitors, WantedMonitor } from './wanted-monitor.ts';
import { serviceNameOf } from './wanted-monitor.ts';

const endpoint = z.looseObject({
  name: z.string(),
  group: z.string().optional(),
  url: z.string(),
  method: z.string().optional(),
  headers: z.record(z.string(), z.coerce.string()).optional(),
  interval: z.string().optional(),
  conditions: z.array(z.string()).default([]),
  enabled: z.boolean().default(true),
});

const file = z.looseObject({ endpoints: z.array(z.unknown()) });

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Reads the endpoints of a Gatus configuration; null for what is none. */
export function readGatus(document: unknown): ReadMonitors | null {
  const { data } = file.safeParse(document);
  if (data === undefined) return null;
  const monitors: WantedMonitor[] = [];
  const notes: string[] = [];
  for (const entry of data.endpoints) {
    const parsed = endpoint.safeParse(entry);
    if (!parsed.success) notes.push('An endpoint without a name or url is left out.');
    else addEndpoint(parsed.data, monitors, notes);
  }
  return { monitors, notes };
}

function addEndpoint(given: z.infer<typeof endpoint>, monitors: WantedMonitor[], notes: string[]): void {
  const { name, group, url, method, headers, interval, conditions, enabled } = given;
  const title = group === undefined ? name : `${group} ${name}`;
  if (!enabled) {
    notes.push(`${title}: it is switched off, and left out.`);
    return;
  }
  const sent = importedHeaders(headers, url);
  if (typeof sent === 'string') {
    notes.push(`${title}: ${sent}. It is left out.`);
    return;
  }
  const read = conditions.map(readCondition);
  const left = conditions.filter((_condition, index) => read[index] === null);
  if (left.length > 0) notes.push(`${title}: left out ${left.join('; ')}`);
  const asked = Object.assign({}, ...read);
  try {
    const target = /^(?:https?|wss?|tcp|tls):\/\//.test(url) ? url : url.replace(/^starttls:/, 'tls:');
    const check = { ...checkOfTarget(target, {}), ...(/^https?:/.test(url) ? { ...asked, ...methodOf(method) } : {}) };
    monitors.push({ name: serviceNameOf(title), check, intervalSeconds: secondsOf(interval ?? '60s'), ...sent });
  } catch {
    notes.push(`${title}: ${url} is nothing that is checked here, and is left out.`);
  }
}

const methodOf = (method: string | undefined): { method?: string } =>
  method === 'GET' || method === 'HEAD' || method === 'POST' ? { method } : {};

/** A condition as a field of a check over HTTP; null for one that has none. */
function readCondition(condition: string): Readonly<Record<string, unknown>> | null {
  const [, status] = /^\[STATUS\]\s*==\s*(\d{3})$/.exec(condition) ?? [];
  if (status !== undefined) return Number(status) === 200 ? {} : { expectStatus: Number(status) };
  const [, budget] = /^\[RESPONSE_TIME\]\s*<=?\s*(\d+)$/.exec(condition) ?? [];
  if (budget !== undefined) return { latencyBudgetMs: Number(budget) };
  const [, part] = /^\[BODY\]\s*==\s*pat\(\*(.+)\*\)$/.exec(condition) ?? [];
  if (part !== undefined) return { expectBodyContains: part };
  const [, path, equals] = /^\[BODY\](\.[\w.-]+)\s*==\s*(\S+)$/.exec(condition) ?? [];
  if (path !== undefined) return { json: { path: `$${path}`, equals } };
  return condition === '[CONNECTED] == true' ? {} : null;
}

/** `30s`, `5m`, `1h30m` in seconds, within what a monitor takes. */
function secondsOf(text: string): number {
  const seconds = [...text.matchAll(/(\d+)([smh])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
  return Math.min(3_600, Math.max(5, seconds));
}
