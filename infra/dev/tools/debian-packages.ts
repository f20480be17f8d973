import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runProgram } from './run-program.ts';

/** Where packages lie below the folder of a tool. */
const ROOT = 'root';
/** The C library is the machine's: one of another version serves no program of it. */
const OF_MACHINE = /^libc6/;
/** Names and versions of what was unpacked into a folder. */
const LIST = 'packages.json';
/** What apt says is read, so it says it in English. */
const ENGLISH = { LC_ALL: 'C' };
const LOOK_MS = 10_000;
const DOWNLOAD_MS = 300_000;

/** Unpacks Debian's packages of these names into `root` of a folder; nothing is installed. @throws Error where apt knows one not */
export async function unpackDebianPackages(folder: string, names: readonly string[]): Promise<void> {
  const wanted = [...new Set(names)].filter((name) => !OF_MACHINE.test(name));
  await runProgram('apt-get', ['download', ...wanted], { cwd: folder, timeoutMs: DOWNLOAD_MS });
  const versions: Record<string, string> = {};
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb'))) {
    await runProgram('dpkg', ['-x', join(folder, file), join(folder, ROOT)]);
    await rm(join(folder, file));
    const [name = '', version = ''] = file.split('_');
    versions[name] = decodeURIComponent(version);
  }
  await writeFile(join(folder, LIST), JSON.stringify(versions));
}

/** Versions of what was unpacked into a folder, by name; none for a folder of before, which has no list; null for another folder. */
async function unpackedVersions(folder: string): Promise<Readonly<Record<string, string>> | null> {
  if (!(await readdir(folder)).includes(ROOT)) return null;
  const text = await readFile(join(folder, LIST), 'utf8').catch(() => '{}');
  return z.record(z.string(), z.string()).parse(JSON.parse(text));
}

/** Names in a folder of what was unpacked. @param path as installed, such as `/usr/lib/postgresql` */
export function unpackedFiles(folder: string, path: string): Promise<string[]> {
  return readdir(join(folder, ROOT, path));
}

/** The version of a program's package in a folder, such as `redis-server 5:7.0.15-1~deb12u7`; null where it is of no package. */
export async function unpackedRelease(folder: string, name: RegExp): Promise<string | null> {
  const versions = await unpackedVersions(folder);
  if (versions === null) return null;
  const [found] = Object.entries(versions).filter(([one]) => name.test(one));
  return found === undefined ? 'Debian package of an unknown version' : `Debian package ${found.join(' ')}`;
}

/**
 * What apt, by its lists of packages on this machine, would download in place of what was unpacked into a folder; null for
 * nothing newer. Asks nobody on the network. @throws Error where there is no apt
 */
export async function newerDebianPackages(folder: string): Promise<string | null> {
  const versions = await unpackedVersions(folder);
  if (versions === null) return null;
  const names = Object.keys(versions);
  if (names.length === 0) return 'packages of a known version';
  const text = await runProgram('apt-cache', ['policy', ...names], { env: ENGLISH, timeoutMs: LOOK_MS });
  const newer: string[] = [];
  for (const [, name = '', candidate = ''] of text.matchAll(/^(\S+):\n.*\n {2}Candidate: (\S+)$/gm)) {
    const unpacked = versions[name];
    if (unpacked === undefined || candidate === '(none)') continue;
    const isNewer = runProgram('dpkg', ['--compare-versions', candidate, 'gt', unpacked], { timeoutMs: LOOK_MS });
    if (
      await isNewer.then(
        () => true,
        () => false,
      )
    )
      newer.push(`${name} ${candidate}`);
  }
  return newer.length === 0 ? null : newer.join(', ');
}

/** Names of packages that these depend on, of those that match. */
export async function dependenciesOf(packages: readonly string[], pattern: RegExp): Promise<string[]> {
  const found = packages.map(async (name) => {
    const text = await runProgram('apt-cache', ['depends', '--important', name], { env: ENGLISH });
    return [...text.matchAll(/^\s*Depends: (\S+)$/gm)].map(([, dependency = '']) => dependency);
  });
  return (await Promise.all(found)).flat().filter((name) => pattern.test(name));
}

/**
 * Writes the executable that runs an unpacked program with the libraries unpacked beside it.
 * @param program its path in the packages, such as `usr/bin/redis-server`
 */
export async function writeUnpackedLauncher(folder: string, name: string, program: string): Promise<void> {
  // The folder is renamed once it is whole: the launcher finds itself.
  const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$(echo "$here"/${ROOT}/usr/lib/*-linux-*) exec "$here/${ROOT}/${program}" "$@"
`;
  await writeFile(join(folder, name), launcher);
  await chmod(join(folder, name), 0o755);
}
