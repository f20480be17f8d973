import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { projectRoot } from './project.ts';
import { runProgram } from './tools/run-program.ts';

export const SDK_NAME = '@fairlead/sdk';

const manifestSchema = z.looseObject({
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

/** Names a package in an import: no path, and nothing of Node's own. */
const PACKAGE_IMPORT = /(?:from|import) ?\(?['"]((?:@[\w.-]+\/)?(?!node:)[\w-][\w.-]*)[^'"]*['"]/g;

/**
 * Writes the SDK as a package into an empty folder: plain JavaScript with its types, what it imports of `domain/`, and a
 * manifest that depends on the packages it imports, from the versions of this project on.
 */
export async function writeSdkPackage(folder: string): Promise<void> {
  await compile(folder);
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')));
  const imported = await packagesImported(folder);
  const described = {
    name: SDK_NAME,
    version: manifest.version,
    description: 'For services that Fairlead deploys: who calls, tokens for calls to others, and the audit ledger.',
    license: manifest.license,
    type: 'module',
    // The outbox is an SQLite file, which Node itself reads from this version on.
    engines: { node: '>=22.13' },
    exports: { '.': { types: './sdk/index.d.ts', default: './sdk/index.js' } },
    sideEffects: false,
    dependencies: Object.fromEntries(imported.map((name) => [name, `^${versionOf(name, manifest.dependencies)}`])),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  for (const file of ['LICENSE', 'sdk/README.md']) await cp(join(projectRoot, file), join(folder, basename(file)));
}

/** Packs it into a file such as `fairlead-sdk-0.1.0.tgz`. @returns its path */
export async function packSdk(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-sdk-'));
  try {
    await writeSdkPackage(folder);
    await mkdir(destination, { recursive: true });
    // npm runs in the package's folder, where a relative path is another one.
    const target = ['--pack-destination', resolve(destination)];
    const output = await runProgram('npm', ['pack', '--silent', ...target], { cwd: folder });
    return join(destination, output.trim().split('\n').at(-1) ?? '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compile(folder: string): Promise<void> {
  const settings = {
    extends: join(projectRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: projectRoot,
      outDir: folder,
      typeRoots: [join(projectRoot, 'node_modules', '@types')],
    },
    files: [join(projectRoot, 'sdk', 'index.ts')],
    include: [],
  };
  const file = join(folder, 'tsconfig.json');
  await writeFile(file, JSON.stringify(settings));
  await runProgram(join(projectRoot, 'node_modules', '.bin', 'tsc'), ['-p', file], { keepOutput: true });
  await rm(file);
}

async function packagesImported(folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|d\.ts)$/.test(entry.name)) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name = ''] of text.matchAll(PACKAGE_IMPORT)) found.add(name);
  }
  return [...found].sort();
}

function versionOf(name: string, dependencies: Readonly<Record<string, string>>): string {
  const version = dependencies[name];
  if (version === undefined) throw new Error(`the SDK imports ${name}, which is no dependency of the project`);
  return version;
}
