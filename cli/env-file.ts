import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MANIFEST } from '../domain/catalog/app-source.ts';
import { readManifest } from '../domain/catalog/read-manifest.ts';
import { envFileLine } from '../domain/config/env-file.ts';
import { usageFailure } from './cli-failure.ts';
import { confirm } from './confirm.ts';
import type { CliContext } from './context.ts';
import { readOptional } from './project.ts';
import { runGit } from './run-git.ts';

export interface EnvFile {
  readonly service: string;
  /** As typed: it starts at the folder of the command. */
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

const OWN_FILE = '# Written by `fairlead config pull`';

/**
 * Writes values into a file that only its owner reads, whole or not at all. A file that this wrote earlier is replaced;
 * another one only when that is agreed to.
 * @returns the path as it was typed. @throws CliFailure with exit `usage` or `interrupted`
 */
export async function writeEnvFile(
  context: CliContext,
  { service, path, values }: EnvFile,
  options: { readonly yes?: boolean },
): Promise<string> {
  const target = resolve(context.cwd, path);
  if (!mayReplace(target)) {
    await confirm(context, options, {
      text: `${path} exists and is replaced as a whole.`,
      command: `config pull --service ${service} --file ${path}`,
    });
  }
  const reader = { expands: expandsVariables(dirname(target)) };
  const lines = Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => envFileLine(name, value, reader));
  const head = `${OWN_FILE}: values of ${service}, secrets in clear. Keep it out of git.\n`;
  await replaceFile(target, path, head + lines.join(''));
  if (await isTrackable(target)) {
    context.output.note(`git does not ignore ${path}, and it holds secrets: add it to .gitignore.`);
  }
  return path;
}

function mayReplace(target: string): boolean {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return true;
  return found.isFile() && readFileSync(target, 'utf8').startsWith(OWN_FILE);
}

/** What a kill leaves of it is no more uploaded than the file, and git ignores it where `.env*` or `.env*.local` is. */
export function draftOf(target: string): string {
  return `${target}.${randomUUID()}.local`;
}

async function replaceFile(target: string, path: string, content: string): Promise<void> {
  const draft = draftOf(target);
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw usageFailure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

/** Packages that replace `$NAME` in the values of such a file. */
const EXPANDING: ReadonlySet<string> = new Set([
  'next',
  'vite',
  'astro',
  'react-scripts',
  'gatsby',
  'nuxt',
  'dotenv-expand',
]);

function expandsVariables(folder: string): boolean {
  const { dependencies } = readManifest(readOptional(join(folder, MANIFEST)), []);
  return [...dependencies].some((name) => EXPANDING.has(name));
}

/** True in a repository that would take the file with `git add .`. */
async function isTrackable(target: string): Promise<boolean> {
  try {
    return (
      (await runGit(dirname(target), [
        'ls-files',
        '--others',
        '--cached',
        '--exclude-standard',
        '--',
        basename(target),
      ])) !== ''
    );
  } catch {
    // No repository, or no git: then nothing takes it.
    return false;
  }
}
