import { z } from 'zod';
import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { parseJson } from '../../parse-json.ts';
import type { Choice } from './app-description.ts';
import { expandScript } from './expand-scripts.ts';
import { reachedCommands } from './reached-commands.ts';

/** Scripts that run while an image is built. */
const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'build'];

const settings = z.object({ prisma: z.object({ schema: z.string() }) });

/**
 * The build, with the client of Prisma made first where there is a schema and no script makes it. The install makes it in
 * some versions alone, and only for a schema in its usual place.
 */
export function withPrismaClient(
  build: Choice<string> | null,
  manifest: Manifest,
  source: AppSource,
): Choice<string> | null {
  if (!manifest.dependencies.has('prisma') || !hasSchema(source) || isMadeByScript(manifest, build)) return build;
  const reason = 'Prisma has a schema, and no script makes its client';
  if (build === null) return { value: 'prisma generate', reason };
  return { value: `prisma generate && ${build.value}`, reason: `${build.reason}; ${reason}` };
}

function hasSchema({ files, texts }: AppSource): boolean {
  const isUsual = files.some((file) => /^(?:prisma|schema\.prisma|prisma\.config\.[cm]?[jt]s)$/.test(file));
  return isUsual || settings.safeParse(parseJson(texts[MANIFEST] ?? '')).success;
}

function isMadeByScript({ scripts }: Manifest, build: Choice<string> | null): boolean {
  const lines = SCRIPTS.flatMap((name) =>
    reachedCommands(expandScript(name, scripts) ?? [], scripts)
      .map(({ text }) => text)
      .concat(scripts[name] ?? ''),
  );
  return [...lines, build?.value ?? ''].some((line) => /\bprisma\b.*\bgenerate\b/.test(line));
}
