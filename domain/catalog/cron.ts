const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** The most days that each month has, from January on. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

interface Field {
  readonly name: string;
  /** The least and the greatest number. */
  readonly from: number;
  readonly to: number;
  /** A number for the least one once more: Sunday. */
  readonly again?: number;
  /** Words for the numbers from the least on. */
  readonly words?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, words: MONTHS },
  { name: 'weekday', from: 0, to: 6, again: 7, words: DAYS },
];

const FIVE_FIELDS = 'five fields such as "0 2 * * *": minute, hour, day, month, weekday, in UTC';

/** The values of a field; or what would be one, where it is none. */
type ReadField = { readonly values: readonly number[] } | { readonly expected: string };

/**
 * What is expected in the place of a schedule that no cron takes, or that never comes; null for one that runs. Each of minute,
 * hour, day, month and weekday is `*`, a value, a range or a list of those, with a step or without; with a step, a value is the
 * begin of a range. As the cron of Go and that of Temporal: a range goes upwards, and a day and a weekday, each other than `*`,
 * are days of either.
 */
export function expectedSchedule(text: string): string | null {
  const written = text.split(/[ \t]+/);
  if (written.length !== FIELDS.length) return FIVE_FIELDS;
  const values: (readonly number[])[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const read = readField(written[index] ?? '', field);
    if ('expected' in read) return read.expected;
    values.push(read.values);
  }
  const [, , days = [], months = []] = values;
  const [, , day = '', month = '', weekday = ''] = written;
  return weekday.startsWith('*') ? expectedDate({ days, months, day, month }) : null;
}

interface DatesOfYear {
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** As written. */
  readonly day: string;
  readonly month: string;
}

function expectedDate({ days, months, day, month }: DatesOfYear): string | null {
  const most = Math.max(...months.map((number) => MONTH_DAYS[number - 1] ?? 0));
  if (days.some((number) => number <= most)) return null;
  return `for the day ${most} or less in the place of ${day}, since the month ${month} has no such day`;
}

function readField(text: string, field: Field): ReadField {
  const values: number[] = [];
  for (const part of text.split(',')) {
    const read = readPart(part, field);
    if ('expected' in read) return { expected: `for the ${field.name} ${read.expected}` };
    values.push(...read.values);
  }
  return { values };
}

function readPart(text: string, field: Field): ReadField {
  const { name, from, to, words } = field;
  const [range = '', step, ...rest] = text.split('/');
  const [first = '', last = first, ...more] = range === '*' ? [String(from), String(to)] : range.split('-');
  const [begin, end] = [numberOf(first, field), numberOf(last, field)];
  const by = step === undefined ? 1 : /^\d{1,2}$/.test(step) ? Number(step) : 0;
  if (begin === null || end === null || by === 0 || rest.length > 0 || more.length > 0) {
    const named = words === undefined ? '' : ` or ${words[0]} to ${words.at(-1)}`;
    const what = `${from} to ${to}${named}, *, a list such as 1,2, a range such as 1-5, or a step such as */2`;
    return { expected: `${what} in the place of ${text}` };
  }
  if (begin > end) {
    const [greatest, least] = words?.includes(first.toLowerCase()) ? [words.at(-1), words[0]] : [to, from];
    const halves = [rangeOf(first, String(greatest)), rangeOf(String(least), last)].join(',');
    return { expected: `${halves} in the place of ${range}, since a range does not go backwards` };
  }
  const until = step !== undefined && first === range ? to : end;
  if (by > 1 && by > until - begin) {
    const reach = `${begin} to ${until}`;
    return { expected: `${first} in the place of ${text}, since the step is larger than the ${name}s ${reach}` };
  }
  const count = Math.floor((until - begin) / by) + 1;
  return { values: Array.from({ length: count }, (_, index) => begin + index * by) };
}

function rangeOf(first: string, last: string): string {
  return first.toLowerCase() === last.toLowerCase() ? first : `${first}-${last}`;
}

function numberOf(text: string, { from, to, again = to, words = [] }: Field): number | null {
  const place = words.indexOf(text.toLowerCase());
  if (place >= 0) return from + place;
  if (!/^\d{1,2}$/.test(text)) return null;
  const number = Number(text);
  return number >= from && number <= again ? number : null;
}
