import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProcessEnv } from '../../process/base-env.ts';
import { runProcess } from '../../process/run-process.ts';
import type { RootEntry } from './root-archive.ts';

/** Where stand-ins get their parts: this machine, and its package registries through their ordinary clients. */
export interface PartSource {
  /** Holds what was downloaded once, such as `~/.cache/fairlead`. */
  readonly cacheDirectory: string;
  readonly env: ProcessEnv;
  readonly signal: AbortSignal;
}

/** A folder with the unpacked npm package `name@version`. */
export async function npmPackage(name: string, version: string, source: PartSource): Promise<string> {
  const target = join(source.cacheDirectory, 'stand-ins', `npm-${name}-${version}`);
  await makeOnce(target, async (folder) => {
    await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder], folder, source);
    const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
    if (archive === undefined) throw new Error(`npm pack ${name}@${version} made no archive`);
    await run('tar', ['-xzf', archive, '--no-same-owner'], folder, source);
    await rm(join(folder, archive));
  });
  return join(target, 'package');
}

/** A folder with the unpacked Debian packages, merged. The machine's own installation is not touched. */
export async function debianPackages(label: string, names: readonly string[], source: PartSource): Promise<string> {
  const target = join(source.cacheDirectory, 'stand-ins', `deb-${label}`);
  await makeOnce(target, async (folder) => {
    await run('apt-get', ['download', ...names], folder, source);
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb'))) {
      await run('dpkg', ['-x', file, join(folder, 'root')], folder, source);
      await rm(join(folder, file));
    }
  });
  return join(target, 'root');
}

/** The names and all that they depend on: what an image has that begins with nothing. */
export async function withDependencies(names: readonly string[], source: PartSource): Promise<string[]> {
  const simulated = ['-o', 'Dir::State::status=/dev/null', '--no-install-recommends', '--simulate', 'install'];
  const text = await run('apt-get', [...simulated, ...names], '/', source);
  return [...text.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name).sort();
}

/** Names of the library packages a Debian package depends on. */
export async function libraryDependencies(name: string, source: PartSource): Promise<string[]> {
  const text = await run('apt-cache', ['depends', '--important', name], '/', source);
  const names = [...text.matchAll(/^\s*Depends: ((?:lib|zlib)\S+)$/gm)].map((match) => match[1] ?? '');
  return names.filter((library) => library !== '' && library !== 'libc6');
}

/** The libraries a program needs, each at the path its loader looks for it. `folders` are searched before the machine's. */
export async function libraryEntries(
  program: string,
  source: PartSource,
  folders: readonly string[] = [],
): Promise<RootEntry[]> {
  const env = { ...source.env, LD_LIBRARY_PATH: folders.join(':') };
  const { stdout, stderr, exitCode } = await runProcess('ldd', [program], { env, signal: source.signal });
  if (exitCode !== 0) {
    if (/not a dynamic executable/.test(stdout + stderr)) return [];
    throw new Error(`ldd ${program} failed: ${stderr.trim()}`);
  }
  const missing = /^\s*(\S+) => not found/m.exec(stdout);
  if (missing) throw new Error(`${program} needs ${missing[1]}, which this machine does not have`);
  const entries: RootEntry[] = [];
  for (const match of stdout.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)) {
    const found = match[1] ?? '';
    const root = folders.find((folder) => found.startsWith(`${folder}/`));
    const path = root === undefined ? found : join('/usr/lib', found.slice(root.length));
    entries.push({ path: path.slice(1), kind: 'file', from: await realpath(found), mode: 0o755 });
  }
  return entries;
}

/** Runs a command and returns its standard output. @throws Error with the last line of its errors */
export async function run(command: string, args: readonly string[], cwd: string, source: PartSource): Promise<string> {
  const { exitCode, stdout, stderr } = await runProcess(command, args, { cwd, env: source.env, signal: source.signal });
  if (exitCode === 0) return stdout;
  const reason = stderr.trim().split('\n').at(-1) ?? '';
  throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed: ${reason}`);
}

/** Fills a folder beside the target and renames it into place, so that a half-made one is never seen. */
async function makeOnce(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}.`);
  try {
    await fill(folder);
    await rename(folder, target).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster: its folder has the same content.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
