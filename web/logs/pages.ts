import { z } from 'zod';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { OUTPUT_STREAMS } from '../../domain/logs/output-line.ts';
import { LEVEL_FILTERS } from '../../domain/logs/parse-entry.ts';
import {
  type ServiceLogLineView,
  serviceLogLineViewSchema,
  serviceLogPageSchema,
} from '../../domain/logs/service-log-schema.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { LiveEvent } from '../live/live-event.ts';
import { badge } from '../look/badge.ts';
import { card } from '../look/components.ts';
import { environmentFilter } from '../look/environment-filter.ts';
import { field, select } from '../look/forms.ts';
import { logBox, logLine } from '../look/log-lines.ts';
import { definePage, type LiveContext, type WebModule } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';

const LINES = 500;
const STREAMS = ['all', ...OUTPUT_STREAMS] as const;
const STREAM_LABELS = { all: 'All output', out: 'Standard output', error: 'Standard error' } as const;
const LEVEL_LABELS = { all: 'All levels', warn: 'Warnings and errors', error: 'Errors' } as const;

/** What a field for a time gives, in UTC; with a zone, what a link has. */
const moment = z
  .string()
  .regex(/^(?:\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?)?$/)
  .refine((text) => text === '' || !Number.isNaN(Date.parse(zoned(text))))
  .optional();

const params = z.strictObject({ name: z.string().min(1).max(64) });
const query = z.object({
  environment: environmentSchema.default('prod'),
  stream: z.enum(STREAMS).default('all'),
  level: z.enum(LEVEL_FILTERS).default('all'),
  release: z.string().max(64).optional(),
  since: moment,
  until: moment,
  find: z.string().max(200).optional(),
  /** The last line that a page shows. */
  after: z.string().max(60).optional(),
});
type Query = z.output<typeof query>;

/** What the builder is asked for. */
function wanted({ environment, stream, level, release, since, until, find }: Query) {
  const given = (text: string | undefined): string | undefined => text?.trim() || undefined;
  const time = (text: string | undefined): string | undefined => (text ? zoned(text) : undefined);
  return {
    ...{ environment, stream, level, lines: LINES, release: given(release), contains: given(find) },
    ...{ since: time(since), until: time(until) },
  };
}

function zoned(time: string): string {
  const [minutes = '', rest] = [time.slice(0, 16), time.slice(16).replace('Z', '')];
  return `${minutes}${rest === '' ? ':00' : rest}Z`;
}

