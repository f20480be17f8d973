import { z } from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { type ImportedHeaders, importedHeaders } from './imported-headers.ts';
import type { ReadMonitors, WantedMonitor } from './wanted-monitor.ts';
import { serviceNameOf } from './wanted-monitor.ts';

const entry = z.looseObject({
  name: z.string(),
  type: z.string(),
  url: z.string().nullish(),
  hostname: z.string().nullish(),
  port: z.number().nullish(),
  method: z.string().nullish(),
  keyword: z.string().nullish(),
  interval: z.number().nullish(),
  active: z.union([z.boolean(), z.number()]).nullish(),
  accepted_statuscodes: z.array(z.string()).nullish(),
  dns_resolve_type: z.string().nullish(),
  jsonPath: z.string().nullish(),
  expectedValue: z.string().nullish(),
  headers: z.string().nullish(),
  authMethod: z.string().nullish(),
  basic_auth_user: z.string().nullish(),
  basic_auth_pass: z.string().nullish(),
});
type Entry = z.infer<typeof entry>;

const file = z.looseObject({ monitorList: z.array(z.unknown()) });

/** Reads the monitors of a backup of Uptime Kuma; null for what is none. */
export function readKuma(document: unknown): ReadMonitors | null {
  const { data } = file.safeParse(document);
  if (data === undefined) return null;
  const monitors: WantedMonitor[] = [];
  const notes: string[] = [];
  for (const given of data.monitorList) {
    const parsed = entry.safeParse(given);
    if (!parsed.success) notes.push('A monitor without a name or type is left out.');
    else addEntry(parsed.data, monitors, notes);
  }
  return { monitors, notes };
}

function addEntry(given: Entry, monitors: WantedMonitor[], notes: string[]): void {
  const { name, type, interval, active } = given;
  if (active === false || active === 0) {
    notes.push(`${name}: it is paused, and left out.`);
    return;
  }
  const check = checkOf(given);
  if (check === null) {
    notes.push(`${name}: the type ${type} is not checked here, and is left out.`);
    return;
  }
  const sent = check.kind === 'http' ? sentBy(given) : {};
  if (typeof sent === 'string') {
    notes.push(`${name}: ${sent}. It is left out.`);
    return;
  }
  const intervalSeconds = Math.min(3_600, Math.max(5, interval ?? 60));
  monitors.push({ name: serviceNameOf(name), check, intervalSeconds, ...sent });
}

/** What a check over HTTP sends, or why it cannot be made here: other logins than a name and a password are not sent. */
function sentBy(given: Entry): ImportedHeaders | string {
  const { authMethod, url } = given;
  if (authMethod == null || authMethod === '' || authMethod === 'basic')
    return importedHeaders(headersOf(given), url ?? '');
  return `it logs in by ${authMethod}, which no check does here`;
}

const headerTexts = z.record(z.string(), z.coerce.string());

/** Kuma keeps headers as JSON, and a login beside them, in older backups without a method. What is no JSON sends nothing there either. */
function headersOf({ headers, authMethod, basic_auth_user: user, basic_auth_pass: password }: Entry) {
  const login = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64');
  const hasLogin = authMethod === 'basic' || (authMethod === undefined && (user ?? '') !== '');
  return {
    ...headerTexts.safeParse(parseJson(headers ?? '{}')).data,
    ...(hasLogin && { Authorization: `Basic ${login}` }),
  };
}

function checkOf(given: Entry): WantedMonitor['check'] | null {
  const { type, url, hostname: host, port, method, keyword, jsonPath, expectedValue } = given;
  const http = { kind: 'http', url, ...(method === 'HEAD' || method === 'POST' ? { method } : {}), ...statusOf(given) };
  if (type === 'http') return http;
  if (type === 'keyword') return { ...http, expectBodyContains: keyword };
  if (type === 'json-query') return { ...http, json: { path: `$.${jsonPath ?? ''}`, equals: expectedValue } };
  if (type === 'port') return { kind: 'tcp', host, port };
  if (type === 'dns') return { kind: 'dns', name: host, type: given.dns_resolve_type ?? 'A' };
  if (type === 'postgres') return { kind: 'postgres', ...databaseOf(given, 5_432) };
  if (type === 'mongodb') return { kind: 'mongodb', ...databaseOf(given, 27_017) };
  return type === 'push' ? { kind: 'heartbeat', periodSeconds: given.interval ?? 60 } : null;
}

/** One status that counts; the ranges of 2xx are what counts here anyway. */
function statusOf({ accepted_statuscodes: codes }: Entry): { expectStatus?: number } {
  const [only, ...more] = codes ?? [];
  return only !== undefined && more.length === 0 && /^\d{3}$/.test(only) && only !== '200'
    ? { expectStatus: Number(only) }
    : {};
}

/** Of a connection string the place alone: the handshake needs no login, and no password leaves the file. */
function databaseOf(given: Entry, port: number) {
  const text = 'databaseConnectionString' in given ? String(given.databaseConnectionString) : '';
  const url = URL.parse(text);
  return { host: url?.hostname ?? given.hostname, port: url === null || url.port === '' ? port : Number(url.port) };
}
