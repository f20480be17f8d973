import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type AppSource, MANIFEST, readAppSource, type SourceTree } from '../../domain/catalog/app-source.ts';
import { findMonorepo } from '../../domain/catalog/find-monorepo.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { readManifest } from '../../domain/catalog/read-manifest.ts';
import { writeChain } from '../../domain/deploys/app/command-chain.ts';
import { describeApp } from '../../domain/deploys/app/describe-app.ts';
import { expandScript } from '../../domain/deploys/app/expand-scripts.ts';
import { inAnImage } from '../../domain/deploys/app/in-an-image.ts';
import { FairleadError } from '../../domain/errors.ts';

const run = promisify(execFile);

/** By which an app is installed, built and started; null for each that there is none of. */
export interface Commands {
  readonly install: string | null;
  readonly build: string | null;
  readonly start: string | null;
  /** What the start script comes to: its commands, with those of the scripts that it calls; null without such a script. */
  readonly startScript?: string | null;
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

/**
 * By what the pipeline finds out of the source, for an app without a catalog.
 * @param folder of the repository
 * @param app its folder in it; `''` for the root
 */
export async function ourCommands(folder: string, app: string): Promise<Commands> {
  const source = await readAppSource(folderTree(join(folder, app)));
  const { catalog } = inferCatalog({ manifest: source.texts[MANIFEST] ?? null, files: source.files });
  const monorepo = await findMonorepo(folderTree(folder), app);
  const startScript = ownStart(source);
  try {
    const { install, build, start } = describeApp(source, catalog, monorepo);
    return {
      install: install?.value ?? null,
      build: build?.value ?? null,
      start: start?.value.join(' ') ?? 'a web server with its files',
      startScript,
      reasons: {
        ...(install === null ? {} : { install: install.reason }),
        ...(build === null ? {} : { build: build.reason }),
        start: start?.reason ?? 'a site of files needs no program of its own',
      },
    };
  } catch (error) {
    if (error instanceof FairleadError) return refused(error.message);
    throw error;
  }
}

function ownStart(source: AppSource): string | null {
  const { scripts } = readManifest(source.texts[MANIFEST] ?? null, []);
  if (scripts.start === undefined) return null;
  const chain = expandScript('start', scripts)?.map((command) => inAnImage(command, source));
  return chain === undefined ? scripts.start : writeChain(chain);
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
