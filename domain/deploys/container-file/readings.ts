import { DockerfileParser } from 'dockerfile-ast';
import { KEYWORDS } from './check-instruction.ts';

/** Why a container file is not judged, and on which line, from 1. */
export interface Ambiguity {
  readonly line: number;
  readonly message: string;
}

/**
 * Where versions of builders read container files differently. `true` is the reading of the newest one; the engine may
 * have an older one, which is not known here.
 */
interface Reading {
  /** `<<EOF` begins lines that are no instructions. */
  readonly heredocs: boolean;
  /** Between continued lines, a comment may be indented. */
  readonly indentedComments: boolean;
  /** Of two backslashes at the end of a line, the second one continues nothing. */
  readonly escapedEscape: boolean;
  /** `# escape=` counts. */
  readonly directives: boolean;
}

const NEWEST: Reading = { heredocs: true, indentedComments: true, escapedEscape: true, directives: true };

const REMEDIES: Readonly<Record<keyof Reading, string>> = {
  heredocs:
    'a line of a heredoc reads as an instruction, its last one included; indent it, and end the heredoc with EOF',
  indentedComments: 'a comment between continued lines is indented; begin it in the first column, or remove it',
  escapedEscape: 'a line ends with two backslashes; put something between them and the end of the line',
  directives: 'remove # escape=, and continue lines with a backslash',
};

/**
 * Finds what one builder takes for an instruction and another for a part of one: such an instruction would be run without
 * having been judged. A reading with an unknown instruction does not count, since its builder refuses the whole file before
 * it runs anything.
 *
 * @returns null when every builder that takes the file reads the instructions that `dockerfile-ast` does
 */
export function ambiguityOf(text: string): Ambiguity | null {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  const odd = oddCharacter(lines) ?? oddHeredoc(lines, text.includes('\r'));
  if (odd !== null) return odd;
  const judged = DockerfileParser.parse(text)
    .getInstructions()
    .map((instruction) => ({ line: instruction.getRange().start.line, keyword: instruction.getKeyword() }));
  for (const changed of CHANGES) {
    const found = readInstructions(lines, { ...NEWEST, ...Object.fromEntries(changed.map((name) => [name, false])) });
    if (found === null || !found.every(({ keyword }) => KEYWORDS.has(keyword))) continue;
    const at = firstDifference(judged, found);
    if (at === null) continue;
    const remedy = changed.map((name) => REMEDIES[name]).join(', or ') || 'write each instruction on lines of its own';
    return { line: at + 1, message: `builders differ in what they read here: ${remedy}` };
  }
  return null;
}

const DIFFERENCES = ['heredocs', 'indentedComments', 'escapedEscape', 'directives'] as const;

/** Every set of differences, the small ones first. */
const CHANGES: readonly (readonly (keyof Reading)[])[] = Array.from({ length: 2 ** DIFFERENCES.length }, (_, bits) =>
  DIFFERENCES.filter((_name, index) => Math.floor(bits / 2 ** index) % 2 === 1),
).toSorted((a, b) => a.length - b.length);

interface Placed {
  /** From 0. */
  readonly line: number;
  readonly keyword: string;
}

function firstDifference(judged: readonly Placed[], found: readonly Placed[]): number | null {
  for (let index = 0; index < Math.max(judged.length, found.length); index += 1) {
    const [one, other] = [judged[index], found[index]];
    if (one?.line === other?.line && one?.keyword === other?.keyword) continue;
    return Math.min(one?.line ?? Number.POSITIVE_INFINITY, other?.line ?? Number.POSITIVE_INFINITY);
  }
  return null;
}

/** Builders differ in which of these are blanks, or ends of lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f\x85\u2028\u2029]/;
/** A blank beyond ASCII before a flag: for some builders it is then no flag. */
const BLANK_BEFORE_FLAG = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff][ \t\\]*(?:--|$)/;

