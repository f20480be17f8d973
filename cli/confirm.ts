import { createInterface } from 'node:readline/promises';
import { CliFailure, usageFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';

/** What a command is about to do that cannot be taken back. */
export interface Consequence {
  /** In a sentence or more, as the person reads it before they agree. */
  readonly text: string;
  /** The command as it would have to be typed, without `fairlead` and `--yes`. */
  readonly command: string;
  /** A gentler way to the same end, where there is one. */
  readonly instead?: string;
}

/**
 * Returns when somebody agreed: by `--yes`, or by answering the question on a terminal. Without a terminal nobody is
 * there to ask, and with `--json` the reader is a program: then `--yes` it must be.
 * @throws CliFailure with exit `usage` when nobody could be asked, `interrupted` when they said no
 */
export async function confirm(
  { output, terminal }: Pick<CliContext, 'output' | 'terminal'>,
  options: { readonly yes?: boolean },
  { text, command, instead }: Consequence,
): Promise<void> {
  if (options.yes === true) return;
  const { stdin, stderr } = terminal;
  const insteadLine = instead === undefined ? '' : `\n${instead}`;
  if (output.json || stdin.isTTY !== true || stderr.isTTY !== true) {
    throw usageFailure(text, `To confirm: \`fairlead ${command} --yes\`${insteadLine}`);
  }
  stderr.write(`${text}${insteadLine}\n`);
  if (await agrees(terminal, 'Go on? [y/N] ')) return;
  throw new CliFailure('INTERRUPTED', 'Nothing was changed.', { exit: 'interrupted' });
}

/** Only a yes is one: Enter, end of input and Ctrl-C are not. */
async function agrees({ stdin, stderr }: CliContext['terminal'], question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr });
  const gone = new Promise<string>((resolve) => {
    lines.once('SIGINT', () => resolve('')).once('close', () => resolve(''));
  });
  try {
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), gone])).trim());
  } finally {
    lines.close();
  }
}
