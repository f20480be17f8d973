import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice, Site } from './app-description.ts';
import type { Start } from './start-command.ts';
import { cleanBase, usable } from './static-site.ts';
import { stripComments } from './strip-comments.ts';

/** What the settings of a Next.js app decide. */
export interface NextjsSettings {
  /** `export` makes files, `standalone` a server of its own, `server` what `next start` runs. */
  readonly output: 'export' | 'standalone' | 'server';
  /** Folder of its build, `.next` unless it is named. */
  readonly distDir: string;
  readonly basePath: string | null;
  readonly reason: string;
}

/** Reads `next.config.*` as text: settings that it computes are not known. */
export function nextjsSettings({ scripts }: Manifest, { texts }: AppSource): NextjsSettings {
  const [name, text = ''] = Object.entries(texts).find(([file]) => /^next\.config\./.test(file)) ?? [];
  const config = stripComments(text);
  const stated = /\boutput\s*:\s*["'](export|standalone)["']/.exec(config)?.[1];
  // Versions before 13.3 export by a command.
  const isExported = stated === 'export' || /\bnext export\b/.test(scripts.build ?? '');
  const output = isExported ? 'export' : stated === 'standalone' ? 'standalone' : 'server';
  return {
    output,
    distDir: usable(/\bdistDir\s*:\s*["']([\w./@-]+)["']/.exec(config)?.[1]) ?? '.next',
    basePath: cleanBase(/\bbasePath\s*:\s*["'](\/[\w./-]*)["']/.exec(config)?.[1]),
    reason: stated === undefined || name === undefined ? 'Next.js runs its server' : `${name} sets output: "${stated}"`,
  };
}

/** Packages without which Next.js cannot read its settings when it starts. */
export function neededBySettings({ files }: AppSource): readonly string[] {
  return files.some((file) => /^next\.config\.[cm]?ts$/.test(file)) ? ['typescript'] : [];
}

/** The files of an app that is exported. */
export function nextjsSite({ distDir, basePath, reason }: NextjsSettings, declared: string | null): Site {
  const folders: Choice<readonly string[]> =
    declared !== null
      ? { value: [declared], reason: 'platform.io/output-folder declares it' }
      : { value: distDir === '.next' ? ['out'] : [distDir, 'out'], reason };
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
