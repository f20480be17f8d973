import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import { expandScript } from './expand-scripts.ts';

const NAMES = ['server', 'index', 'app', 'main'];
const ENTRY_FILES = [
  ...['.js', '.mjs', '.cjs'].flatMap((ending) => NAMES.map((name) => name + ending)),
  'bin/www',
  ...NAMES.map((name) => `dist/${name}.js`),
  ...NAMES.map((name) => `src/${name}.js`),
  ...['', 'src/'].flatMap((folder) => NAMES.flatMap((name) => [`${folder}${name}.ts`, `${folder}${name}.tsx`])),
];

/** What runs TypeScript as it is, where the app has it; Node.js itself does for all but a few features of the language. */
const TYPESCRIPT_RUNNERS = ['tsx', 'ts-node'];

/** Scripts for development, which name the app's entry file. */
const DEVELOPMENT_SCRIPTS = ['dev', 'develop', 'start:dev', 'watch'];

/** What the build of a framework for whole sites makes where it makes a server, by the package that has it do so. */
const BUILT_SERVERS: readonly (readonly [string, string])[] = [
  ['@astrojs/node', 'dist/server/entry.mjs'],
  ['@sveltejs/adapter-node', 'build/index.js'],
  ['@sveltejs/adapter-auto', 'build/index.js'],
  ['nuxt', '.output/server/index.mjs'],
];

/** The command that starts the file by which an app begins, for an app without a start script; null when there is none. */
export function entryFile(manifest: Manifest, { files }: AppSource): Choice<readonly string[]> | null {
  const built = BUILT_SERVERS.find(([name]) => manifest.dependencies.has(name));
  if (built !== undefined) return { value: ['node', built[1]], reason: `${built[0]} builds it` };
  const main = mainFile(manifest, files);
  if (main !== null) return { value: runner(main, manifest), reason: 'main in package.json names it' };
  const [developed] = DEVELOPMENT_SCRIPTS.flatMap((name) => fileOfScript(name, manifest.scripts));
  if (developed !== undefined) {
    const { file, byBun } = developed;
    return { value: byBun ? ['bun', file] : runner(file, manifest), reason: 'the script for development starts it' };
  }
  const usual = ENTRY_FILES.find((file) => files.includes(file) && isRunnable(file, manifest));
  if (usual !== undefined) return { value: runner(usual, manifest), reason: 'the usual entry file' };
  // It may lie where nobody looked.
  if (manifest.main?.includes('/') !== true) return null;
  return { value: runner(manifest.main, manifest), reason: 'main in package.json names it' };
}

/** `main`, when it is there or the build makes it. `npm init` writes `index.js` for an app that has none. */
function mainFile({ main, scripts }: Manifest, files: readonly string[]): string | null {
  if (main === null) return null;
  const path = main.replace(/^\.\//, '');
  const isCode = (file: string): boolean => /\.[cm]?[jt]s$|\/www$/.test(file);
  const found = [path, `${path}.js`, `${path}/index.js`].find((file) => files.includes(file) && isCode(file));
  if (found !== undefined) return found;
  const isMade = path.includes('/') && !files.includes(path.split('/')[0] ?? '') && scripts.build !== undefined;
  return isMade ? path : null;
}

/** A program that runs a file of the app, in its first group, before what it is given. */
const RUNS_FILE = /^(?:[^\s=]+=\S+ )*(?:cross-env |dotenv |env-cmd )?(node|nodemon|tsx|ts-node|ts-node-dev|tsnd|bun)\b/;

/** The one file that a script such as `tsx watch src/index.ts`, `nodemon app.js` or `bun --hot app.ts` names. */
function fileOfScript(name: string, scripts: Manifest['scripts']): readonly { file: string; byBun: boolean }[] {
  const script = expandScript(name, scripts)?.at(-1)?.text ?? '';
  const [command = ''] = script.split(/[&;|]/);
  const program = RUNS_FILE.exec(command)?.[1];
  const file = command.split(/\s+/).find((word) => /^[\w./-]+\.[cm]?[jt]sx?$/.test(word));
  return program === undefined || file === undefined ? [] : [{ file, byBun: program === 'bun' }];
}

/** Types of what only Bun has: an app with them is made for it. */
const OF_BUN = ['@types/bun', 'bun-types'];

function runner(file: string, { dependencies }: Manifest): readonly string[] {
  if (OF_BUN.some((name) => dependencies.has(name))) return ['bun', file];
  const found = /\.[cm]?tsx?$/.test(file) ? TYPESCRIPT_RUNNERS.find((name) => dependencies.has(name)) : undefined;
  return [found ?? 'node', file];
}

/** Node.js runs no JSX. */
function isRunnable(file: string, manifest: Manifest): boolean {
  return !file.endsWith('x') || runner(file, manifest)[0] !== 'node';
}
