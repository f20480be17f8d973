import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** Where packages lie below the folder of a tool. */
const ROOT = 'root';
/** The C library is the machine's: one of another version serves no program of it. */
const OF_MACHINE = /^libc6/;

/** Unpacks Debian's packages of these names into `root` of a folder; nothing is installed. @throws Error where apt knows one not */
export async function unpackDebianPackages(folder: string, names: readonly string[]): Promise<void> {
  const wanted = [...new Set(names)].filter((name) => !OF_MACHINE.test(name));
  await runProgram('apt-get', ['download', ...wanted], { cwd: folder });
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb'))) {
    await runProgram('dpkg', ['-x', join(folder, file), join(folder, ROOT)]);
    await rm(join(folder, file));
  }
}

/** Names of packages that these depend on, of those that match. */
export async function dependenciesOf(packages: readonly string[], pattern: RegExp): Promise<string[]> {
  const found = packages.map(async (name) => {
    const text = await runProgram('apt-cache', ['depends', '--important', name]);
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
