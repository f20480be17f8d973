import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../infra/dev/project.ts';
import type { CorpusRow } from './repositories.ts';
import type { Sample } from './samples.ts';

const run = promisify(execFile);
const HOST = 'https://github.com';
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

/** A repository of the corpus at its commit, in a folder of its own. */
export interface Checkout extends AsyncDisposable {
  readonly folder: string;
  /** The app's folder inside it. */
  readonly app: string;
  /** Adds a comment to one file of its source, and commits it. Returns the file. */
  readonly changeOneLine: () => Promise<string>;
}

const AUTHOR = ['-c', 'user.name=corpus', '-c', 'user.email=corpus@example.org', '-c', 'commit.gpgsign=false'];

/** Source files by their ends, those whose change makes most of a build anew first, and a comment in each language. */
const COMMENTS: readonly (readonly [RegExp, string])[] = [
  [/\.(?:tsx|jsx)$/, '// changed'],
  [/\.(?:ts|mts|js|mjs|cjs)$/, '// changed'],
  [/\.(?:vue|astro|html|md)$/, '<!-- changed -->'],
];
const NO_SOURCE =
  /(?:^|\/)(?:node_modules|public|static|assets|tests?|__tests__|vendor|dist)\/|config|\.d\.ts$|\.test\./;

/**
 * Checks a repository of the corpus out, or writes a sample of our own making. A repository is kept in the cache (`$XDG_CACHE_HOME/fairlead/corpus`) once it was fetched:
 * from its address, or from a folder of mirrors, `CORPUS_MIRRORS`, in which it is the bare repository `<owner>+<name>/repo`.
 */
export async function checkout(row: CorpusRow | Sample): Promise<Checkout> {
  const from = 'sample' in row ? null : { kept: await fetched(row), commit: row.commit };
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-corpus-'));
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', ['-C', folder, ...AUTHOR, ...args], { maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  };
  await git('init', '--quiet', '--initial-branch=main');
  if (from !== null) {
    await git('fetch', '--quiet', '--depth=1', from.kept, from.commit);
    await git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  }
  if ('sample' in row) {
    await writeFiles(folder, row.files);
    await git('add', '--all');
    await git('commit', '--quiet', '--no-verify', '--message', 'first');
  }
  const directory = 'sample' in row ? '' : (row.directory ?? '');
  return {
    folder,
    app: join(folder, directory),
    changeOneLine: async () => {
      const paths = (await git('ls-files', '-z', '--', directory === '' ? '.' : directory)).split('\0').filter(Boolean);
      const [file, comment] = toChange(paths);
      await appendFile(join(folder, file), `\n${comment}\n`);
      await git('commit', '--quiet', '--no-verify', '--all', '--message', 'change one line');
      return file;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function writeFiles(folder: string, files: Sample['files']): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
}

function toChange(paths: readonly string[]): readonly [string, string] {
  for (const [pattern, comment] of COMMENTS) {
    const found = paths.find((path) => pattern.test(path) && !NO_SOURCE.test(path));
    if (found !== undefined) return [found, comment];
  }
  throw new Error('none of its files is a source to change');
}

/** The bare repository in the cache, with the commit in it. */
async function fetched({ repository, commit }: CorpusRow): Promise<string> {
  const name = repository.replace('/', '+');
  const kept = join(cacheFolder(process.env), 'corpus', `${name}.git`);
  await mkdir(kept, { recursive: true });
  const git = (...args: string[]) => run('git', ['--git-dir', kept, ...args], { maxBuffer: MAX_OUTPUT_BYTES });
  await run('git', ['init', '--quiet', '--bare', kept]);
  const has = await git('rev-parse', '--quiet', '--verify', `refs/kept/${commit}`).then(
    () => true,
    () => false,
  );
  // The ref is written last: a fetch that broke off is made again.
  if (!has) await git('fetch', '--quiet', '--depth=1', addressOf(repository), `${commit}:refs/kept/${commit}`);
  return kept;
}

function addressOf(repository: string): string {
  const mirrors = process.env.CORPUS_MIRRORS;
  if (mirrors === undefined) return `${HOST}/${repository}`;
  const mirror = join(mirrors, repository.replace('/', '+'), 'repo');
  return existsSync(join(mirror, '.git')) ? join(mirror, '.git') : mirror;
}
