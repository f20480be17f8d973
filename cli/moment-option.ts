import { InvalidArgumentError } from 'commander';
import { endOfDay, isDay, startOfDay } from '../domain/audit-ledger/days.ts';

/** With a zone: what a time without one means depends on the machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** The beginning of a span as an ISO moment: a day from its first moment on, in UTC. */
export function fromMoment(text: string): string {
  return isDay(text) ? startOfDay(text).toISOString() : moment(text);
}

/** The end of a span, which is no part of it: of a day, the beginning of the next one. */
export function toMoment(text: string): string {
  return isDay(text) ? endOfDay(text).toISOString() : moment(text);
}

function moment(text: string): string {
  const time = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('It must be a day such as 2026-11-21, or a time such as 2026-11-21T14:00:00Z.');
}
