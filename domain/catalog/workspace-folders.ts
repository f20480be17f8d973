import { z } from 'zod';
import { FairleadError } from '../errors.ts';
import { parseJson } from '../parse-json.ts';
import { matchesFolder, matchesName, partsOf } from './match-folder.ts';
import { parseSettings } from './parse-settings.ts';
import { isInsidePath, joinInside } from './source-path.ts';

/** Lists the names in a folder. */
interface Folders {
  list(folder: string): Promise<readonly string[]>;
}

/** At most so many packages of a monorepo are looked at, and folders so deep for `**`. */
const MAX_PACKAGES = 500;
const MAX_DEPTH = 4;
/** No monorepo that a person keeps has more of either: the patterns are a stranger's, and may be made to mean everything. */
const MAX_PATTERNS = 100;
const MAX_LOOKS = 3_000;

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
  const look = createLook(tree);
  const found = new Set<string>();
  for (const pattern of wanted) await expand(look, found, withoutRepeats(partsOf(pattern)), '');
  const refused = written.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const kept = [...found].filter((folder) => folder !== '' && !refused.some((one) => matchesFolder(one, folder)));
  return kept.sort().slice(0, MAX_PACKAGES);
}

/** `**` twice in a row means what one does. */
function withoutRepeats(parts: readonly string[]): readonly string[] {
  return parts.filter((part, index) => part !== '**' || parts[index - 1] !== '**');
}

function workspacePatterns(texts: Readonly<Record<string, string>>): readonly string[] {
  const manifest = manifestSchema.safeParse(tolerant(parseJson, texts['package.json'])).data?.workspaces;
  const ofManifest = Array.isArray(manifest) ? manifest : (manifest?.packages ?? []);
  const ofPnpm = pnpmSchema.safeParse(tolerant(parseSettings, texts['pnpm-workspace.yaml'])).data?.packages ?? [];
  return [...ofManifest, ...ofPnpm].slice(0, MAX_PATTERNS);
}

/** Of a file that cannot be read the package manager will tell. */
function tolerant(read: (text: string) => unknown, text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : read(text);
  } catch {
    return undefined;
  }
}

type Look = (folder: string) => Promise<readonly string[]>;

/** Lists each folder once, and no more than {@link MAX_LOOKS} of them. A link to elsewhere holds no package of this repository. */
function createLook(tree: Folders): Look {
  const seen = new Map<string, readonly string[]>();
  return async (folder) => {
    const known = seen.get(folder);
    if (known !== undefined) return known;
    if (seen.size >= MAX_LOOKS) return [];
    const names = await tree.list(folder).catch((error: unknown) => {
      if (error instanceof FairleadError && error.code === 'SOURCE_REFUSED') return [];
      throw error;
    });
    seen.set(folder, names);
    return names;
  };
}

/** Adds the folders with a package.json that a pattern matches, from `folder` on. Each is visited once for each part of the pattern. */
async function expand(
  look: Look,
  found: Set<string>,
  parts: readonly string[],
  folder: string,
  visited: Set<string> = new Set(),
): Promise<void> {
  const [part, ...rest] = parts;
  const visit = `${parts.length} ${folder}`;
  if (visited.has(visit) || visited.size >= MAX_LOOKS) return;
  visited.add(visit);
  const names = await look(folder);
  if (part === undefined) {
    if (names.includes('package.json')) found.add(folder);
    return;
  }
  if (part === '**') await expand(look, found, rest, folder, visited);
  if (part === '**' && folder.split('/').length >= MAX_DEPTH) return;
  const below = part === '**' ? parts : rest;
  for (const name of folders(names)) {
    if (part === '**' || matchesName(part, name)) await expand(look, found, below, joinInside(folder, name), visited);
  }
}

const folders = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name !== 'node_modules' && !name.startsWith('.')).slice(0, MAX_PACKAGES);
