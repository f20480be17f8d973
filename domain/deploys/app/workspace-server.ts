import { basename } from 'node:path';
import { z } from 'zod';
import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { parseJson } from '../../parse-json.ts';
import type { Choice } from './app-description.ts';
import { angularOutput } from './static-site.ts';

/** A start script that builds in memory and watches: `nx serve api`, `ng serve`. */
const SERVES_SOURCE = /^(?:npx )?(?:ng|nx) (?:run \S+:)?serve\b/;
/** What Angular's schematics call the script that starts the server of an app with server-side rendering. */
const SSR_SCRIPT = /^serve:ssr(?::|$)/;
const SAFE_PATH = /^(?!.*\.\.)[\w@][\w./@-]{0,200}$/;

const nxSchema = z.object({
  targets: z.object({ build: z.object({ options: z.object({ outputPath: z.string(), main: z.string() }) }) }),
});

/** The server that a workspace of Angular or Nx builds, where its start script would serve the source for development. */
export interface WorkspaceServer {
  /** The script that starts it; null where none does. */
  readonly script: string | null;
  readonly command: Choice<readonly string[]>;
}

export function workspaceServer(manifest: Manifest, source: AppSource): WorkspaceServer | null {
  const { scripts } = manifest;
  if (!SERVES_SOURCE.test(scripts.start ?? '') || (scripts.build ?? '').trim() === '') return null;
  const script = Object.keys(scripts).find((name) => SSR_SCRIPT.test(name)) ?? null;
  const built = manifest.dependencies.has('@angular/ssr') ? angularServer(source) : nxServer(source);
  if (script === null && (built === null || !SAFE_PATH.test(built))) return null;
  const reason = 'the build makes it, and the start script is for development';
  return { script, command: { value: ['node', built ?? ''], reason } };
}

function angularServer({ texts }: AppSource): string | null {
  const folder = angularOutput(texts['angular.json'] ?? '');
  return folder === null ? null : `${folder}/server/server.mjs`;
}

function nxServer({ texts }: AppSource): string | null {
  const options = nxSchema.safeParse(parseJson(texts['project.json'] ?? '')).data?.targets.build.options;
  return options === undefined
    ? null
    : `${options.outputPath}/${basename(options.main).replace(/\.[cm]?tsx?$/, '.js')}`;
}
