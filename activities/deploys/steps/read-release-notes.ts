import { MANIFEST } from '../../../domain/catalog/app-source.ts';
import { readManifest } from '../../../domain/catalog/read-manifest.ts';
import { joinInside } from '../../../domain/catalog/source-path.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { notesOfChangelog } from '../../../domain/deploys/release-notes.ts';
import { sdkVersions } from '../../../domain/deploys/sdk-packages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { notesOfLog } from '../notes-of-log.ts';
import { buildRedactor, redactLines } from '../redaction.ts';
import { requireFacts, type StepContext } from '../step.ts';

type Deps = Parameters<typeof notesOfLog>[0] &
  Parameters<typeof buildRedactor>[0] &
  Pick<DeploysDeps, 'workspace'> & {
    readonly settings: Pick<DeploysDeps['settings'], 'sdkPackages' | 'platformSecrets'>;
  };

const CHANGELOG = 'CHANGELOG.md';
const LOCK = 'package-lock.json';
const FILE_LIMIT_BYTES = 1024 ** 2;
const LOCK_LIMIT_BYTES = 8 * 1024 ** 2;

/**
 * Reads what is new from CHANGELOG.md at the root of the repository, or else from its log, and the versions of packages of the SDK from the
 * manifest and the lock file of the app. The notes become public: no known secret stays in them. Reads only. A file that cannot be read counts as absent, with a warning.
 */
export async function readReleaseNotes(deps: Deps, context: StepContext): Promise<BuildFacts> {
  const { build, facts, warn } = context;
  const { appPath } = requireFacts(facts, ['appPath']);
  const read = async (path: string, limitBytes = FILE_LIMIT_BYTES): Promise<string | null> => {
    try {
      return await deps.workspace.readText(build.buildId, path, limitBytes);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'SOURCE_REFUSED') throw error;
      warn(`${error.message} It is taken as absent.`);
      return null;
    }
  };
  const changelog = await read(CHANGELOG);
  const manifest = readManifest(await read(joinInside(appPath, MANIFEST)), []);
  const lock = await read(joinInside(appPath, LOCK), LOCK_LIMIT_BYTES);
  const redact = await redactorOfNotes(deps, context);
  return {
    releaseNotes: changelog === null ? await notesOfLog(deps, context, redact) : notesOfChangelog(changelog, redact),
    sdkVersions: sdkVersions(manifest, lock, deps.settings.sdkPackages),
  };
}

async function redactorOfNotes(deps: Deps, { build }: StepContext): Promise<(text: string) => string> {
  const redact = await buildRedactor(deps, build);
  return (text) => redactLines(text, redact);
}
