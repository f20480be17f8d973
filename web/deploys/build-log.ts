import { type Html, html } from '../../api/http/pages/html.ts';
import { type BuildView, type LogLineView, logPageSchema } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { FairleadError } from '../../domain/errors.ts';
import { card, linkButton } from '../look/components.ts';
import { field } from '../look/forms.ts';
import { lineNumber, logBox, logLine } from '../look/log-lines.ts';
import { type Platform, pathOf } from '../platform/platform.ts';

/** Lines of a log that a page shows. */
const LINES = 500;
/** Of lines whose reply would be too long; a repository that prints such lines is not to hide its build by them. */
const FEW_LINES = 100;
/** Lines that are found at most. */
const FOUND = 200;

/** What of a log is looked at: its end, the lines around one, or those with a text. */
export interface LogQuery {
  readonly at?: number | undefined;
  readonly find?: string | undefined;
  /** Where a search goes on. */
  readonly after?: number | undefined;
}

export interface ShownLog {
  readonly query: LogQuery;
  readonly lines: readonly LogLineView[];
  /** Number of the last line that was looked at. */
  readonly seen: number;
  /** Nothing follows. */
  readonly isComplete: boolean;
}

/** Reads the part of a log that is asked for. */
export async function readLog(platform: Platform, buildId: string, query: LogQuery): Promise<ShownLog> {
  const read = (most: number) =>
    platform.get('builder', pathOf('builds', buildId, 'logs'), logPageSchema, wanted(query, most));
  const page = await read(LINES).catch((error: unknown) => {
    if (error instanceof FairleadError && error.code === 'UNAVAILABLE') return read(FEW_LINES);
    throw error;
  });
  return { query, lines: page.items, seen: page.nextAfter, isComplete: page.complete };
}

function wanted({ at, find, after = 0 }: LogQuery, most: number) {
  if (find !== undefined) return { contains: find, after, limit: Math.min(FOUND, most) };
  if (at !== undefined) return { after: firstOf(at) - 1, limit: most };
  return { before: Number.MAX_SAFE_INTEGER, limit: most };
}

/** The last line before a number; null at the beginning. */
export async function lineBefore(platform: Platform, buildId: string, before: number): Promise<LogLineView | null> {
  if (before <= 1) return null;
  const query = { before, limit: 1 };
  const { items } = await platform.get('builder', pathOf('builds', buildId, 'logs'), logPageSchema, query);
  return items[0] ?? null;
}

/** Pages of a log begin at fixed lines, so that an address of a line leads to the same page for everybody. */
function firstOf(line: number): number {
  return Math.floor((Math.max(1, line) - 1) / LINES) * LINES + 1;
}

export function logPath(buildId: string): string {
  return pathOf('builds', buildId);
}

/** Address of the part of a log that a line is in. */
function linePath(buildId: string, seq: number): string {
  return `${logPath(buildId)}?at=${seq}`;
}

/** Names of steps by their keys. */
export type StepTitles = ReadonlyMap<string, string>;

export function stepTitles(steps: BuildView['steps']): StepTitles {
  return new Map(steps.map(({ key, title }) => [key, title]));
}

/** Lines with a heading where a step begins. @param before step of the line before the first */
export function buildLogLines(
  buildId: string,
  lines: readonly LogLineView[],
  options: { readonly titles: StepTitles; readonly before?: string | null; readonly found?: string | undefined },
): Html {
  let step = options.before ?? null;
  return html`${lines.map((line) => {
    const heading = line.step !== step && html`<div class="log-step">${stepHeading(line.step, options.titles)}</div>`;
    step = line.step;
    const before = lineNumber(line.seq, linePath(buildId, line.seq));
    return html`${heading}${logLine({ before, level: line.level, text: line.text, id: `L${line.seq}` }, options.found)}`;
  })}`;
}

function stepHeading(step: string | null, titles: StepTitles): string {
  return step === null ? 'Build' : (titles.get(step) ?? step);
}

/** The card with the log of a build: search, download, links to lines. */
export function logCard(build: BuildView, log: ShownLog): Html {
  const { at, find } = log.query;
  const isLive = at === undefined && find === undefined;
  const titles = stepTitles(build.steps);
  const lines = buildLogLines(build.id, log.lines, { titles, found: find });
  const none = log.lines.length === 0 && html`<p class="log-empty">${noLines(build, log)}</p>`;
  const box = logBox({
    label: `Log of build ${build.id}`,
    lines: html`${none}${lines}`,
    ...(isLive ? { live: 'log', linePath: `${logPath(build.id)}?at=` } : {}),
  });
  return card(
    {
      title: 'Log',
      id: 'log',
      flush: true,
      beside: html`<a href="${logPath(build.id)}/log.txt" download>Download as text</a>`,
    },
    html`${searchBar(build, log)}${noteOf(build, log)}${box}`,
  );
}

function searchBar({ id, status }: BuildView, { query: { find, at } }: ShownLog): Html {
  const isPart = find !== undefined || at !== undefined;
  const input = field(
    { outcome: null },
    { name: 'find', label: 'Search in the log', type: 'search', value: find ?? '', required: true },
  );
  return html`<div class="log-bar"><form method="get" action="${logPath(id)}#log" role="search">${input}<button class="button">Search</button></form>
<div class="buttons">${isPart && linkButton(`${logPath(id)}#log`, 'End of the log')}${!isPart && !isTerminal(status) && html`<a class="button without-script" href="${logPath(id)}">Refresh</a>`}</div></div>`;
}

function noLines({ status }: BuildView, { query: { find }, isComplete }: ShownLog): string {
  if (find !== undefined) return isComplete ? `No line has “${find}”.` : `No line has “${find}” so far.`;
  return isTerminal(status) ? 'This build wrote nothing.' : 'Nothing is written yet.';
}

/** Which part of the log this is, and the way to the others. */
function noteOf({ id }: BuildView, { query, lines, seen, isComplete }: ShownLog): Html | null {
  const { find, at } = query;
  const [first, last] = [lines[0]?.seq ?? 1, lines.at(-1)?.seq ?? 0];
  if (find !== undefined) {
    const more = `${logPath(id)}?${new URLSearchParams({ find, after: String(seen) })}#log`;
    const isWhole = isComplete || lines.length < FOUND;
    return html`<p class="log-note">${lines.length} ${lines.length === 1 ? 'line' : 'lines'} with “${find}”${!isWhole && html`. <a href="${more}">Search on after line ${seen}</a>`}</p>`;
  }
  const earlier = first > 1 && html`<a href="${linePath(id, first - 1)}#L${first - 1}">Earlier lines</a>`;
  const later =
    at !== undefined && !isComplete && html` <a href="${linePath(id, last + 1)}#L${last + 1}">Later lines</a>`;
  if (earlier === false && later === false) return null;
  return html`<p class="log-note">Lines ${first} to ${last}. ${earlier}${later}</p>`;
}
