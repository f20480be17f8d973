import type { Attack } from './attacked-ledger.ts';

/** A command that a holder runs. `compare` is of what the holder has with what the ledger, or its thief, tells another. */
export type Way = 'verify-day' | 'verify-day --receipt' | 'verify-day --checkpoint' | 'compare';

/** By which command an attack is found and when, or why it is not, although these commands are run, which exit like that. */
export type Cell =
  | { readonly found: readonly (readonly [way: Way, by: string])[] }
  | { readonly nobody: string; readonly although: readonly (readonly [way: Way, exit: 0 | 7])[] };

export const HOLDERS = ['nothing', 'receipt', 'checkpoint'] as const;
export type Holder = (typeof HOLDERS)[number];

export interface Row extends Readonly<Record<Holder, Cell>> {
  readonly attack: string;
  /** Each of them is carried out. */
  readonly attacks: readonly Attack[];
}

const AT_ONCE = 'at once';
const MET = 'when the two meet';
const HOUR = 'the next hour';
const NIGHT = 'the night after';
const UNTIL_NEXT = 'at once, until the next night makes it again';
const NEXT_DAY = '24 hours after the day';
const NOTHING_CAME = 'the ledger did not sign it, and the night makes its own batch';

const found = (...ways: readonly (readonly [Way, string])[]): Cell => ({ found: ways });
const nobody = (why: string, ...although: readonly (readonly [Way, 0 | 7])[]): Cell => ({ nobody: why, although });

/** Everybody finds it alike, as what holders have besides makes no difference. */
const everybody = (by: string) => ({
  nothing: found(['verify-day', by]),
  receipt: found(['verify-day --receipt', by]),
  checkpoint: found(['verify-day --checkpoint', by]),
});

const beforeTheNight = {
  nothing: nobody('before its night nothing outside the ledger says what a day holds', ['verify-day', 0]),
  receipt: found(['verify-day --receipt', NIGHT]),
  checkpoint: found(['verify-day --checkpoint', NIGHT]),
};

/**
 * The one table of who finds out which attack of an operator who has the database and all keys, or of a thief. The test runs
 * each cell on a real ledger and two real chains; the threat model shows the table.
 */
export const WHO_FINDS_OUT: readonly Row[] = [
  { attack: 'alter an event', attacks: ['alter'], ...beforeTheNight },
  { attack: 'delete the first event', attacks: ['deleteFirst'], ...beforeTheNight },
  { attack: 'delete one from the middle', attacks: ['deleteMiddle'], ...beforeTheNight },
  {
    attack: 'cut the tail off',
    attacks: ['cutTail'],
    ...beforeTheNight,
    receipt: found(['compare', HOUR], ['verify-day --receipt', NIGHT]),
    checkpoint: found(['compare', HOUR], ['verify-day --checkpoint', NIGHT]),
  },
  { attack: 'reorder', attacks: ['reorder'], ...beforeTheNight },
  { attack: 'insert', attacks: ['insert'], ...beforeTheNight },
  {
    attack: 'fork',
    attacks: ['fork'],
    ...beforeTheNight,
    receipt: found(['compare', MET], ['verify-day --receipt', NIGHT]),
    checkpoint: found(['compare', MET], ['verify-day --checkpoint', NIGHT]),
  },
  { attack: 'back-date inside the day', attacks: ['backDate'], ...beforeTheNight },
  {
    attack: 'any of these, after the night of the day',
    attacks: [
      'alterLate',
      'deleteFirstLate',
      'deleteMiddleLate',
      'cutTailLate',
      'reorderLate',
      'insertLate',
      'forkLate',
      'backDateLate',
    ],
    ...everybody(AT_ONCE),
  },
  { attack: 'withhold a day', attacks: ['withholdDay'], ...everybody(NEXT_DAY) },
  {
    attack: 'drop an event from a day',
    attacks: ['dropFromDay'],
    nothing: nobody('the list without it is what was anchored', ['verify-day', 0]),
    receipt: found(['verify-day --receipt', NIGHT]),
    checkpoint: nobody(
      'it names the last event alone, unless that is the one',
      ['verify-day --checkpoint', 0],
      ['compare', 7],
    ),
  },
  {
    attack: 'put a batch there before its night, with the database alone',
    attacks: ['plantBatch'],
    nothing: nobody(NOTHING_CAME, ['verify-day', 0]),
    receipt: nobody(NOTHING_CAME, ['verify-day --receipt', 0]),
    checkpoint: nobody(NOTHING_CAME, ['verify-day --checkpoint', 0]),
  },
  {
    attack: 'delete the batch of a day after its night, with the database alone',
    attacks: ['deleteBatch'],
    ...everybody(UNTIL_NEXT),
  },
  { attack: 'split view between chains', attacks: ['splitChains'], ...everybody(NIGHT) },
  {
    attack: 'split view between contracts, to who has the published address',
    attacks: ['splitContracts'],
    ...everybody(NIGHT),
  },
  {
    attack: 'split view between contracts, to who has the address from the operator',
    attacks: ['splitContractsBelieved'],
    nothing: nobody('the list is what that contract holds, until two readers compare addresses', ['verify-day', 0]),
    receipt: found(['verify-day --receipt', NIGHT]),
    checkpoint: nobody('that contract has no days before: undecided', ['verify-day --checkpoint', 7]),
  },
  {
    attack: 'split view between readers',
    attacks: ['splitReaders'],
    nothing: found(['verify-day', NIGHT]),
    receipt: found(['compare', MET], ['verify-day --receipt', NIGHT]),
    checkpoint: found(['compare', MET], ['verify-day --checkpoint', NIGHT]),
  },
  { attack: "stolen anchorer's key", attacks: ['stolenAnchorer'], ...everybody(NIGHT) },
  {
    attack: 'stolen signing key',
    attacks: ['stolenSigner'],
    nothing: nobody('nothing that is public changes', ['verify-day', 0]),
    receipt: found(['compare', MET]),
    checkpoint: found(['compare', MET]),
  },
  { attack: 'the operator deletes all', attacks: ['deleteAll'], ...everybody(AT_ONCE) },
];

/** The table of the page. */
export function renderWhoFindsOut(): string {
  const head = ['attack', 'who holds nothing', 'who holds a receipt', 'who holds a checkpoint'];
  const rows = WHO_FINDS_OUT.map((row) => [row.attack, ...HOLDERS.map((holder) => textOf(row[holder]))]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function textOf(cell: Cell): string {
  if ('nobody' in cell) return `**nobody**, because ${cell.nobody}`;
  return cell.found.map(([way, by]) => `\`${way}\`: ${by}`).join('; ');
}
