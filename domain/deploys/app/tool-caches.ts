import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { BuildCache } from '../container-file/build-caches.ts';
import type { Choice } from './app-description.ts';
import { nextjsSettings } from './nextjs-app.ts';

/**
 * Folders in which tools keep what they need not make again. Vite has none for builds. That of Gatsby is right only beside
 * the site it made before, which is not kept.
 */
const CACHES: readonly (BuildCache & { readonly package: string })[] = [
  { package: 'astro', id: 'astro', folder: 'node_modules/.astro' },
  { package: '@11ty/eleventy', id: 'eleventy', folder: '.cache' },
  { package: '@angular/core', id: 'angular', folder: '.angular/cache' },
  { package: 'parcel', id: 'parcel', folder: '.parcel-cache' },
];

/** Of the loaders of webpack, and so of Docusaurus and create-react-app, and of others. */
const SHARED: BuildCache = { id: 'modules', folder: 'node_modules/.cache' };

/** The caches of the tools that build an app; none without a build. */
export function toolCaches(manifest: Manifest, source: AppSource, build: Choice<string> | null): readonly BuildCache[] {
  if (build === null) return [];
  const found = CACHES.filter((cache) => manifest.dependencies.has(cache.package));
  return [...nextCache(manifest, source), ...found.map(({ id, folder }) => ({ id, folder })), SHARED];
}

function nextCache(manifest: Manifest, source: AppSource): readonly BuildCache[] {
  if (!manifest.dependencies.has('next')) return [];
  const { output, distDir } = nextjsSettings(manifest, source);
  // Of an export `distDir` names the folder of the site.
  return [{ id: 'next', folder: `${output === 'export' ? '.next' : distDir}/cache` }];
}
