const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The five fields of a schedule: the least and the greatest number, and words that stand for numbers. */
const FIELDS: readonly { readonly from: number; readonly to: number; readonly words?: readonly string[] }[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, words: MONTHS },
  { from: 0, to: 7, words: DAYS },
];

/** True for minute, hour, day, month and weekday, each `*`, a value, a range, a list of those, with a step or without. */
export function isCron(text: string): boolean {
  const fields = text.split(/[ \t]+/);
  return fields.length === FIELDS.length && FIELDS.every((field, index) => isField(fields[index] ?? '', field));
}

function isField(text: string, { from, to, words = [] }: (typeof FIELDS)[number]): boolean {
  const isValue = (value: string): boolean =>
    words.includes(value.toLowerCase()) || (/^\d{1,2}$/.test(value) && Number(value) >= from && Number(value) <= to);
  return text.split(',').every((part) => {
    const [range = '', step, ...rest] = part.split('/');
    if (rest.length > 0 || (step !== undefined && !(/^\d{1,2}$/.test(step) && Number(step) > 0))) return false;
    const ends = range.split('-');
    return range === '*' || (ends.length <= 2 && ends.every(isValue));
  });
}
