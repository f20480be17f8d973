/** A command line on a page. */
export interface PageCommand {
  readonly words: readonly string[];
  readonly line: number;
}

const SHELL = /^```sh\n([\s\S]*?)^```$/gm;
/** A word, with what stands in quotes as a part of it; an operator; or a comment to the end of the line. */
const WORD = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\|;&#]|(?<=\S)#)+|\|\||&&|[|;]|#.*/g;
/** What stands between two commands of a line. */
const OPERATORS: ReadonlySet<string> = new Set(['|', '||', '&&', ';']);
/** To or from a file. */
const REDIRECTION = /^\d?[<>]>?$/;
const ASSIGNMENT = /^[A-Z_]+=/;

/** The commands in the blocks of shell of a page, in their order. */
export function commandsInBlocks(page: string): readonly PageCommand[] {
  return [...page.matchAll(SHELL)].flatMap(({ 1: block = '', index }) => {
    const first = page.slice(0, index).split('\n').length + 1;
    return block.split('\n').flatMap((text, number, lines) => {
      if (lines[number - 1]?.endsWith('\\')) return [];
      return commandsOf(wholeLine(lines.slice(number), text)).map((words) => ({ words, line: first + number }));
    });
  });
}

/** The commands in its sentences and tables: what stands in backquotes. */
export function commandsInText(page: string): readonly PageCommand[] {
  const text = page.replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(({ 1: code = '', index }) => {
    const line = text.slice(0, index).split('\n').length;
    return commandsOf(code.replaceAll('\n', ' ')).map((words) => ({ words, line }));
  });
}

/** The words of each command of a line, without quotes, comments, redirections and the variables before it. */
export function commandsOf(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const [word] of line.matchAll(WORD)) {
    if (word.startsWith('#')) break;
    if (OPERATORS.has(word)) commands.push([]);
    else commands.at(-1)?.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return commands.map(withoutSurroundings).filter((words) => words.length > 0);
}

function withoutSurroundings(words: readonly string[]): readonly string[] {
  const from = words.findIndex((word) => !ASSIGNMENT.test(word));
  const to = words.findIndex((word) => REDIRECTION.test(word));
  return from < 0 ? [] : words.slice(from, to < 0 ? undefined : to);
}

/** A line with those that it goes on in. */
function wholeLine(lines: readonly string[], text: string): string {
  if (!text.endsWith('\\')) return text;
  const [, next = '', ...rest] = lines;
  return text.slice(0, -1) + wholeLine([next, ...rest], next);
}
