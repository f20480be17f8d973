import { InvalidArgumentError } from 'commander';
import { usageFailure } from './cli-failure.ts';

/** Parsers of option values, as commander calls them. */

/** `a, b` as a list; empty text as an empty one. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Adds to the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('It must be on or off.');
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** A percentage within bounds, with or without its sign. */
export function percentage(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text.replace(/\s*%$/, ''));
    if (text.trim() !== '' && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a percentage from ${min} to ${max}, such as 99.9.`);
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A time such as `90m`, `24h` or `7d`, in seconds. */
export function duration(min: number, max: number): (text: string) => number {
  return (text) => {
    const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? [];
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (seconds >= min && seconds <= max) return seconds;
    throw new InvalidArgumentError(
      `It must be a time from ${shortTime(min)} to ${shortTime(max)}, such as 90m or 24h.`,
    );
  };
}

function shortTime(seconds: number): string {
  const unit = ['d', 'h', 'm'].find((name) => seconds % (UNIT_SECONDS[name] ?? 1) === 0) ?? 's';
  return `${seconds / (UNIT_SECONDS[unit] ?? 1)}${unit}`;
}

/** The fields that were given. */
export function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** @throws CliFailure with exit `usage` when there are none */
export function requireChanges(fields: Readonly<Record<string, unknown>>, command: string): void {
  if (Object.keys(fields).length > 0) return;
  throw usageFailure('No change was given.', `See the options: \`fairlead ${command} --help\``);
}
