import { FRAMEWORK_PACKAGES } from './framework-packages.ts';
import { WITHOUT_MD4 } from './legacy-openssl.ts';
import { DECIDING_NATIVE_PACKAGES } from './native-packages.ts';

/** The beginning tells the format, and which package manager wrote it. */
const BEGINNING = 4_096;

/** Packages whose presence or version decides something. */
const DECIDING = new Set([
  ...DECIDING_NATIVE_PACKAGES,
  ...Object.keys(WITHOUT_MD4),
  ...Object.values(FRAMEWORK_PACKAGES),
]);

/** What marks a lockfile of which yarn's own patches are a part: then every package of package.json decides. */
const PATCH_OF_YARN = 'builtin<compat/';

/** The line by which the entry of a package begins, as npm and bun, yarn, and pnpm write it, with its path or name in a group. */
const ENTRY =
  /^(?:\s+"([^"]+)": (?:\{\r?$|\[")|"?((?:@[^@/\s"]+\/)?[^@/\s"#]+)@| {2}'?\/?((?:@[^@/\s']+\/)?[^@/\s':]+)[@/])/;
/** By which npm names the place of a package, in that of another one or not. */
const PACKAGES = 'node_modules/';
const VERSION = /^\s+"?version\b/;

/**
 * What the rules of this folder read of a lockfile, in its own format: its beginning, and the entries of the packages that
 * decide something. Of a lockfile of megabytes some kilobytes, from which the same is concluded as from all of it.
 * @param wanted names in the manifests of the source
 */
export function lockExcerpt(text: string, wanted: Iterable<string>): string {
  if (text.length <= BEGINNING) return text;
  const names = text.includes(PATCH_OF_YARN) ? new Set([...DECIDING, ...wanted]) : DECIDING;
  // A first line that is longer is cut.
  const end = text.lastIndexOf('\n', BEGINNING) + 1 || BEGINNING;
  const beginning = text.slice(0, end);
  const kept: string[] = [];
  let isEntry = isOf(beginning.split('\n').at(-2) ?? '', names);
  for (const line of text.slice(end).split('\n')) {
    const isVersion: boolean = isEntry && VERSION.test(line);
    isEntry = isOf(line, names);
    if (isEntry || isVersion) kept.push(withoutRest(line));
  }
  return `${beginning}${kept.join('\n')}\n`;
}

function isOf(line: string, names: ReadonlySet<string>): boolean {
  if (line.includes(PATCH_OF_YARN)) return true;
  const path = ENTRY.exec(line)
    ?.slice(1)
    .find((group) => group !== undefined);
  if (path === undefined) return false;
  const folder = path.lastIndexOf(PACKAGES);
  return names.has(folder === -1 ? path : path.slice(folder + PACKAGES.length));
}

/** Bun writes an entry with all that belongs to it in one line. */
function withoutRest(line: string): string {
  return /^\s+"[^"]+": \["[^"]+",/.exec(line)?.[0] ?? line;
}
