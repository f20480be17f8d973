import { parse } from 'yaml';
import { z } from 'zod';
import { FairleadError } from '../errors.ts';
import { parseJson } from '../parse-json.ts';
import { isInsidePath, joinInside } from './source-path.ts';

/** Lists the names in a folder. */
interface Folders {
  list(folder: string): Promise<readonly string[]>;
}

/** At most so many packages of a monorepo are looked at, and folders so deep for `**`. */
const MAX_PACKAGES = 500;
const MAX_DEPTH = 4;

const patterns = z.array(z.string());
const manifestSchema = z.object({ workspaces: z.union([patterns, z.object({ packages: patterns })]) });
const pnpmSchema = z.object({ packages: patterns });

/**
 * Folders of the packages of a monorepo, by the patterns of `workspaces` in the root's package.json or `packages` in
 * pnpm-workspace.yaml, in the order of their names; empty where there are none.
 */
export async function workspaceFolders(
  tree: Folders,
  texts: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const written = workspacePatterns(texts).map((pattern) => pattern.replace(/^(!?)\.?\/+/, '$1'));
  const wanted = written.filter((pattern) => !pattern.startsWith('!') && isInsidePath(pattern));
  const found = new Set<string>();
  for (const pattern of wanted) {
    for (const folder of await expand(
      tree,
      pattern.split('/').filter((part) => part !== '' && part !== '.'),
      '',
    )) {
      found.add(folder);
    }
  }
  const refused = written.filter((pattern) => pattern.startsWith('!')).map((pattern) => matcher(pattern.slice(1)));
  const kept = [...found].filter((folder) => folder !== '' && !refused.some((pattern) => pattern.test(folder)));
  return kept.sort().slice(0, MAX_PACKAGES);
}

function workspacePatterns(texts: Readonly<Record<string, string>>): readonly string[] {
  const manifest = manifestSchema.safeParse(tolerant(parseJson, texts['package.json'])).data?.workspaces;
  const ofManifest = Array.isArray(manifest) ? manifest : (manifest?.packages ?? []);
  return [...ofManifest, ...(pnpmSchema.safeParse(tolerant(parse, texts['pnpm-workspace.yaml'])).data?.packages ?? [])];
}

/** Of a file that cannot be read the package manager will tell. */
function tolerant(read: (text: string) => unknown, text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : read(text);
  } catch {
    return undefined;
  }
}

/** Folders with a package.json that a pattern matches, from `folder` on. */
async function expand(tree: Folders, [part, ...rest]: readonly string[], folder: string): Promise<readonly string[]> {
  const names = await listOrNone(tree, folder);
  if (part === undefined) return names.includes('package.json') ? [folder] : [];
  if (part === '**') {
    const here = await expand(tree, rest, folder);
    if (folder.split('/').length >= MAX_DEPTH) return here;
    const below = await Promise.all(
      folders(names).map((name) => expand(tree, ['**', ...rest], joinInside(folder, name))),
    );
    return [...here, ...below.flat()];
  }
  const pattern = matcher(part);
  const matching = folders(names).filter((name) => pattern.test(name));
  const found = await Promise.all(matching.map((name) => expand(tree, rest, joinInside(folder, name))));
  return found.flat();
}

/** A link to elsewhere holds no package of this repository. */
async function listOrNone(tree: Folders, folder: string): Promise<readonly string[]> {
  try {
    return await tree.list(folder);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'SOURCE_REFUSED') return [];
    throw error;
  }
}

const folders = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name !== 'node_modules' && !name.startsWith('.')).slice(0, MAX_PACKAGES);

/** `*` stands for anything inside a name, `**` for any folders. */
function matcher(pattern: string): RegExp {
  const words = pattern.replace(/\/+$/, '').split(/(\*+)/);
  const text = words
    .map((word) => (word.startsWith('**') ? '.*' : word === '*' ? '[^/]*' : word.replace(/[^\w-]/g, '\\$&')))
    .join('');
  return new RegExp(`^${text}$`);
}
