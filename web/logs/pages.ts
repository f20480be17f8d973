import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { OUTPUT_STREAMS } from '../../domain/logs/output-line.ts';
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

const LINES = 500;
const STREAMS = ['all', ...OUTPUT_STREAMS] as const;
const STREAM_LABELS = { all: 'All output', out: 'Standard output', error: 'Standard error' } as const;

const params = z.strictObject({ name: z.string().min(1).max(64) });
const query = z.object({
  environment: environmentSchema.default('prod'),
  stream: z.enum(STREAMS).default('all'),
  find: z.string().max(200).optional(),
  /** The last line that a page shows. */
  after: z.string().max(60).optional(),
});
type Query = z.output<typeof query>;

/** What the builder is asked for. */
function wanted({ environment, stream, find }: Query) {
  const contains = find?.trim() || undefined;
  return { environment, stream, contains, lines: LINES };
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
    const { environment, stream, find = '' } = asked;
    const last = items.at(-1)?.id;
    const kept = { ...(stream === 'all' ? {} : { stream }), ...(find === '' ? {} : { find }) };
    const none =
      items.length === 0 &&
      html`<p class="log-empty">${find === '' ? 'Nothing was printed yet.' : `No line has “${find}”.`}</p>`;
    return {
      title: 'Logs',
      crumbs: [
        ['Services', '/services'],
        [name, pathOf('services', name)],
      ],
      beside: live ? badge('good', 'Serves') : badge('quiet', `Nothing serves in ${environment}`),
      live: last === undefined ? {} : { after: last },
      body: html`${environmentFilter(path, environment, { query: kept })}${card(
        { title: `What ${name} prints`, flush: true },
        html`${searchBar(path, asked)}${truncated && html`<p class="log-note">The last ${items.length} lines.</p>`}${logBox(
          {
            label: `Output of ${name} in ${environment}`,
            lines: html`${none}${items.map((line) => outputLine(line, find))}`,
            live: 'log',
          },
        )}`,
      )}`,
    };
  },
  live: followOutput,
});

function searchBar(path: string, { environment, stream, find = '' }: Query): Html {
  return html`<div class="log-bar"><form method="get" action="${path}" role="search"><input type="hidden" name="environment" value="${environment}">
${field({ outcome: null }, { name: 'find', label: 'Lines with this text', type: 'search', value: find })}
${select({ outcome: null }, { name: 'stream', label: 'Of', value: stream, choices: STREAMS.map((name) => [name, STREAM_LABELS[name]] as const) })}
<button class="button">Show</button></form></div>`;
}

function outputLine({ at, stream, text, dropped }: ServiceLogLineView, find: string): Html {
  const shown = dropped === undefined ? text : `${dropped} lines were left out here: the service printed too fast`;
  const time = html`<time class="log-number" datetime="${at.slice(0, 23)}Z" title="${at}">${at.slice(11, 19)}</time>`;
  const level = dropped !== undefined ? 'warn' : stream === 'error' ? 'error' : 'info';
  return logLine({ before: time, level, text: shown }, find);
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
