import type { HtmlValue } from '../../api/http/pages/html.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import { terminalText } from './terminal-text.ts';

/** A line of a log as it is shown. */
export interface ShownLine {
  /** What stands before it, such as its number or time. */
  readonly before: HtmlValue;
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  /** By which an address names it: `L12`. */
  readonly id?: string;
}

const LEVELS: Readonly<Record<ShownLine['level'], string | null>> = { info: null, warn: 'Warning: ', error: 'Error: ' };

/** Characters of a line on a page: nobody reads a longer one there, and hundreds of them are a page of many megabytes. */
const LONGEST = 4_000;

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST).toWellFormed()} … (${text.length - LONGEST} characters more)`;
}

/** One line. @param found is marked in it */
export function logLine({ before, level, text, id }: ShownLine, found = ''): Html {
  const spoken = LEVELS[level];
  return html`<div class="log-line log-${level}"${id !== undefined && html` id="${id}"`}>${before}<span class="log-text">${spoken !== null && html`<span class="unseen">${spoken}</span>`}${terminalText(cut(text), found)}</span></div>`;
}

/** The number of a line, which links to it. @param path of the part of the log that it is in */
export function lineNumber(number: number, path: string): Html {
  return html`<a class="log-number" href="${path}#L${number}" tabindex="-1">${number}</a>`;
}

/**
 * A box of lines that scrolls by itself and can be scrolled by keyboard.
 * @param live name of the region that lines are added to while the page is open; it then stays at its end
 * @param linePath where a line is that the page does not have; its number is added
 */
export function logBox(options: {
  readonly label: string;
  readonly lines: HtmlValue;
  readonly live?: string;
  readonly linePath?: string;
}): Html {
  const { label, lines, live, linePath } = options;
  const region = live !== undefined && html` data-region="${live}"`;
  return html`<div class="log" role="region" tabindex="0" aria-label="${label}"${live !== undefined && html` data-follow`}${linePath !== undefined && html` data-line-path="${linePath}"`}><div${region}${live !== undefined && html` data-keep="5000"`}>${lines}</div></div>`;
}
