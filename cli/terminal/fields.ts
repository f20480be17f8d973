import type { Output } from '../output.ts';
import { printable } from './style.ts';

/** A record for people, one named value a line. */
export type Fields = readonly (readonly [title: string, value: string])[];

const TITLE_WIDTH = 9;

export function printFields(output: Pick<Output, 'print' | 'paint'>, fields: Fields): void {
  for (const [title, value] of fields) {
    output.print(`${output.paint('dim', title.padEnd(TITLE_WIDTH))} ${printable(value)}`);
  }
}