/** What is chosen beside the environment, for links. */
function chosen({ stream, level, release = '', since = '', until = '', find = '' }: Query): Record<string, string> {
  const all = {
    stream: stream === 'all' ? '' : stream,
    level: level === 'all' ? '' : level,
    release,
    since,
    until,
    find,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** What a service prints: the last lines, and each as it comes. */
const logsPage = definePage({
  module: 'logs',
  path: '/services/:name/logs',
  summary: 'What a service prints',
  under: '/services',
  tab: { of: 'service', label: 'Logs', order: 40 },
  // As the builder has it: what a service prints may tell more than its record does.
  callers: { 'platform-admin': true, user: 'member' },
  params,
  query,
  load: ({ platform, params: { name }, query: asked }) =>
    platform.get('builder', pathOf('services', name, 'logs'), serviceLogPageSchema, wanted(asked)),
  view: ({ items, truncated, live }, { params: { name }, query: asked }) => {
    const path = pathOf('services', name, 'logs');
    const { environment, find = '', until = '' } = asked;
    const last = items.at(-1)?.id;
    const kept = chosen(asked);
    const { find: _find, ...filters } = kept;
    const isFiltered = Object.keys(filters).length > 0;
    const none = items.length === 0 && html`<p class="log-empty">${nothing(find, { isFiltered, truncated })}</p>`;
    return {
      title: 'Logs',
      crumbs: serviceCrumbs(name),
      beside: live ? badge('good', 'Serves') : badge('quiet', `Nothing serves in ${environment}`),
      // Of a part of the past nothing changes any more.
      live: until !== '' ? null : last === undefined ? {} : { after: last },
      body: html`${environmentFilter(path, environment, { query: kept })}${card(
        { title: `What ${name} prints`, flush: true },
        html`${searchBar(path, asked)}${timeLinks(path, asked, { first: items[0]?.at, truncated })}${logBox({
          label: `Output of ${name} in ${environment}`,
          lines: html`${none}${items.map((line) => outputLine(line, find))}`,
          ...(until === '' ? { live: 'log' } : {}),
        })}`,
      )}`,
    };
  },
  live: followOutput,
});

function nothing(
  find: string,
  { isFiltered, truncated }: { readonly isFiltered: boolean; readonly truncated: boolean },
): string {
  if (truncated) return 'None of the lines that were looked at matches: choose another time.';
  if (find !== '') return `No line has “${find}”.`;
  return isFiltered ? 'No line matches.' : 'Nothing was printed yet.';
}

/** Ways to the lines before these, and back to the newest. */
function timeLinks(
  path: string,
  asked: Query,
  { first, truncated }: { readonly first: string | undefined; readonly truncated: boolean },
): HtmlValue {
  const { environment, until = '' } = asked;
  const to = (more: Record<string, string>): string => {
    const { until: _until, ...kept } = chosen(asked);
    return `${path}?${new URLSearchParams({ environment, ...kept, ...more })}`;
  };
  const earlier = truncated && first !== undefined;
  if (!earlier && until === '') return null;
  return html`<p class="log-note">${earlier && html`<a href="${to({ until: first })}">Earlier lines</a>`}${earlier && until !== '' && ' · '}${until !== '' && html`<a href="${to({})}">Newest lines</a>`}</p>`;
}

function searchBar(path: string, asked: Query): Html {
  const { environment, stream, level, release = '', since = '', until = '', find = '' } = asked;
  const of = { outcome: null };
  const local = (time: string): string => time.slice(0, 19).replace('Z', '');
  const isNarrowed = release !== '' || since !== '' || until !== '';
  const streams = STREAMS.map((name) => [name, STREAM_LABELS[name]] as const);
  const levels = LEVEL_FILTERS.map((name) => [name, LEVEL_LABELS[name]] as const);
  return html`<div class="log-bar"><form method="get" action="${path}" role="search"><input type="hidden" name="environment" value="${environment}">
${field(of, { name: 'find', label: 'Lines with this text', type: 'search', value: find })}
${select(of, { name: 'stream', label: 'Of', value: stream, choices: streams })}
${select(of, { name: 'level', label: 'Level', value: level, choices: levels })}
<button class="button">Show</button>
<details class="log-more"${isNarrowed && html` open`}><summary>Time and release</summary><div class="field-row">
${field(of, { name: 'since', label: 'From (UTC)', type: 'datetime-local', value: local(since) })}
${field(of, { name: 'until', label: 'Before (UTC)', type: 'datetime-local', value: local(until) })}
${field(of, { name: 'release', label: 'Release', value: release, mono: true })}</div></details></form></div>`;
}

function toneOf({ level }: ServiceLogLineView): 'info' | 'warn' | 'error' {
  if (level === 'error' || level === 'fatal') return 'error';
  return level === 'warn' ? 'warn' : 'info';
}

function outputLine(line: ServiceLogLineView, find: string): Html {
  const { at, text, dropped } = line;
  const shown =
    dropped === undefined || dropped === 0 ? text : `${dropped} lines were left out here: the service printed too fast`;
  const time = html`<time class="log-number" datetime="${at.slice(0, 23)}Z" title="${at}">${at.slice(11, 19)}</time>`;
  return logLine({ before: time, level: toneOf(line), text: shown }, find);
}

type Context = LiveContext<z.output<typeof params>, Query>;

/** Lines as they are printed. @throws UNAVAILABLE when the builder ends the stream: the browser asks again */
async function* followOutput(context: Context): AsyncGenerator<LiveEvent> {
  const {
    platform,
    params: { name },
    query: asked,
    signal,
  } = context;
  const lastEventId = context.lastEventId ?? asked.after;
  const events = platform.follow('builder', pathOf('services', name, 'logs'), {
    query: wanted(asked),
    lastEventId,
    signal,
  });
  for await (const { event, data } of events) {
    if (event === 'gap') {
      const text = 'Lines before this were removed before they were read';
      yield { region: 'log', mode: 'append', html: logLine({ before: null, level: 'warn', text }) };
    } else if (event === 'line') {
      const line = serviceLogLineViewSchema.safeParse(parseJson(data));
      if (!line.success) throw unreadable(line.error);
      yield { region: 'log', mode: 'append', html: outputLine(line.data, asked.find ?? ''), id: line.data.id };
    }
  }
  throw new FairleadError('UNAVAILABLE', 'The log stopped', { retryable: true });
}

function unreadable(cause: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', 'The builder sent an event that the console cannot read', { cause });
}

/** What services print. */
export const logs: WebModule = { pages: [logsPage], actions: [] };
