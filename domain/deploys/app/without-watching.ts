import { type Command, withoutVariables } from './command-chain.ts';

/** Words before a program's file that mean nothing without its watching, and how many words they take. */
const WATCH_WORDS = /^--?(?:watch(?:-path|-preserve-output)?(?:=.*)?|watch)$/;

/**
 * A command that starts a file and starts it again when files change, as one that only starts it: in an image no file
 * changes, and a watcher that waits for one hides that the app has ended.
 */
export function withoutWatching<C extends Command>(command: C): C {
  const words = withoutVariables(command.words);
  const plain = plainWords(words);
  if (plain === null) return command;
  const variables = command.words.slice(0, command.words.length - words.length);
  const all = [...variables, ...plain];
  // Quotes would have to be put back.
  if (!all.every((word) => /^[\w./:=@%+,-]+$/.test(word))) return command;
  return { ...command, words: all, text: all.join(' ') };
}

function plainWords([program, ...rest]: readonly string[]): readonly string[] | null {
  if (program === 'node') {
    const kept = rest.filter((word) => !WATCH_WORDS.test(word));
    return kept.length < rest.length ? ['node', ...kept] : null;
  }
  if (program === 'tsx') {
    const kept = rest.filter((word, index) => !(WATCH_WORDS.test(word) || (index === 0 && word === 'watch')));
    return kept.length < rest.length ? ['tsx', ...kept] : null;
  }
  const [file] = rest;
  const isPlain = program === 'nodemon' && rest.length === 1 && file !== undefined && /^[\w./-]+$/.test(file);
  return isPlain && !/\.[cm]?tsx?$/.test(file) ? ['node', file] : null;
}
