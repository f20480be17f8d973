import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { joinInside } from '../../catalog/source-path.ts';
import type { Choice, Site } from './app-description.ts';
import { expandScript } from './expand-scripts.ts';
import type { Start } from './start-command.ts';
import { cleanBase, usable } from './static-site.ts';
import { stripComments } from './strip-comments.ts';

/** What the settings of a Next.js app decide. */
export interface NextjsSettings {
  /** `export` makes files, `standalone` a server of its own, `server` what `next start` runs. */
  readonly output: 'export' | 'standalone' | 'server';
  /** Folder of its build, `.next` unless it is named. */
  readonly distDir: string;
  /** Folder of the files that a command exports, as versions before 13.3 do; null without one. */
  readonly exportFolder: string | null;
  readonly basePath: string | null;
  readonly reason: string;
}

/** `output` as a text, or as the one of two that holds in production, as builds are. */
const OUTPUT =
  /\boutput\s*:\s*(?:[^,\n?]{0,200}(?:["']production["']|\bisProd\w*)\s*\?\s*)?["'](export|standalone)["']/;

/** Reads `next.config.*` as text: settings that it computes are not known. */
export function nextjsSettings({ scripts }: Manifest, { texts }: AppSource): NextjsSettings {
  const [name, text = ''] = Object.entries(texts).find(([file]) => /^next\.config\./.test(file)) ?? [];
  const config = stripComments(text);
  const stated = OUTPUT.exec(config)?.[1];
  const build =
    (expandScript('build', scripts) ?? []).map((command) => command.text).join('\n') || (scripts.build ?? '');
  const exporting = /\bnext export\b(?:[^\n]*?\s(?:-o|--outdir)[= ]([\w./@-]+))?/.exec(build);
  const isExported = stated === 'export' || exporting !== null;
  const output = isExported ? 'export' : stated === 'standalone' ? 'standalone' : 'server';
  const folder = usable(/\bnext build (?:-\S+ )*([\w.][\w./-]*)/.exec(build)?.[1]);
  const dist = usable(/\bdistDir\s*:\s*["']([\w./@-]+)["']/.exec(config)?.[1]) ?? '.next';
  return {
    output,
    distDir: folder === null ? dist : joinInside(folder, dist),
    exportFolder: usable(exporting?.[1]),
    basePath: cleanBase(/\bbasePath\s*:\s*["'](\/[\w./-]*)["']/.exec(config)?.[1]),
    reason: stated === undefined || name === undefined ? 'Next.js runs its server' : `${name} sets output: "${stated}"`,
  };
}

/** Packages without which Next.js cannot read its settings when it starts. */
export function neededBySettings({ files }: AppSource): readonly string[] {
  return files.some((file) => /^next\.config\.[cm]?ts$/.test(file)) ? ['typescript'] : [];
}

/** The files of an app that is exported. */
export function nextjsSite(settings: NextjsSettings, declared: string | null): Site {
  const { distDir, exportFolder, basePath, reason } = settings;
  const found = [...(exportFolder === null ? [] : [exportFolder]), ...(distDir === '.next' ? [] : [distDir]), 'out'];
  const folders: Choice<readonly string[]> =
    declared !== null
      ? { value: [declared], reason: 'platform.io/output-folder declares it' }
      : { value: [...new Set(found)], reason };
  return { folders, singlePage: { value: false, reason: 'each path has a file of its own' }, basePath };
}

/**
 * True where the platform starts the app: the author does it by `next start` or the server of its standalone output, as
 * the platform does, or by the server for development.
 */
export function isUsualStart({ commands }: Start): boolean {
  const [only] = commands;
  if (only === undefined || commands.length > 1) return false;
  return /^(?:NODE_ENV=\w+ )?(?:(?:npx )?next(?: start| dev\b.*)?|node (?:\.\/)?[\w./-]*standalone\/server\.js)$/.test(
    only.text,
  );
}

/** Programs that only answer with the files of a folder. */
const FILE_SERVER =
  /^(?:npx|pnpx|bunx|pnpm dlx|yarn dlx) (?:-y |--yes )?(?:serve|http-server|sirv-cli|live-server)(?:@[\w.^~-]+)?(?:\s|$)/;

/** True where the author starts a server of files that would be downloaded at each start, as Next.js proposes for an export. */
export function downloadsFileServer({ commands }: Start, { dependencies }: Manifest): boolean {
  const [only] = commands;
  if (only === undefined || commands.length > 1) return false;
  const isInstalled = ['serve', 'http-server', 'sirv-cli', 'live-server'].some((name) => dependencies.has(name));
  return !isInstalled && FILE_SERVER.test(only.text);
}
