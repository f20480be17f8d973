import { type AppSource, LOCKFILES } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';

/** Packages that are compiled with the app where they bring no program for it, or that need a library of the full image. */
const COMPILED: readonly string[] = [
  ...['argon2', 'bcrypt', 'better-sqlite3', 'canvas', 'couchbase', 'cpu-features', 'deasync', 'farmhash', 'heapdump'],
  ...['iconv', 'isolated-vm', 'kerberos', 'leveldown', 'libpq', 'libxmljs', 'libxmljs2', 'node-expat', 'node-pty'],
  ...['node-rdkafka', 'node-sass', 'nodegit', 'pg-native', 're2', 'serialport', 'snappy', 'sodium-native', 'sqlite3'],
  ...['tree-sitter', 'usb', 'zeromq'],
];

/** What such packages are compiled with, or look for a prebuilt program with; named in lockfiles. */
const TOOLS: readonly string[] = [
  ...['@mapbox/node-pre-gyp', 'cmake-js', 'cmake-ts', 'install-artifact-from-github', 'nan', 'neon-cli'],
  ...['node-addon-api', 'node-gyp', 'node-pre-gyp', 'prebuild-install', 'prebuildify'],
];

/** Its engines need OpenSSL, which the slim image lacks. */
const PRISMA: readonly string[] = ['prisma', '@prisma/client'];

/** All of them. */
export const DECIDING_NATIVE_PACKAGES = [...COMPILED, ...TOOLS, ...PRISMA];

/** The entry of one of them in the lockfiles of npm (now and before 7), yarn, pnpm and bun; not where it is only wished for. */
const ENTRY = (() => {
  const name = `(${DECIDING_NATIVE_PACKAGES.map((one) => one.replaceAll('/', '\\/')).join('|')})`;
  const forms = [
    `node_modules\\/${name}": \\{`,
    `^ +"${name}": \\{\\s+"version"`,
    `^"?${name}@`,
    `^ {2}'?\\/?${name}[@/]`,
    `^ +"${name}": \\["`,
  ];
  return new RegExp(forms.join('|'), 'gm');
})();

/**
 * Names of the packages for which an app is built on the image with compilers, those that are compiled before what they
 * are compiled with; empty where none needs it. A name too many costs a larger image of the build stage and no more.
 */
export function nativePackages({ texts }: AppSource, { dependencies }: Manifest): readonly string[] {
  const found = new Set(dependencies);
  for (const file of LOCKFILES) {
    // One match after the other: a lockfile may have any number of them.
    for (const [, ...names] of (texts[file] ?? '').matchAll(ENTRY)) {
      for (const name of names) if (name !== undefined) found.add(name);
    }
  }
  const packages = [...COMPILED, ...PRISMA].filter((name) => found.has(name));
  return packages.length > 0 ? packages : TOOLS.filter((name) => found.has(name));
}
