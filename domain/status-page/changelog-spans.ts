/** A piece of a line: text, or inline code. */
export interface Span {
  readonly text: string;
  readonly isCode: boolean;
}

/** Longer ones are no labels, and are not looked for. */
const MOST_LABEL_CHARACTERS = 200;

/** What stands at one place of a text; null text: a mark that is not shown. */
interface Piece {
  text: string;
  readonly isCode: boolean;
}

interface Reading {
  readonly text: string;
  readonly pieces: Piece[];
  /** Indexes of brackets that are open. */
  readonly brackets: { readonly piece: number; readonly at: number }[];
  /** Marks of emphasis that are open, and their indexes. */
  readonly marks: Map<string, number>;
  /** By the place of each run of backticks, the place of the next one of that length. */
  readonly ticks: ReadonlyMap<number, number>;
  readonly labels: ReadonlySet<string>;
}

/** Each takes what it knows at a place. @returns where it goes on; null where it takes nothing */
type Rule = (reading: Reading, at: number) => number | null;

/**
 * Reads inline code out of a text, and gives of links, pictures and emphasis the words. One pass: what it takes to read is
 * by the length alone, since strangers write what is read here.
 * @param labels of link definitions, lower case
 */
export function readSpans(text: string, labels: ReadonlySet<string>): readonly Span[] {
  const reading: Reading = {
    ...{ text, pieces: [], brackets: [], marks: new Map(), ticks: runsOfTicks(text), labels },
  };
  let at = 0;
  while (at < text.length) at = nextOf(reading, at);
  return joined(reading.pieces);
}

/** What no rule begins with. */
const PLAIN = /[^\\`*_~![\]]+/y;
const ESCAPED = /\\[!-/:-@[-`{-~]/y;
const TICKS = /`+/y;
const BRACKET = /!?\[/y;
const MARK = /\*+|_+|~+/y;

function nextOf(reading: Reading, at: number): number {
  const plain = matchAt(PLAIN, reading.text, at);
  if (plain !== null) return put(reading, plain, at);
  for (const rule of RULES) {
    const next = rule(reading, at);
    if (next !== null) return next;
  }
  return put(reading, reading.text.charAt(at), at);
}

function put({ pieces }: Reading, text: string, at: number): number {
  pieces.push({ text, isCode: false });
  return at + text.length;
}

const RULES: readonly Rule[] = [
  // An escaped character is that character.
  (reading, at) => {
    const escaped = matchAt(ESCAPED, reading.text, at);
    return escaped === null ? null : put(reading, escaped.slice(1), at) + 1;
  },
  codeSpan,
  openBracket,
  closeBracket,
  emphasis,
];

function codeSpan({ text, pieces, ticks }: Reading, at: number): number | null {
  const run = matchAt(TICKS, text, at);
  if (run === null) return null;
  const end = ticks.get(at);
  if (end === undefined) pieces.push({ text: run, isCode: false });
  else pieces.push({ text: text.slice(at + run.length, end).trim(), isCode: true });
  return (end ?? at) + run.length;
}

function runsOfTicks(text: string): ReadonlyMap<number, number> {
  const next = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { index, 0: run } of text.matchAll(/`+/g)) {
    const before = last.get(run.length);
    if (before !== undefined) next.set(before, index);
    last.set(run.length, index);
  }
  return next;
}

function openBracket({ text, pieces, brackets }: Reading, at: number): number | null {
  const bracket = matchAt(BRACKET, text, at);
  if (bracket === null) return null;
  brackets.push({ piece: pieces.length, at: at + bracket.length });
  pieces.push({ text: bracket, isCode: false });
  return at + bracket.length;
}

/** The place of a link, which may have brackets of one level. */
const PLACE = /\]\((?:[^()]|\([^()]{0,200}\)){0,2000}\)/y;
const REFERENCE = /\]\[([^[\]]{0,200})\]/y;

function closeBracket({ text, pieces, brackets, labels }: Reading, at: number): number | null {
  if (text.charAt(at) !== ']') return null;
  const open = brackets.pop();
  const opened = open === undefined ? undefined : pieces[open.piece];
  if (open === undefined || opened === undefined) return null;
  const end = linkEnd(text, { from: open.at, at }, labels);
  if (end !== null) opened.text = '';
  else pieces.push({ text: ']', isCode: false });
  return end ?? at + 1;
}

function linkEnd(
  text: string,
  { from, at }: { readonly from: number; readonly at: number },
  labels: ReadonlySet<string>,
): number | null {
  const place = matchAt(PLACE, text, at);
  if (place !== null) return at + place.length;
  const reference = labels.size === 0 ? null : matchAt(REFERENCE, text, at);
  if (reference !== null && labels.has(reference.slice(2, -1).toLowerCase())) return at + reference.length;
  const isLabel = labels.size > 0 && at - from <= MOST_LABEL_CHARACTERS;
  return isLabel && labels.has(text.slice(from, at).toLowerCase()) ? at + 1 : null;
}

/** The same mark opens and closes; within words underscores are letters. */
function emphasis({ text, pieces, marks }: Reading, at: number): number | null {
  const mark = matchAt(MARK, text, at);
  if (mark === null) return null;
  const [before, after] = [text.charAt(at - 1), text.charAt(at + mark.length)];
  const isWord = (character: string): boolean => mark.startsWith('_') && /[\p{L}\p{N}_]/u.test(character);
  const opener = marks.get(mark);
  const opened = opener === undefined ? undefined : pieces[opener];
  const closes = opened !== undefined && /\S/.test(before) && !isWord(after);
  if (closes) {
    opened.text = '';
    marks.delete(mark);
  } else if (/\S/.test(after) && !isWord(before) && mark.length <= 3) marks.set(mark, pieces.length);
  pieces.push({ text: closes ? '' : mark, isCode: false });
  return at + mark.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Neighbours of a kind are one span, and white space is one blank. */
function joined(pieces: readonly Piece[]): readonly Span[] {
  const groups: { readonly isCode: boolean; readonly texts: string[] }[] = [];
  for (const { text, isCode } of pieces) {
    if (text === '') continue;
    const last = groups.at(-1);
    if (last?.isCode === isCode) last.texts.push(text);
    else groups.push({ isCode, texts: [text] });
  }
  return groups.map(({ isCode, texts }) => ({ text: texts.join('').replace(/\s+/g, ' '), isCode }));
}
