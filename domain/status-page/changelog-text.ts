import { readSpans, type Span } from './changelog-spans.ts';

/** What a changelog is made of on a page (spec 3, "Limits": headings, bullet lists, inline code). */
export type ChangelogBlock =
  | { readonly kind: 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'text'; readonly spans: readonly Span[] }
  | Bullets;

interface Bullets {
  readonly kind: 'bullets';
  readonly items: readonly (readonly Span[])[];
}

/** A changelog as a page shows it, with whether there was more. */
export interface ShownChangelog {
  readonly blocks: readonly ChangelogBlock[];
  readonly isCut: boolean;
}

/** Bullets of one changelog on the status page; a link leads to the rest. */
export const MOST_BULLETS = 20;
/** Headings and paragraphs beside them: notes need no bullets to be long. */
const MOST_BLOCKS = 40;

/**
 * Reduces Markdown to the subset of the contract. Everything else is the text that it is: raw HTML with its brackets, a link
 * as its words, so that whoever writes notes puts no markup and no address into a page. Strangers write them: it is read
 * line by line, in time that grows with the length alone.
 * @param notes at most 20,000 characters, as the service registry keeps them
 */
export function readChangelog(notes: string): readonly ChangelogBlock[] {
  const lines = notes.split(/\r\n?|\n/);
  const labels = new Set(lines.flatMap((line) => DEFINITION.exec(line)?.[1]?.toLowerCase() ?? []));
  const reading: Reading = { labels, blocks: [], parts: [], fence: null, isItem: false, afterBlank: false };
  for (const line of lines) readLine(reading, line);
  endPart(reading);
  return reading.blocks;
}

/** The beginning of it: at most {@link MOST_BULLETS} bullets. */
export function cutChangelog(blocks: readonly ChangelogBlock[]): ShownChangelog {
  const shown: ChangelogBlock[] = [];
  let bullets = MOST_BULLETS;
  for (const block of blocks) {
    if (shown.length === MOST_BLOCKS || bullets === 0) return { blocks: withoutLastHeading(shown), isCut: true };
    if (block.kind !== 'bullets') shown.push(block);
    else {
      const items = block.items.slice(0, bullets);
      bullets -= items.length;
      shown.push({ kind: 'bullets', items });
      if (items.length < block.items.length) return { blocks: shown, isCut: true };
    }
  }
  return { blocks: shown, isCut: false };
}

/** A heading whose bullets were cut off says nothing. */
function withoutLastHeading(blocks: readonly ChangelogBlock[]): readonly ChangelogBlock[] {
  return blocks.at(-1)?.kind === 'heading' ? blocks.slice(0, -1) : blocks;
}

/** What is read so far. A part is a paragraph, a bullet or fenced code, of which lines may follow. */
interface Reading {
  readonly labels: ReadonlySet<string>;
  readonly blocks: (
    | Exclude<ChangelogBlock, Bullets>
    | { readonly kind: 'bullets'; readonly items: (readonly Span[])[] }
  )[];
  /** Lines of the part that is not at its end. */
  parts: string[];
  /** The marks that end the code that is being read. */
  fence: string | null;
  isItem: boolean;
  afterBlank: boolean;
}

const DEFINITION = /^ {0,3}\[([^\]]{1,200})\]:\s*\S/;
const FENCE = /^\s*(```|~~~)[^`]*$/;
const HEADING = /^ {0,3}#{1,6}(?:\s+|$)/;
const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const RULE = /^(?:-{3,}|\*{3,}|_{3,})$/;
const UNDERLINE = /^ {0,3}(?:=+|--+)\s*$/;
const QUOTE = /^(?:\s*>)+/;

function readLine(reading: Reading, line: string): void {
  const isParagraph = reading.parts.length > 0 && !reading.isItem;
  if (reading.fence !== null || FENCE.test(line)) readCode(reading, line);
  else if (line.trim() === '') readBlank(reading);
  else if (isParagraph && UNDERLINE.test(line)) endPart(reading, 'heading');
  else if (RULE.test(line.replaceAll(' ', '')) || DEFINITION.test(line)) endPart(reading);
  else if (HEADING.test(line)) readHeading(reading, line);
  else readText(reading, line);
}

/** An item may go on behind it. */
function readBlank(reading: Reading): void {
  if (reading.isItem) reading.afterBlank = true;
  else endPart(reading);
}

function readHeading(reading: Reading, line: string): void {
  endPart(reading);
  reading.parts.push(line.replace(HEADING, '').replace(/(?:^|\s)#+\s*$/, ''));
  endPart(reading, 'heading');
}

function readText(reading: Reading, line: string): void {
  const isItem = BULLET.test(line);
  if (isItem || (reading.afterBlank && !/^\s/.test(line))) endPart(reading);
  reading.isItem ||= isItem;
  reading.afterBlank = false;
  reading.parts.push(line.replace(BULLET, '').replace(QUOTE, ''));
}

/** Lines of fenced code are one piece of inline code. */
function readCode(reading: Reading, line: string): void {
  const [, marks] = FENCE.exec(line) ?? [];
  if (reading.fence === null) {
    endPart(reading);
    reading.fence = marks ?? '';
  } else if (marks === reading.fence) endPart(reading);
  else reading.parts.push(line);
}

function endPart(reading: Reading, kind: 'text' | 'heading' = 'text'): void {
  const { parts, fence, isItem, labels, blocks } = reading;
  Object.assign(reading, { parts: [], fence: null, isItem: false, afterBlank: false });
  const text = parts.join(' ').trim();
  if (text === '') return;
  const spans = fence === null ? readSpans(text, labels) : [{ text: text.replace(/\s+/g, ' '), isCode: true }];
  if (spans.length === 0) return;
  if (!isItem) blocks.push({ kind, spans });
  else addItem(blocks, spans);
}

function addItem(blocks: Reading['blocks'], spans: readonly Span[]): void {
  const last = blocks.at(-1);
  if (last?.kind === 'bullets') last.items.push(spans);
  else blocks.push({ kind: 'bullets', items: [spans] });
}
