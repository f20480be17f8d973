import type { z } from 'zod';
import { type AppSource, MANIFEST } from '../../domain/catalog/app-source.ts';
import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { Monorepo } from '../../domain/catalog/find-monorepo.ts';
import { appFindings, type Finding } from '../../domain/deploys/app/app-findings.ts';
import {
  chooseContainerFile,
  type NamedContainerFile,
  OWN_CONTAINER_FILE,
} from '../../domain/deploys/app/choose-container-file.ts';
import { describeApp } from '../../domain/deploys/app/describe-app.ts';
import { sourceHints } from '../../domain/deploys/app/source-hints.ts';
import type { planBodySchema } from '../../domain/deploys/plan-schema.ts';
import { FairleadError } from '../../domain/errors.ts';

export interface PlannedContainerFile {
  readonly found: readonly Finding[];
  readonly warnings: readonly string[];
}

/** Of a folder that the command line has read, or of nothing for an address that only a build reads. */
export function planSource(body: z.output<typeof planBodySchema>): AppSource | null {
  const { manifest, files, texts, variables, loaded, registryVariables } = body;
  if (manifest === undefined && files === undefined) return null;
  return {
    files: files ?? [],
    texts: { ...texts, ...(manifest === undefined ? {} : { [MANIFEST]: manifest }) },
    ...(variables === undefined ? {} : { variables }),
    ...(loaded === undefined ? {} : { loaded }),
    ...(registryVariables === undefined ? {} : { registryVariables }),
  };
}

/** The monorepo that the command line has found around the app. */
export function planMonorepo({ monorepo }: z.output<typeof planBodySchema>): Monorepo | null {
  if (monorepo === undefined) return null;
  const { folder, app, files, texts, registryVariables = [] } = monorepo;
  return { folder, app, source: { files, texts, registryVariables } };
}

export interface PlannedSource {
  readonly source: AppSource;
  readonly catalog: Catalog;
  readonly monorepo: Monorepo | null;
  /** What names a container file beside the catalog, which goes before it. */
  readonly named: NamedContainerFile | null;
}

/** What a build would find in the source, by the same rules, and what it would warn of or fail with. */
export function planContainerFile({ source, catalog, monorepo, named }: PlannedSource): PlannedContainerFile {
  const hints = sourceHints(source);
  const health = healthFinding(catalog);
  try {
    const choice = chooseContainerFile({
      framework: catalog.framework,
      named:
        catalog.dockerfile === null
          ? named
          : { path: catalog.dockerfile, exists: mayExist(catalog.dockerfile, source) },
      hasOwn: source.files.includes(OWN_CONTAINER_FILE),
      hasManifest: source.texts[MANIFEST] !== undefined,
      mayGenerate: true,
      describe: () => describeApp(source, catalog, monorepo),
    });
    const { path, app, reason } = choice;
    const file = containerFileFinding(path ?? 'generated', reason);
    const found = [file, ...(app === null ? [] : appFindings(app)), health];
    return { found, warnings: [...choice.warnings, ...(app?.warnings ?? []), ...hints] };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { found: [health], warnings: [`a build of this would fail: ${error.message}`, ...hints] };
  }
}

function containerFileFinding(value: string, reason: string): Finding {
  return { key: 'containerFile', title: 'Container file', value, reason, setBy: 'platform.io/dockerfile' };
}

function healthFinding({ healthEndpoint, healthDeclared }: Catalog): Finding {
  const reason = healthDeclared
    ? 'platform.io/health-endpoint declares it: it must answer 2xx'
    : 'nobody declared one: there, or at /, any answer below 500 is taken';
  return { key: 'health', title: 'Health', value: healthEndpoint, reason, setBy: 'platform.io/health-endpoint' };
}

/** Only the app's folder and some of its folders were looked into. */
function mayExist(path: string, { files }: AppSource): boolean {
  if (files.includes(path)) return true;
  const [folder = '', ...rest] = path.split('/');
  return rest.length > 0 && files.includes(folder) && !files.some((file) => file.startsWith(`${folder}/`));
}
