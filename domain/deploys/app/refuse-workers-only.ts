import type { AppSource } from '../../catalog/app-source.ts';
import type { Framework } from '../../catalog/catalog.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { FairleadError } from '../../errors.ts';
import { isStartedByBun } from './bun-start.ts';
import { entryFile } from './entry-file.ts';
import { statedStart } from './start-command.ts';

/** Adapters by which a hono app listens on Node.js, and servers it may be a part of. */
const ADAPTERS = ['@hono/node-server', '@hono/vite-build', 'srvx', 'express', 'fastify'];

/**
 * A hono app for Workers, Deno or Bun exports its routes and listens nowhere, so on Node.js it would end at once. One that
 * Bun starts, for development alone too, runs there.
 *
 * @throws CONTAINER_FILE_INVALID naming the adapter.
 */
export function refuseWorkersOnly(
  framework: Framework | null,
  manifest: Manifest,
  source: AppSource,
  declaredStart: string | null,
): void {
  if (framework !== 'hono' || ADAPTERS.some((name) => manifest.dependencies.has(name))) return;
  const stated = statedStart(manifest, source, declaredStart)?.line ?? null;
  const isForWorkers = manifest.dependencies.has('wrangler') || source.files.some((file) => /^wrangler\./.test(file));
  const entry = isForWorkers ? null : entryFile(manifest, source);
  if (isStartedByBun(stated ?? entry?.value.join(' ') ?? '')) return;
  const start = stated ?? manifest.scripts.dev ?? manifest.scripts.deploy ?? '';
  if (!/\b(?:wrangler|bun|deno)\b/.test(start)) return;
  const made = isForWorkers ? 'is made for Cloudflare Workers' : 'has no adapter for Node.js';
  const remedy =
    'add @hono/node-server, call serve({ fetch: app.fetch, port: Number(process.env.PORT) }), and add a "start" script for that file';
  const byBun = /\bbun\b/.test(start)
    ? '; or let Bun start it: add a "start" script such as "bun run src/index.ts"'
    : '';
  throw new FairleadError('CONTAINER_FILE_INVALID', `this hono app ${made}, so it listens nowhere: ${remedy}${byBun}`);
}
