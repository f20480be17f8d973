import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppSource, LOCKFILES, MANIFEST, readAppSource } from '../domain/catalog/app-source.ts';
import { findMonorepo } from '../domain/catalog/find-monorepo.ts';
import { effectivePaths, type PathFacts, parsePlatformConfig } from '../domain/catalog/parse-platform-config.ts';
import { readManifest } from '../domain/catalog/read-manifest.ts';
import { lockExcerpt } from '../domain/deploys/app/lock-excerpt.ts';
import { FairleadError } from '../domain/errors.ts';
import { cloneForReading } from './run-git.ts';
import { folderInside, treeBelow, type UploadedTree, uploadedTree } from './uploaded-tree.ts';

/** What the service record says of the places in a source. */
export type RecordedPaths = PathFacts['serviceRecord'];

const PLATFORM_CONFIG = '.platform.yaml';

/**
 * What the planner needs of a repository, which is cloned here for it. @throws the error of git, with `stderr`, of one that
 * this machine cannot read
 */
export async function planRepository(
  url: string,
  revision: string,
  record: RecordedPaths,
): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-plan-'));
  try {
    await cloneForReading(folder, { url, revision });
    return await planFiles(folder, record);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What the planner needs of a folder: its catalog and `.platform.yaml`, and what a build would read of the app, and of the
 * monorepo around it, of what a deploy uploads.
 */
export async function planFiles(folder: string, record: RecordedPaths): Promise<Record<string, unknown>> {
  const tree = await uploadedTree(folder);
  const appOfRecord = record.appPath === null ? '.' : folderInside(folder, record.appPath);
  const platformConfig = tree.read(PLATFORM_CONFIG) ?? treeBelow(tree, appOfRecord).read(PLATFORM_CONFIG);
  const places = placesOf(record, platformConfig, appOfRecord);
  const context = treeBelow(tree, places.context);
  const { files, texts, variables, loaded, registryVariables } = await readAppSource(context);
  const { [MANIFEST]: manifest, ...others } = texts;
  const catalog = treeBelow(tree, places.app).read('catalog-info.yaml');
  const monorepo = await findMonorepo(tree, places.context === '.' ? '' : places.context);
  return {
    ...(catalog === null ? {} : { catalog }),
    ...(platformConfig === null ? {} : { platformConfig }),
    ...(manifest === undefined ? {} : { manifest }),
    files,
    containerFiles: await present(tree, places.containerFile),
    texts: toSend(others, manifest),
    variables,
    loaded,
    registryVariables,
    ...(monorepo === null
      ? {}
      : {
          monorepo: {
            folder: monorepo.folder,
            app: monorepo.app,
            files: monorepo.source.files,
            texts: toSend(monorepo.source.texts, monorepo.source.texts[MANIFEST]),
            ...registryOf(monorepo.source),
          },
        }),
  };
}

interface Places {
  readonly app: string;
  readonly context: string;
  readonly containerFile: string | null;
}

/** As a build finds them. Of a file that cannot be read the planner tells, as the build would. */
function placesOf(record: RecordedPaths, platformConfig: string | null, appOfRecord: string): Places {
  try {
    const paths = effectivePaths({
      serviceRecord: { ...record, appPath: appOfRecord === '.' ? null : appOfRecord },
      platformConfig: platformConfig === null ? null : parsePlatformConfig(platformConfig),
    });
    return { app: paths.appPath || '.', context: paths.contextPath || '.', containerFile: paths.dockerfile };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { app: appOfRecord, context: appOfRecord, containerFile: null };
  }
}

async function present(tree: UploadedTree, path: string | null): Promise<readonly string[]> {
  if (path === null) return [];
  const [name = '', ...folders] = path.split('/').reverse();
  return (await tree.list(folders.reverse().join('/'))).includes(name) ? [path] : [];
}

/** A plan needs no more of a lockfile than what a build concludes something from. */
function toSend(
  texts: Readonly<Record<string, string>>,
  manifest: string | undefined,
): Readonly<Record<string, string>> {
  const wanted = readManifest(manifest ?? null, []).dependencies;
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [path, LOCKFILES.includes(path) ? lockExcerpt(text, wanted) : text]),
  );
}

function registryOf({ registryVariables = [] }: AppSource): Pick<AppSource, 'registryVariables'> {
  return registryVariables.length === 0 ? {} : { registryVariables };
}
