import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { MANIFEST, readAppSource, type SourceTree } from '../../domain/catalog/app-source.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { describeApp } from '../../domain/deploys/app/describe-app.ts';
import { FairleadError } from '../../domain/errors.ts';

const run = promisify(execFile);

/** By which an app is installed, built and started; null for each that there is none of. */
export interface Commands {
  readonly install: string | null;
  readonly build: string | null;
  readonly start: string | null;
  /** Why, for each that has a reason. */
  readonly reasons: Readonly<Partial<Record<'install' | 'build' | 'start', string>>>;
}

const phase = z.looseObject({ cmds: z.array(z.string()).nullish() }).nullish();
const planSchema = z.looseObject({
  phases: z.looseObject({ install: phase, build: phase }).nullish(),
  start: z.looseObject({ cmd: z.string().nullish() }).nullish(),
});

/** By `nixpacks plan`, which reads a folder and runs nothing of it. */
export async function nixpacksCommands(folder: string): Promise<Commands> {
  const { stdout } = await run(process.env.NIXPACKS || 'nixpacks', ['plan', '--format', 'json', folder]);
  const plan = planSchema.parse(JSON.parse(stdout));
  return {
    install: plan.phases?.install?.cmds?.join(' && ') ?? null,
    build: plan.phases?.build?.cmds?.join(' && ') ?? null,
    start: plan.start?.cmd ?? null,
    reasons: {},
  };
}

/** By what the pipeline finds out of the source, for an app without a catalog. */
export async function ourCommands(folder: string): Promise<Commands> {
  const source = await readAppSource(folderTree(folder));
  const { catalog } = inferCatalog({ manifest: source.texts[MANIFEST] ?? null, files: source.files });
  try {
    const app = describeApp(source, catalog);
    const start = app.start?.value.join(' ') ?? 'a web server with its files';
    return {
      install: app.install?.value ?? null,
      build: app.build?.value ?? null,
      start,
      reasons: {
        ...(app.install === null ? {} : { install: app.install.reason }),
        ...(app.build === null ? {} : { build: app.build.reason }),
        start: app.start?.reason ?? 'a site of files needs no program of its own',
      },
    };
  } catch (error) {
    if (error instanceof FairleadError) return refused(error.message);
    throw error;
  }
}

function refused(reason: string): Commands {
  return { install: null, build: null, start: null, reasons: { start: reason } };
}

function folderTree(folder: string): SourceTree {
  return {
    readText: (path) => readFile(join(folder, path), 'utf8').catch(() => null),
    list: (path) => readdir(join(folder, path)).catch(() => []),
  };
}
