import type { z } from 'zod';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { outputTime } from '../../domain/logs/output-line.ts';
import { type EntryLevel, parseEntry, passesLevel } from '../../domain/logs/parse-entry.ts';
import { createRedactor } from '../../domain/logs/redact.ts';
import { containsText } from '../../domain/logs/search-text.ts';
import { formatPlace, type LastLines, type ServiceLogLine, type StoredLine } from '../../domain/logs/service-log.ts';
import type { ServiceLogLineView, serviceLogQuerySchema } from '../../domain/logs/service-log-schema.ts';

export type ServiceLogQuery = z.output<typeof serviceLogQuerySchema>;

/** Lines were redacted by their service's own values when they were written; what looks like a credential goes here again. */
const redact = createRedactor({ secrets: [] });

/** @throws VALIDATION_FAILED when it is named twice, and differently */
export function environmentOf({ environment, env }: ServiceLogQuery): Environment {
  if (environment !== undefined && env !== undefined && environment !== env) {
    const message = 'env: environment says something else';
    throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'env', message }] });
  }
  return environment ?? env ?? 'prod';
}

/**
 * What is asked for of a log. A notice that lines were left out passes filters of text and level: it cannot be known what
 * they would have said.
 */
export function wantedServiceLines({
  lines,
  stream,
  release,
  level,
  since,
  until,
  contains,
}: ServiceLogQuery): LastLines {
  const matches = (line: ServiceLogLine): boolean => {
    if (stream !== 'all' && line.stream !== stream) return false;
    if (release !== undefined && line.release !== release) return false;
    if (line.dropped !== undefined) return true;
    if (level !== 'all' && !passesLevel(levelOf(line), level)) return false;
    return contains === undefined || containsText(redact(line.text), contains);
  };
  return {
    count: lines,
    matches,
    ...(since === undefined ? {} : { since: outputTime(since) }),
    ...(until === undefined ? {} : { until: outputTime(until) }),
  };
}

/** Followers of a log are given the same lines: each is redacted once for all of them. */
const views = new WeakMap<StoredLine, ServiceLogLineView>();

export function serviceLineView(stored: StoredLine): ServiceLogLineView {
  const known = views.get(stored) ?? viewOf(stored);
  views.set(stored, known);
  return known;
}

function viewOf({ line, next }: StoredLine): ServiceLogLineView {
  const { at, stream, release, text, dropped } = line;
  const view = { id: formatPlace(next), at, stream, release, level: levelOf(line), text: redact(text) };
  return dropped === undefined ? view : { ...view, dropped };
}

/** That the line names; without one, what is on standard error counts as an error. */
function levelOf({ text, stream, dropped }: ServiceLogLine): EntryLevel | null {
  if (dropped !== undefined) return 'warn';
  return parseEntry(text).level ?? (stream === 'error' ? 'error' : null);
}
