import type { Manifest } from '../../catalog/read-manifest.ts';
import { programOf, withoutVariables } from './command-chain.ts';

/** Programs that are not called as the package they come with. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  babel: '@babel/cli',
  'babel-node': '@babel/node',
  biome: '@biomejs/biome',
  conc: 'concurrently',
  docusaurus: '@docusaurus/core',
  dotenv: 'dotenv-cli',
  eleventy: '@11ty/eleventy',
  fastify: 'fastify-cli',
  medusa: '@medusajs/cli',
  nest: '@nestjs/cli',
  ng: '@angular/cli',
  'pm2-runtime': 'pm2',
  'pm2-docker': 'pm2',
  'react-router': '@react-router/dev',
  'react-router-serve': '@react-router/serve',
  remix: '@remix-run/dev',
  'remix-serve': '@remix-run/serve',
  'run-p': 'npm-run-all',
  'run-s': 'npm-run-all',
  sequelize: 'sequelize-cli',
  swc: '@swc/cli',
  tsc: 'typescript',
  tsnd: 'ts-node-dev',
  'vue-cli-service': '@vue/cli-service',
};

/** Programs that only set something up for the command that follows their own words. */
const WRAPPERS = new Set([
  'cross-env',
  'cross-env-shell',
  'dotenv',
  'dotenvx',
  'env-cmd',
  'env',
  'exec',
  'npx',
  'heroku-config',
]);

/** Words that name a module for Node.js to load. */
const LOADS = /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=(.+))?$/;

/** What makes files of other files; a subcommand counts where the program does other things as well. */
const BUILDERS =
  /^(?:tsc|tsc-alias|tsup|tsdown|swc|babel|rollup|esbuild|unbuild|pkgroll|rimraf|del-cli|copyfiles|cpx|cpy|cp|mkdir|mkdirp|shx|ncc|node-sass|sass|postcss|tailwindcss|gulp)$|^(?:next|vite|nest|astro|react-scripts|ng|nuxt|nuxi|webpack|prisma|remix|react-router|parcel|gatsby|vue-cli-service|docusaurus) (?:build|generate)$|^(?:webpack|webpack-cli|rm|eleventy)$/;

/** Names of scripts that build. */
const BUILD_SCRIPT = /^(?:pre|post)?(?:build|compile|bundle|transpile|clean|tsc)(?:$|[:_-])/;

/** Names of the packages whose programs, or modules to load, a command needs. */
export function packagesOf(words: readonly string[], manifest: Manifest): readonly string[] {
  const rest = withoutVariables(words);
  const program = programOf(rest);
  if (program === null) return [];
  const inner = WRAPPERS.has(program) ? packagesOf(rest.slice(afterOptions(rest)), manifest) : [];
  const loaded = rest.flatMap((word, index) => {
    const match = LOADS.exec(word);
    return match === null ? [] : [packageOfModule(match[1] ?? rest[index + 1] ?? '')];
  });
  return [...providersOf(program, manifest), ...loaded, ...inner];
}

/** True for a command that makes the files that a later one starts. */
export function isBuild(words: readonly string[], through: readonly string[]): boolean {
  if (words.some((word) => /^(?:-w|--watch|serve|dev)$/.test(word))) return false;
  if (through.some((name) => BUILD_SCRIPT.test(name))) return true;
  const rest = withoutVariables(words);
  const program = programOf(rest);
  if (program === null) return false;
  if (WRAPPERS.has(program)) return isBuild(rest.slice(afterOptions(rest)), []);
  return BUILDERS.test(program) || BUILDERS.test(`${program} ${rest[1] ?? ''}`);
}

function afterOptions(words: readonly string[]): number {
  const end = words.findIndex(
    (word, index) => index > 0 && !/^-|^[A-Za-z_]\w*=/.test(word) && !/^-[ef]$/.test(words[index - 1] ?? ''),
  );
  return end < 0 ? words.length : end;
}

/** The dependencies that may provide a program: of its own name, of the name in the table, or of a scope. */
function providersOf(program: string, { dependencies }: Manifest): readonly string[] {
  const named = [PACKAGE_OF[program], program].filter((name) => name !== undefined);
  const known = named.filter((name) => dependencies.has(name));
  if (program === 'run-s' || program === 'run-p')
    known.push(...['npm-run-all2'].filter((name) => dependencies.has(name)));
  if (known.length > 0 || program === 'node') return known;
  return [...dependencies].filter((name) => name.endsWith(`/${program}`) && !name.startsWith('@types/'));
}

function packageOfModule(module: string): string {
  const parts = module.split('/');
  return parts.slice(0, module.startsWith('@') ? 2 : 1).join('/');
}
