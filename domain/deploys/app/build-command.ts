import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import { withoutVariables, writeChain } from './command-chain.ts';
import type { Start } from './start-command.ts';

/** Scripts that hosts run in the place of `build`, or beside it. */
const HOST_SCRIPTS = ['heroku-postbuild', 'gcp-build'];
/** Scripts that make what the start command names, where there is no `build`. */
const MAKING_SCRIPTS = ['build:prod', 'build:production', 'build:server', 'compile', 'transpile', 'bundle', 'tsc'];

/** Builds of other things than the app: images, and deploys to other hosts. */
const OF_OTHER_THINGS = /^(?:docker|docker-compose|podman|cdk|sls|serverless|heroku|fly|gcloud|pkg|electron-builder)\b/;

export interface BuildFacts {
  readonly manifest: Manifest;
  readonly source: AppSource;
  /** `platform.io/build-command` */
  readonly declared: string | null;
  /** How the package manager runs a script. */
  readonly run: (script: string) => string;
  /** What runs without a script; null where nothing need be built. */
  readonly usual: Choice<string> | null;
  readonly start: Start | null;
}

/** The command line that builds an app; null without a build. */
export function buildCommand(facts: BuildFacts): Choice<string> | null {
  const { declared, run, start } = facts;
  if (declared !== null) return { value: declared, reason: 'platform.io/build-command declares it' };
  const script = buildScript(facts);
  const own = script === null ? null : { value: run(script), reason: `package.json has a ${script} script` };
  const first = own ?? facts.usual ?? typescriptBuild(facts);
  const moved = (start?.builds ?? []).filter(({ through }) => script === null || !through.includes(script));
  if (moved.length === 0) return first;
  const line = writeChain(
    moved.map((command, index) => (index < moved.length - 1 ? command : { ...command, joint: null })),
  );
  const reason = 'the start command builds first, which is done once, with the image';
  return first === own && own !== null
    ? { value: `${own.value} && ${line}`, reason: `${own.reason}, and ${reason}` }
    : { value: line, reason };
}

function buildScript({ manifest: { scripts }, source, start }: BuildFacts): string | null {
  const has = (name: string): boolean =>
    (scripts[name] ?? '').trim() !== '' && !OF_OTHER_THINGS.test(scripts[name] ?? '');
  const host = ['build', ...HOST_SCRIPTS].find(has);
  if (host !== undefined) return host;
  return missingFile(start, source) === null ? null : (MAKING_SCRIPTS.find(has) ?? null);
}

/** The compiler, for an app that starts a file which nothing else makes. */
function typescriptBuild({ manifest, source, start }: BuildFacts): Choice<string> | null {
  const missing = missingFile(start, source);
  if (missing === null || !manifest.dependencies.has('typescript')) return null;
  if (!source.files.includes('tsconfig.json') || (start?.builds.length ?? 0) > 0) return null;
  return { value: 'tsc', reason: `the start command needs ${missing}, and tsconfig.json tells how it is made` };
}

/** A file that the start command names in a folder that the source has not. */
function missingFile(start: Start | null, { files }: AppSource): string | null {
  const words = withoutVariables(start?.commands.at(-1)?.words ?? []).slice(1);
  const named = words.find((word) => /^(?:\.\/)?[\w.-]+\/[\w./-]+$/.test(word) && !word.startsWith('node_modules/'));
  const folder = named?.replace(/^\.\//, '').split('/')[0];
  return named === undefined || folder === undefined || files.includes(folder) ? null : named;
}
