import { readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../domain/parse-json.ts';
import { serviceNameSchema } from '../domain/service-name.ts';
import { usageFailure } from './cli-failure.ts';
import { repositoryName } from './git-files.ts';
import { runGit, withoutFilters } from './run-git.ts';

/** What `fairlead deploy [source]` was given. */
export type Source =
  | { readonly kind: 'git'; readonly url: string }
  | { readonly kind: 'folder'; readonly folder: string };

/** A git address, or a folder that exists, seen from `cwd`. @throws CliFailure with exit `usage` */
export function readSource(given: string, cwd: string): Source {
  if (/^(https?|ssh|git|file):\/\//.test(given) || /^[\w.-]+@[\w.-]+:/.test(given)) return { kind: 'git', url: given };
  const folder = resolve(cwd, given);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return { kind: 'folder', folder };
  throw usageFailure(
    found === undefined ? `There is no folder ${folder}.` : `${folder} is not a folder.`,
    'Name a folder, or a git address such as https://host/org/repository.',
  );
}

/** The name a git address suggests for its service: the repository's own. @throws CliFailure with exit `usage` */
export function nameFromGitUrl(url: string): string {
  const last = url.replace(/[/]+$/, '').split(/[/:]/).at(-1) ?? '';
  return dnsLabel(last.replace(/\.git$/, ''), url);
}

const catalogHead = z.looseObject({ metadata: z.looseObject({ name: z.string().min(1) }) });
const manifestHead = z.looseObject({ name: z.string().min(1) });

/**
 * The service name of a folder: `metadata.name` of its catalog file, else the given name, else that of the repository
 * whose top it is, else the folder's own, else the manifest's. @throws CliFailure when the given name contradicts the catalog, or no name can be made
 */
export async function nameFromFolder(folder: string, given: string | undefined): Promise<string> {
  const catalog = await readCatalogName(folder);
  if (catalog !== null && given !== undefined && given !== catalog) {
    throw usageFailure(
      `catalog-info.yaml names the service ${catalog}, --name says ${given}.`,
      'Leave --name out, or change metadata.name.',
    );
  }
  if (catalog !== null) return catalog;
  if (given !== undefined) return checkName(given);
  const names = [await repositoryName(folder), basename(folder), readManifestName(folder)];
  const usable = names.find((name) => name !== null && toLabel(name) !== '');
  return dnsLabel(usable ?? '', folder);
}

/** A name that was typed: refused rather than changed. @throws CliFailure with exit `usage` */
export function checkName(name: string): string {
  if (serviceNameSchema.safeParse(name).success) return name;
  throw usageFailure(
    `${name} cannot be a service name.`,
    'It becomes a host name: 1 to 40 lower-case letters, digits and inner dashes.',
  );
}

/** Makes a DNS label of at most 40 characters: `@acme/Web_Shop` becomes `web-shop`. */
export function dnsLabel(text: string, origin: string): string {
  const label = toLabel(text);
  if (label !== '') return label;
  throw usageFailure(`No service name can be derived from ${origin}.`, 'Set it with --name.');
}

function toLabel(text: string): string {
  return text
    .replace(/^@[^/]*\//, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
}

export interface LocalRepository {
  /** Absolute path of the repository's top folder. */
  readonly url: string;
  readonly commit: string;
  /** Null when HEAD is detached. */
  readonly branch: string | null;
  /** Where the folder is inside the repository; null at its top. */
  readonly appPath: string | null;
  readonly uncommitted: number;
}

/** The git repository that a folder is in, at its HEAD. @throws CliFailure with exit `usage` */
export async function readLocalRepository(folder: string): Promise<LocalRepository> {
  const git = async (...args: string[]): Promise<string> => (await runGit(folder, args)).trim();
  try {
    const url = await git('rev-parse', '--show-toplevel');
    const prefix = (await git('rev-parse', '--show-prefix')).replace(/\/$/, '');
    const branch = await git('rev-parse', '--abbrev-ref', 'HEAD');
    // Changes inside a submodule are not looked for: git would run what the submodule's configuration names.
    const status = ['status', '--porcelain', '--no-renames', '--ignore-submodules=dirty'];
    const changes = (await runGit(folder, status, '', await withoutFilters(folder))).trim();
    return {
      url,
      commit: await git('rev-parse', 'HEAD'),
      branch: branch === 'HEAD' ? null : branch,
      appPath: prefix === '' ? null : prefix,
      uncommitted: changes === '' ? 0 : changes.split('\n').length,
    };
  } catch (cause) {
    const text =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n')[0] : String(cause);
    throw usageFailure(`${folder} is not a git repository with a commit: ${text}`, 'Commit first, or leave --git out.');
  }
}

/** How many commits a folder's HEAD is ahead of a commit; 0 where it is not known there, or is no ancestor. */
export async function commitsSince(folder: string, commit: string): Promise<number> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return 0;
  try {
    await runGit(folder, ['merge-base', '--is-ancestor', commit, 'HEAD']);
    return Number((await runGit(folder, ['rev-list', '--count', `${commit}..HEAD`])).trim());
  } catch {
    // No repository, another one, or a commit that it has not.
    return 0;
  }
}

/** The address of a folder's `origin`; null when it has none. */
export async function readGitRemote(folder: string): Promise<string | null> {
  try {
    return (await runGit(folder, ['remote', 'get-url', 'origin'])).trim() || null;
  } catch {
    // No repository, or none named origin: both mean that there is no address.
    return null;
  }
}

async function readCatalogName(folder: string): Promise<string | null> {
  const text = readOptional(join(folder, 'catalog-info.yaml'));
  if (text === null) return null;
  // Loaded for a folder with such a file: no other command waits for it.
  const { parse } = await import('yaml');
  let document: unknown;
  try {
    document = parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw usageFailure(`catalog-info.yaml cannot be read: ${message}`, 'Correct the file.');
  }
  const head = catalogHead.safeParse(document);
  return head.success ? checkName(head.data.metadata.name) : null;
}

function readManifestName(folder: string): string | null {
  const text = readOptional(join(folder, 'package.json'));
  // The build says what is wrong with a manifest; here it only gives no name.
  return text === null ? null : (manifestHead.safeParse(parseJson(text)).data?.name ?? null);
}

/** Text of a file; null where there is none. */
export function readOptional(path: string): string | null {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : null;
}
