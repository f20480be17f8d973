import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { HOOKS } from '../app/hook-names.ts';

const manifestSchema = z.looseObject({ scripts: z.record(z.string(), z.unknown()) });

/**
 * The manifest of a package whose files are not there when packages are installed, without its install scripts: Bun and
 * yarn run those of every package of a monorepo. The same text where it has none.
 */
export function withoutHooks(text: string): string {
  const manifest = manifestSchema.safeParse(parseJson(text)).data;
  if (manifest === undefined) return text;
  const kept = Object.entries(manifest.scripts).filter(([name]) => !HOOKS.includes(name));
  if (kept.length === Object.keys(manifest.scripts).length) return text;
  return JSON.stringify({ ...manifest, scripts: Object.fromEntries(kept) });
}
