import { type Asset, readAsset } from '../../api/http/pages/assets.ts';

/** Files of the one stylesheet, in their order. */
const STYLES = ['tokens', 'base', 'shell', 'components', 'log', 'terminal', 'data', 'sites'];

const STYLESHEET = readAsset(
  'console.css',
  'text/css; charset=utf-8',
  STYLES.map((name) => new URL(`./css/${name}.css`, import.meta.url)),
);
const SCRIPT = readAsset('console.js', 'text/javascript; charset=utf-8', [new URL('../live/live.js', import.meta.url)]);
const ICON = readAsset('icon.svg', 'image/svg+xml', [new URL('./icon.svg', import.meta.url)]);
const ASSETS = [STYLESHEET, SCRIPT, ICON];

export const STYLESHEET_PATH = `/assets/${STYLESHEET.name}`;
export const SCRIPT_PATH = `/assets/${SCRIPT.name}`;
export const ICON_PATH = `/assets/${ICON.name}`;

export function findAsset(wanted: string): Asset | null {
  return ASSETS.find(({ name }) => name === wanted) ?? null;
}
