import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type Env, projectRoot } from './project.ts';
import type { Reporter } from './terminal.ts';
import { runProgram } from './tools/run-program.ts';

const SOURCES = ['workflows', 'domain'];

/** The prebuilt workflow bundle for the sources as they are; built in a child so that its memory is not kept. */
export async function workflowBundle(env: Env, report: Reporter): Promise<string> {
  const folder = join(cacheFolder(env), 'workflow-bundle');
  const path = join(folder, `${await hashSources()}.js`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const script = join(import.meta.dirname, 'bundle-workflows.ts');
  await report.work('Workflow bundle', '5 s', () => runProgram(process.execPath, [script, path]));
  return path;
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const maker of ['node_modules/@temporalio/worker/package.json', 'infra/dev/bundle-workflows.ts']) {
    hash.update(await readFile(join(projectRoot, maker)));
  }
  for (const folder of SOURCES) {
    const names = await readdir(join(projectRoot, folder), { recursive: true });
    for (const name of names.sort()) {
      const path = join(projectRoot, folder, name);
      if ((await stat(path)).isDirectory()) continue;
      hash.update(`${folder}/${name}\0`).update(await readFile(path));
    }
  }
  return hash.digest('hex').slice(0, 32);
}
