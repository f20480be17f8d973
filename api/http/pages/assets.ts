import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Response } from 'express';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { defineRoute, type Route } from '../define-route.ts';
import { brandFills, type Fill } from './brand-colour.ts';

/** A file that pages use. */
export interface Asset {
  readonly name: string;
  readonly contentType: string;
  readonly content: string;
}

/** @param files put together, with a name that changes with the content: browsers may keep it forever */
export function readAsset(name: string, contentType: string, files: readonly URL[]): Asset {
  const content = files.map((file) => readFileSync(file, 'utf8')).join('');
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: name.replace('.', `-${hash}.`), contentType, content };
}

function readOwn(file: string, contentType: string): Asset {
  return readAsset(file, contentType, [new URL(`./assets/${file}`, import.meta.url)]);
}

const STYLESHEET = readOwn('pages.css', 'text/css; charset=utf-8');
const SCRIPT = readOwn('pages.js', 'text/javascript; charset=utf-8');
const ICON = readOwn('icon.svg', 'image/svg+xml');

export const STYLESHEET_PATH = `/assets/${STYLESHEET.name}`;
export const SCRIPT_PATH = `/assets/${SCRIPT.name}`;
export const ICON_PATH = `/assets/${ICON.name}`;

/** The stylesheet that sets a brand's colour: pages carry no style of their own, so that their policy can forbid it. */
export function brandStylesheetPath(colour: string): string {
  return `/assets/brand-${colour.slice(1).toLowerCase()}.css`;
}

function brandStylesheet(name: string): Asset | null {
  const [, digits] = /^brand-([0-9a-f]{6})\.css$/.exec(name) ?? [];
  const fills = digits === undefined ? null : brandFills(`#${digits}`);
  if (fills === null) return null;
  const rule = ({ fill, text, edge }: Fill): string => `:root{--brand:${fill};--on-brand:${text};--brand-edge:${edge}}`;
  const content = `${rule(fills.light)}@media (prefers-color-scheme:dark){${rule(fills.dark)}}\n`;
  return { name, contentType: STYLESHEET.contentType, content };
}

/** Files of pages, from our own origin. @param find the file of that name; null where there is none */
export function createAssetRoute(find: (name: string) => Asset | null): Route {
  return defineRoute({
    method: 'get',
    path: '/assets/:name',
    summary: 'A stylesheet, script or icon of the pages, named by its content',
    tag: 'pages',
    callers: 'public',
    replies: 'page',
    params: z.object({ name: z.string().max(100) }),
    responses: { 200: { description: 'The file', schema: z.string() } },
    errors: ['NOT_FOUND'],
    handle: async ({ params }) => {
      const asset = find(params.name);
      if (asset === null) throw new FairleadError('NOT_FOUND', 'There is no such file');
      return async (response: Response) => {
        response.set({ 'Content-Type': asset.contentType, 'Cache-Control': 'public, max-age=31536000, immutable' });
        response.send(asset.content);
      };
    },
  });
}

/** Stylesheets, script and icon of the platform's own pages. */
export const assetRoute: Route = createAssetRoute(
  (wanted) => [STYLESHEET, SCRIPT, ICON].find(({ name }) => name === wanted) ?? brandStylesheet(wanted),
);
