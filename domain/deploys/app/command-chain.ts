/** One command of a command line. */
export interface Command {
  /** As it is written, trimmed. */
  readonly text: string;
  /** Its words without quotes; leading `NAME=value` words included. */
  readonly words: readonly string[];
  /** What joins it to the next one; null for the last. */
  readonly joint: '&&' | ';' | '||' | '|' | '&' | null;
}

/** A quoted text, an operator, blanks, or the characters of a word. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'[^']*'|\\.|&&|\|\||[;&|\n]|[^\S\n]+|[^\s"'\\;&|]+/gy;
const OPERATORS: Readonly<Record<string, Command['joint']>> = {
  '&&': '&&',
  '||': '||',
  ';': ';',
  '\n': ';',
  '|': '|',
  '&': '&',
};

/** Splits a command line into its commands; null for one with substitutions, groups or redirections, which only a shell reads. */
export function readChain(line: string): readonly Command[] | null {
  if (/`|\$\(|[<>()]|(?:^|[\s;&|])[{}](?:\s|$)/.test(withoutQuoted(line))) return null;
  const commands: Command[] = [];
  let from = 0;
  let at = 0;
  for (const [token] of line.matchAll(TOKEN)) {
    const operator = OPERATORS[token];
    if (operator !== undefined) {
      commands.push(commandOf(line.slice(from, at), operator));
      from = at + token.length;
    }
    at += token.length;
  }
  // A quote that is never closed ends the tokens early.
  if (at < line.length) return null;
  commands.push(commandOf(line.slice(from), null));
  const filled = commands.filter(({ text }) => text !== '');
  const last = filled.at(-1);
  return last === undefined ? [] : [...filled.slice(0, -1), { ...last, joint: last.joint === '&' ? '&' : null }];
}

/** The commands as one line again. */
export function writeChain(commands: readonly Command[]): string {
  return commands.map(({ text, joint }, index) => text + written(joint, index === commands.length - 1)).join('');
}

/** The commands, in the order of their words, without leading variables: `A=1 node x` is `node x`. */
export function withoutVariables(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** The name of the program that a command runs: `./node_modules/.bin/next` is `next`; null for a list of variables alone. */
export function programOf(words: readonly string[]): string | null {
  return withoutVariables(words)[0]?.replace(/^.*node_modules\/\.bin\//, '') ?? null;
}

function commandOf(text: string, joint: Command['joint']): Command {
  const words = text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return { text: text.trim(), words: words.map(unquoted), joint };
}

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, bare?: string) =>
    double === undefined ? (single ?? bare ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
  );
}

function withoutQuoted(line: string): string {
  // Substitutions work within double quotes, so only the operators in them go.
  return line
    .replace(/'[^']*'/g, "''")
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/[<>(){}]/g, ''));
}

function written(joint: Command['joint'], isLast: boolean): string {
  if (joint === null) return '';
  if (joint === ';') return isLast ? '' : '; ';
  return isLast ? ` ${joint}` : ` ${joint} `;
}