function oddCharacter(lines: readonly string[]): Ambiguity | null {
  for (const [index, line] of lines.entries()) {
    const found = (CONTROL.exec(line) ?? BLANK_BEFORE_FLAG.exec(line))?.[0].codePointAt(0);
    if (found === undefined || /^\s*#/.test(line)) continue;
    const name = `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
    return { line: index + 1, message: `the character ${name} is read differently by builders; remove it` };
  }
  return null;
}

const HEREDOC = /(?:^|[ \t])\d*<<(-?)(["']?)([A-Za-z_]\w*)\2(?=[ \t]|$)/g;
/** All that some builder may take for the beginning of a heredoc. */
const MAY_BE_HEREDOC = /(?:^|[ \t])\d*<<(?!<)[^ \t<]/g;
const TAKES_HEREDOC = /^(?:ONBUILD[ \t]+)?(?:RUN|ADD|COPY)[ \t]/i;

function oddHeredoc(lines: readonly string[], hasReturns: boolean): Ambiguity | null {
  for (const [index, line] of lines.entries()) {
    const possible = line.match(MAY_BE_HEREDOC)?.length ?? 0;
    if (possible === 0 || /^\s*#/.test(line)) continue;
    const isPlain = possible === (line.match(HEREDOC)?.length ?? 0) && !isWithinWord(lines, index);
    if (isPlain && !hasReturns) continue;
    const remedy =
      'name its end by letters alone, such as <<EOF, after no backslash and no open quote, in a file without carriage returns';
    return { line: index + 1, message: `builders differ in whether << begins a heredoc here: ${remedy}` };
  }
  return null;
}

/** Whether the last `<<` of a line may stand inside a word, where it begins nothing: a word goes on within quotes and braces. */
function isWithinWord(lines: readonly string[], index: number): boolean {
  let first = index;
  while (first > 0 && /[\\`][ \t]*$|^\s*(?:#.*)?$/.test(lines[first - 1] ?? '')) first -= 1;
  const continued = lines.slice(first, index).filter((line) => !/^\s*#/.test(line));
  const line = lines[index] ?? '';
  const before = [
    ...continued.map((one) => one.replace(/[\\`][ \t]*$/, '')),
    line.slice(0, line.lastIndexOf('<<')),
  ].join('');
  return /\\/.test(before) || /["']|\$\{/.test(before.replace(/"[^"]*"|'[^']*'|\$\{[^{}"']*\}/g, ''));
}

/** The instructions of a file in one of the readings; null for a file that its builder refuses. */
function readInstructions(lines: readonly string[], reading: Reading): readonly Placed[] | null {
  const sign = reading.directives ? escapeOf(lines) : '\\';
  const found: Placed[] = [];
  for (let at = 0; at < lines.length; ) {
    if (/^\s*(?:#.*)?$/.test(lines[at] ?? '')) {
      at += 1;
      continue;
    }
    const { text, end } = readContinued(lines, at, sign, reading);
    found.push({ line: at, keyword: /^\s*([^ \t]*)/.exec(text)?.[1]?.toUpperCase() ?? '' });
    const after = reading.heredocs && TAKES_HEREDOC.test(text.trim()) ? endOfHeredocs(lines, end, text) : end;
    if (after === null) return null;
    at = after;
  }
  return found;
}

/** The character that continues lines: comments at the top may name another than the backslash. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    if (!/^\s*#/.test(line)) break;
    const value = /^\s*#\s*escape\s*=\s*(\S)/i.exec(line)?.[1];
    if (value !== undefined) return value;
  }
  return '\\';
}

/** @returns the instruction without its continuations, and the line after it */
function readContinued(
  lines: readonly string[],
  from: number,
  sign: string,
  { indentedComments, escapedEscape }: Reading,
): { readonly text: string; readonly end: number } {
  const comment = indentedComments ? /^\s*(?:#.*)?$/ : /^(?:#.*|\s*)$/;
  let text = '';
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (at > from && comment.test(line)) continue;
    const trimmed = line.replace(/[ \t]+$/, '');
    const continues = trimmed.endsWith(sign) && !(escapedEscape && trimmed.endsWith(sign + sign));
    text += continues ? trimmed.slice(0, -1) : line;
    if (!continues) return { text, end: at + 1 };
  }
  return { text, end: lines.length };
}

/** The line after the heredocs of an instruction; null where one has no end. */
function endOfHeredocs(lines: readonly string[], from: number, text: string): number | null {
  let at = from;
  for (const [, dash, , name] of text.matchAll(HEREDOC)) {
    const isEnd = (line: string): boolean => (dash === '-' ? line.replace(/^\t+/, '') : line) === name;
    while (at < lines.length && !isEnd(lines[at] ?? '')) at += 1;
    if (at >= lines.length) return null;
    at += 1;
  }
  return at;
}
