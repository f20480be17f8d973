import type { AppSource } from '../../catalog/app-source.ts';
import { type Command, withoutVariables } from './command-chain.ts';

/** Words by which a program starts its file again when files change. */
const WATCH_WORDS = /^--?watch(?:-path|-preserve-output)?(?:=.*)?$/;

/**
 * A command as it is run in an image. No file changes there, and a watcher that waits for one hides that the app has
 * ended. A file of variables that is not in the repository is not in the image either, and Node.js would end without it.
 */
export function inAnImage<C extends Command>(command: C, { files }: AppSource): C {
  const words = withoutVariables(command.words);
  const plain = plainWords(words, files);
  if (plain === null || plain.join(' ') === words.join(' ')) return command;
  const all = [...command.words.slice(0, command.words.length - words.length), ...plain];
  // Quotes would have to be put back.
  if (!all.every((word) => /^[\w./:=@%+,-]+$/.test(word))) return command;
  return { ...command, words: all, text: all.join(' ') };
}

function plainWords([program, ...rest]: readonly string[], files: readonly string[]): readonly string[] | null {
  if (program === 'node' || program === 'tsx') {
    const kept = rest.filter((word, index) => {
      if (program === 'tsx' && index === 0 && word === 'watch') return false;
      return !WATCH_WORDS.test(word) && !namesMissingFile(word, files);
    });
    return [program, ...kept];
  }
  const [file] = rest;
  const isPlain = program === 'nodemon' && rest.length === 1 && file !== undefined && /^[\w./-]+$/.test(file);
  return isPlain && !/\.[cm]?tsx?$/.test(file) ? ['node', file] : null;
}

/** Files of variables whose name begins with `.env` are left out of an image in any case. */
function namesMissingFile(word: string, files: readonly string[]): boolean {
  const file = /^--env-file=(?:\.\/)?(.+)$/.exec(word)?.[1];
  return file !== undefined && (file.startsWith('.env') || (!file.includes('/') && !files.includes(file)));
}
