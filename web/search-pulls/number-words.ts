import { whole } from '../look/chart.ts';

const FEW_LETTERS = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

/** In few letters, such as `1.2K`. */
export function inFewLetters(value: number): string {
  return FEW_LETTERS.format(value);
}

/** Such as `4.2 %`. @param share 0 to 1 */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** A mean position, such as `4.2`; a dash where nobody saw anything. */
export function position(value: number): string {
  return value === 0 ? '–' : value.toFixed(1);
}

/** How many, with the word for it. */
export function counted(count: number, one: string, many: string): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** A change of a count, such as `12 % more than`. Null where there was nothing to compare with. */
export function changeOf(now: number, before: number): string | null {
  if (before === 0) return null;
  const change = Math.round((now / before - 1) * 100);
  if (change === 0) return 'as many as';
  return `${whole(Math.abs(change))} % ${change > 0 ? 'more' : 'fewer'} than`;
}

/** A change of a share, in points of per cent. */
export function changeOfShare(now: number, before: number): string {
  const points = Math.abs(now - before) * 100;
  if (points < 0.05) return 'the same as';
  return `${points.toFixed(1)} points ${now > before ? 'more' : 'less'} than`;
}

/** A change of a position, where less is better. Null where one of them is none. */
export function changeOfPosition(now: number, before: number): string | null {
  if (now === 0 || before === 0) return null;
  const places = Math.abs(now - before);
  if (places < 0.05) return 'the same as';
  return `${places.toFixed(1)} ${now < before ? 'better' : 'worse'} than`;
}
