import type { FailureClass } from './failure-class.ts';

/** How each package manager refuses a lockfile that does not hold what package.json asks for. */
const OUT_OF_STEP =
  /(`npm ci` can only install packages when)|(Your lockfile needs to be updated|YN0028)|(ERR_PNPM_OUTDATED_LOCKFILE)|(lockfile had changes, but lockfile is frozen)/;

const REMADE_BY = [
  '`npm install`, and commit package-lock.json',
  '`yarn install`, and commit yarn.lock',
  '`pnpm install`, and commit pnpm-lock.yaml',
  '`bun install`, and commit bun.lock',
];

/** What a compiler says of what it lacks. */
const MISSING =
  /(fatal error: [^\s\p{C}]{1,200}: No such file or directory)|(Package '?[\w.+-]{1,200}'?,? (?:required by [^\s\p{C}]{1,200} ?, not found|was not found))|(find Python[\x20-\x7e]{0,40}not found|not found: make)/u;

/** Packages that hold a program for one kind of machine, as they name it. */
const OF_MACHINE = String.raw`(@?[\w-]{1,80}(?:/[\w.-]{1,80})?[./-](?:linux|linuxmusl)-?(?:x64|arm64|64)(?:-(?:gnu|musl))?)`;

/** A module that looks for its compiled program where an install script would have put it: the name of its package. */
const NOT_COMPILED =
  /(?:Could not locate the bindings file[\s\S]{0,400}?|Cannot find module '[^'\s\p{C}]{0,300}?)\/node_modules\/(?!\.)((?:@[\w.-]{1,100}\/)?[\w-][\w.-]{0,99})\/[\w./-]{1,200}\.node\b/u;

/** Yarn 1, npm and pnpm, of a package that refuses the Node.js it is installed on: its range, or the package. */
const REFUSED_ENGINE =
  /The engine "node" is incompatible with this module\. Expected version "([^"\p{C}]{1,200})"|Not compatible with your version of node\/npm: ([\w@./-]{1,200})|code EBADENGINE|ERR_PNPM_UNSUPPORTED_ENGINE/u;

/** A package manager that failed, and a native module that cannot be compiled or loaded. */
export const INSTALL_FAILURES: readonly FailureClass[] = [
  {
    printed: OUT_OF_STEP,
    remedies: {
      build: ([, ...found]) =>
        `The lockfile is out of step with package.json: run ${REMADE_BY[found.findIndex((one) => one !== undefined)]}.`,
    },
  },
  {
    printed: /\bERESOLVE\b|unable to resolve dependency tree/,
    remedies: {
      build: () =>
        'Packages ask for versions of one another that do not fit: change them in package.json until `npm install` ends without an error, or put legacy-peer-deps=true into .npmrc; commit that, and package-lock.json.',
    },
  },
  {
    printed: /ENOENT: no such file or directory, open '(?:\/app\/)?([\w@./+-]{1,200}\.(?:tgz|tar\.gz|tar))'/,
    remedies: {
      build: ([, path]) =>
        `The packed package ${path}, which package.json or the lockfile names, is not in the repository: commit it, and take it out of .gitignore and .dockerignore where they name it.`,
    },
  },
  {
    printed: /Unsupported URL Type "(workspace|catalog|link|portal|patch):"/,
    remedies: {
      build: ([, protocol]) =>
        `npm knows no versions that begin with ${protocol}:, which other package managers have: name yours in packageManager of package.json, such as pnpm@10.20.0, and commit its lockfile.`,
    },
  },
  {
    printed: REFUSED_ENGINE,
    remedies: {
      build: ([, range, name]) =>
        `${name ?? 'A package'} refuses the Node.js that engines.node of package.json asks for${range === undefined ? '' : `, and wants ${range}`}: ask for another one there, or update the package.`,
    },
  },
  {
    printed: /gyp ERR! cwd \S*\/node_modules\/((?:@[\w.-]{1,200}\/)?[\w.-]{1,200})(?=[/\s]|$)/,
    remedies: {
      build: ({ 1: name, input }) =>
        `The native module ${name} could not be compiled (${MISSING.exec(input)?.[0] ?? 'see the errors of its compiler below'}): update it to a version that supports this Node.js, choose another one in engines.node, or name a Dockerfile that installs what it needs in platform.io/dockerfile.`,
    },
  },
  {
    printed: /binaries\.prisma\.sh/,
    remedies: {
      build: () =>
        'Prisma could not download its engines, which all its versions need to make the client, because the build did not reach binaries.prisma.sh: let the operator open that host to builds (BUILD_EGRESS=public, or its name in BUILD_REGISTRIES).',
    },
  },
  {
    printed: new RegExp(
      String.raw`Could not load the "sharp" module|Cannot find (?:module|native binding)[^\n]{0,80}?${OF_MACHINE}|The package "${OF_MACHINE}" could not be found|Failed to load SWC binary for linux`,
    ),
    remedies: Object.fromEntries(
      (['build', 'start'] as const).map((at) => [
        at,
        ([said, ...names]: RegExpExecArray) =>
          `${names.find((name) => name !== undefined) ?? (said?.includes('sharp') ? 'The program of sharp for Linux' : 'The program of @swc/core for Linux')} is missing, because the lockfile names only what another system needs, or optional packages are left out: delete node_modules and the lockfile, install again, and commit the new lockfile.`,
      ]),
    ),
  },
  {
    printed: NOT_COMPILED,
    remedies: {
      start: ([, name]) =>
        `The native module ${name} has no program, because its install script did not run: name it in onlyBuiltDependencies of pnpm or trustedDependencies of bun, and leave ignore-scripts out of the settings of npm and yarn.`,
    },
  },
  {
    printed: /(lib[\w.+-]+\.so[\w.]*): cannot open shared object file|version `(GLIBC\w*_[\d.]+)' not found/,
    remedies: {
      start: ([, library, version]) =>
        `A native module needs ${library ?? version}, which the image lacks: update the module, or name a Dockerfile that installs it in platform.io/dockerfile.`,
    },
  },
  {
    printed: /was compiled against a different Node\.js version|invalid ELF header|Exec format error/,
    remedies: {
      start: () =>
        'A native module was made for another Node.js or machine: leave node_modules out of the repository, so that it is installed in the image.',
    },
  },
];
