import type { AppSource } from '../../catalog/app-source.ts';
import { SETTINGS_FILE } from '../../catalog/variables-file.ts';
import { type Command, withoutVariables } from './command-chain.ts';
import { settingsFile } from './settings-file.ts';

/** Words by which a program starts its file again, or takes it in anew, when files change. */
const WATCH_WORDS = /^--?(?:watch(?:-path|-preserve-output)?(?:=.*)?|hot)$/;
/** Programs that know these words. */
const RUNNERS = ['node', 'tsx', 'bun'];

/**
 * A command as it is run in an image. No file changes there, and a watcher that waits for one hides that the app has
 * ended. A file of variables that is not in the repository is not in the image either, and Node.js would end without it.
 */
export function inAnImage<C extends Command>(command: C, source: AppSource): C {
  const words = withoutVariables(command.words);
  const plain = plainWords(words, source);
  if (plain === null || plain.join(' ') === words.join(' ')) return command;
  const all = [...command.words.slice(0, command.words.length - words.length), ...plain];
  // Quotes would have to be put back.
  if (!all.every((word) => /^[\w./:=@%+,-]+$/.test(word))) return command;
  return { ...command, words: all, text: all.join(' ') };
}

function plainWords([program, ...rest]: readonly string[], source: AppSource): readonly string[] | null {
  if (program !== undefined && RUNNERS.includes(program)) {
    const kept = rest.filter((word, index) => {
      if (program === 'tsx' && index === 0 && word === 'watch') return false;
      return !WATCH_WORDS.test(word) && !namesMissingFile(word, source);
    });
    return [program, ...kept];
  }
  const [file] = rest;
  const isPlain = program === 'nodemon' && rest.length === 1 && file !== undefined && /^[\w./-]+$/.test(file);
  return isPlain && !/\.[cm]?tsx?$/.test(file) ? ['node', file] : null;
}

/** Of the files of variables whose name begins with `.env`, an image has at most the one of settings. */
function namesMissingFile(word: string, source: AppSource): boolean {
  const file = /^--env-file=(?:\.\/)?(.+)$/.exec(word)?.[1];
  if (file === undefined) return false;
  if (file === SETTINGS_FILE) return !settingsFile(source).isKept;
  return file.startsWith('.env') || (!file.includes('/') && !source.files.includes(file));
}
